// Command avxvnni writes kernels' AVX-VNNI assembly.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/nrt-go/nrt/asm/internal/x86"
)

func main() {
	build.ConstraintExpr("!purego,!race")
	m := x86.AVXVNNI()
	x86.Rows32(m)
	x86.Rows256(m)
	build.Generate()
}
