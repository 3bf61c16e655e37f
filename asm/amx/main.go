// Command amx writes kernels' AMX assembly.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/nrt-go/nrt/asm/internal/x86"
)

func main() {
	build.ConstraintExpr("!purego,!race")
	m := x86.AMX()
	x86.TileRows32(m)
	x86.TileRows256(m)
	build.Generate()
}
