// Command avx512 writes kernels' AVX-512 assembly.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/nrt-go/nrt/asm/internal/x86"
)

func main() {
	build.ConstraintExpr("!purego,!race")
	m := x86.AVX512()
	x86.Rows32(m)
	x86.Rows256(m)
	x86.Attention(m)
	x86.Products(m)
	build.Generate()
}
