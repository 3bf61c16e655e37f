// Command avx2 writes kernels' AVX2 assembly.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/nrt-go/nrt/asm/internal/x86"
)

func main() {
	build.ConstraintExpr("!purego,!race")
	m := x86.AVX2()
	x86.Rows32(m)
	x86.Rows256(m)
	x86.Attention(m)
	x86.Products(m)
	x86.Floats()
	x86.Records()
	build.Generate()
}
