package x86

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// soften emits the softmax of a tile's scores: the largest, and e to what each is below it.
func soften(m attender) {
	name := "soften" + m.suffix()
	TEXT(name, NOSPLIT, "func(lane *[16]float32, scores *float32, n int) float32")
	Pragma("noescape")
	Doc(name+" replaces s[i] by e^(s[i]-top), sets lane i mod 16 to their sum and returns top, the largest of s but for NaNs;",
		"n is a multiple of 16, at least 16.")
	top := broadcastMax(m)
	lane, scores, n := pointer("lane"), pointer("scores"), pointer("n")
	sums := vectors(m, 16/m.lanes())
	clearSums([][]reg.VecVirtual{sums})
	constants := m.operands(expConstants)
	SHRQ(U8(4), n)
	loop("sixteen", n, func() {
		for i, sum := range sums {
			x := m.vec()
			VMOVUPS(at(scores, 4*i*m.lanes()), x)
			VSUBPS(top, x, x)
			e := expBelow(m, x, constants)
			VMOVUPS(e, at(scores, 4*i*m.lanes()))
			VADDPS(e, sum, sum)
		}
		move(scores, 64)
	})
	for i, sum := range sums {
		VMOVUPS(sum, at(lane, 4*i*m.lanes()))
	}
	ret, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	VMOVSS(top.AsX(), ret.Addr)
	VZEROUPPER()
	RET()
}

// broadcastMax is the largest score in every lane. VMAXPS returns its second operand where the first is a NaN.
func broadcastMax(m attender) reg.VecVirtual {
	scores, n := pointer("scores"), pointer("n")
	most := vectors(m, 16/m.lanes())
	for _, v := range most {
		VBROADCASTSS(float(float32(math.Inf(-1))), v)
	}
	SHRQ(U8(4), n)
	loop("most", n, func() {
		for i, v := range most {
			x := m.vec()
			VMOVUPS(at(scores, 4*i*m.lanes()), x)
			VMAXPS(v, x, v)
		}
		move(scores, 64)
	})
	a, b := YMM(), XMM()
	if len(most) == 2 {
		VMAXPS(most[0], most[1], a)
	} else {
		VEXTRACTF32X8(U8(1), most[0], a)
		VMAXPS(most[0].AsY(), a, a)
	}
	VEXTRACTF128(U8(1), a, b)
	VMAXPS(a.AsX(), b, b)
	other, top := XMM(), m.vec()
	VPERMILPS(U8(0b1110), b, other)
	VMAXPS(other, b, b)
	VPERMILPS(U8(1), b, other)
	VMAXSS(other, b, b)
	VBROADCASTSS(b, top)
	return top
}

// expConstants are those of kernels' exp32.
var expConstants = []float32{1.44269504, 12582912, 0.693359375, -2.12194440e-4,
	1.9875691e-4, 1.3981999e-3, 8.3334519e-3, 4.1665796e-2, 1.6666665e-1, 5.0000001e-1, 1, -87.33654}

// operands are constants of arithmetic: registers where there are enough.
func (*avx512) operands(all []float32) []Op {
	ops := make([]Op, len(all))
	for i, c := range all {
		v := ZMM()
		VBROADCASTSS(float(c), v)
		ops[i] = v
	}
	return ops
}

func (*avx2) operands(all []float32) []Op {
	ops := make([]Op, len(all))
	for i, c := range all {
		ops[i] = float(c)
	}
	return ops
}

// expBelow is the Go loop's exp32 of x, which is not above zero, in every lane: 2^n goes into the exponent in one step.
func expBelow(m attender, x reg.VecVirtual, constants []Op) reg.VecVirtual {
	log2e, round, ln2hi, ln2lo, one, lowest := constants[0], constants[1], constants[2], constants[3], constants[10], constants[11]
	n, r, p := m.vec(), m.vec(), m.vec()
	VMULPS(log2e, x, n)
	VADDPS(round, n, n)
	VSUBPS(round, n, n)
	VMULPS(ln2hi, n, p)
	VSUBPS(p, x, r)
	VMULPS(ln2lo, n, p)
	VSUBPS(p, r, r)
	VMULPS(constants[4], r, p)
	for _, c := range constants[5:9] {
		VADDPS(c, p, p)
		VMULPS(r, p, p)
	}
	VADDPS(constants[9], p, p)
	VMULPS(r, p, p)
	VMULPS(r, p, p)
	VADDPS(r, p, p)
	VADDPS(one, p, p)
	m.scaleAbove(p, n, x, lowest)
	return p
}

// scaleAbove multiplies p by 2^n, or makes it zero where x is below lowest.
func (*avx512) scaleAbove(p, n, x reg.VecVirtual, lowest Op) {
	const notLess = 21
	mask := K()
	VCMPPS(U8(notLess), lowest, x, mask)
	VSCALEFPS_Z(n, p, mask, p)
}

func (*avx2) scaleAbove(p, n, x reg.VecVirtual, lowest Op) {
	const less = 17
	mask := YMM()
	VCVTTPS2DQ(n, n)
	VPADDD(word(127), n, n)
	VPSLLD(U8(23), n, n)
	VMULPS(n, p, p)
	VCMPPS(U8(less), lowest, x, mask)
	VANDNPS(p, mask, p)
}
