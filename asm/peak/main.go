// Command peak writes the loops that bench takes a processor's arithmetic peak from.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	peakAVX512()
	peakAVX2()
	Generate()
}

func peakAVX512() {
	turns("peakAVX512", "multiplies and adds bytes n times in sixteen chains of VPDPBUSD, which kernels on AVX-512 "+
		"consist of. It touches no memory: nothing that this instruction is the heart of can be faster.", func() {
		for i := range 16 {
			VPDPBUSD(reg.Z17, reg.Z16, zmm[i])
		}
	})
}

func peakAVX2() {
	turns("peakAVX2", "does so n times in five chains of VPMADDUBSW, VPMADDWD and VPADDD.", func() {
		sums, products := ymm[:5], ymm[5:10]
		for _, p := range products {
			VPMADDUBSW(reg.Y11, reg.Y10, p)
		}
		for _, p := range products {
			VPMADDWD(reg.Y11, p, p)
		}
		for i, sum := range sums {
			VPADDD(products[i], sum, sum)
		}
	})
}

// The registers are named, not allocated: nothing reads what the loops compute.
var (
	zmm = []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15}
	ymm = []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9}
)

// turns writes a function that emits body n times.
func turns(name, does string, body func()) {
	TEXT(name, NOSPLIT, "func(n int)")
	Doc(name + " " + does)
	n := Load(Param("n"), GP64())
	Label("turn")
	body()
	DECQ(n)
	JNZ(operand.LabelRef("turn"))
	VZEROUPPER()
	RET()
}
