package x86

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Floats emits the float32 operations. They use AVX2 registers in every instruction set: what they read comes from
// cache, and twice the width gains little there. Sums go in sixteen lanes, eight in each of two registers; multiply and
// add are two roundings, as in the Go loops.
func Floats() {
	dotLanes()
	maximum()
	expLanes()
	swiglu()
	scaleBy()
	widen()
	widenBrain()
	narrow()
	decodeNibbles()
	decodeBytes()
}

// float is a float32 in every lane, read from memory.
func float(v float32) Mem { return word(math.Float32bits(v)) }

// word is 32 bits in every lane, read from memory.
func word(bits uint32) Mem {
	name := "word_" + hex(bits)
	if m, ok := tables[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := 0; i < 32; i += 4 {
		DATA(i, U32(bits))
	}
	tables[name] = m
	return m
}

func hex(v uint32) string {
	const digits = "0123456789abcdef"
	var s [8]byte
	for i := range s {
		s[i] = digits[v>>(28-4*i)&15]
	}
	return string(s[:])
}

func pointer(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// multiplyAdd adds a*b to sum.
func multiplyAdd(a Op, b, sum reg.VecVirtual) {
	p := YMM()
	VMULPS(a, b, p)
	VADDPS(p, sum, sum)
}

func dotLanes() {
	TEXT("dotLanesAsm", NOSPLIT, "func(lane *[16]float32, a, b *float32, n int)")
	Pragma("noescape")
	Doc("dotLanesAsm sets lane i mod 16 to the sum of a[i]*b[i]; n is a multiple of 16, at least 16.")
	lane, a, b, n := pointer("lane"), pointer("a"), pointer("b"), pointer("n")
	low, high := YMM(), YMM()
	VXORPS(low, low, low)
	VXORPS(high, high, high)
	SHRQ(U8(4), n)
	loop("sixteen", n, func() {
		for i, sum := range []reg.VecVirtual{low, high} {
			v := YMM()
			VMOVUPS(at(a, 32*i), v)
			multiplyAdd(at(b, 32*i), v, sum)
		}
		ADDQ(U8(64), a)
		ADDQ(U8(64), b)
	})
	VMOVUPS(low, at(lane, 0))
	VMOVUPS(high, at(lane, 32))
	VZEROUPPER()
	RET()
}

// exp is the Go loop's exp32 in every lane.
func exp(x reg.VecVirtual) reg.VecVirtual {
	shifted, n, r, p := YMM(), YMM(), YMM(), YMM()
	VMULPS(float(1.44269504), x, shifted)
	VADDPS(float(12582912), shifted, shifted)
	VSUBPS(float(12582912), shifted, n)
	VMULPS(float(0.693359375), n, p)
	VSUBPS(p, x, r)
	VMULPS(float(-2.12194440e-4), n, p)
	VSUBPS(p, r, r)
	VMULPS(float(1.9875691e-4), r, p)
	for _, c := range []float32{1.3981999e-3, 8.3334519e-3, 4.1665796e-2, 1.6666665e-1} {
		VADDPS(float(c), p, p)
		VMULPS(r, p, p)
	}
	VADDPS(float(5.0000001e-1), p, p)
	VMULPS(r, p, p)
	VMULPS(r, p, p)
	VADDPS(r, p, p)
	VADDPS(float(1), p, p)
	whole, half := YMM(), YMM()
	VCVTTPS2DQ(n, whole)
	VPSRLD(U8(31), whole, half) // one where n is negative: the division rounds towards zero
	VPADDD(whole, half, half)
	VPSRAD(U8(1), half, half)
	VPSUBD(half, whole, whole)
	for _, e := range []reg.VecVirtual{half, whole} {
		VPADDD(word(127), e, e)
		VPSLLD(U8(23), e, e)
		VMULPS(e, p, p)
	}
	mask := YMM()
	const less, greater, unordered = 17, 30, 3
	VCMPPS(U8(less), float(-87.33654), x, mask)
	VANDNPS(p, mask, p)
	VCMPPS(U8(greater), float(88.72283), x, mask)
	VBLENDVPS(mask, float(float32(math.Inf(1))), p, p)
	VCMPPS(U8(unordered), x, x, mask)
	VBLENDVPS(mask, x, p, p)
	return p
}

func expLanes() {
	TEXT("expLanesAsm", NOSPLIT, "func(lane *[16]float32, x *float32, max float32, n int)")
	Pragma("noescape")
	Doc("expLanesAsm replaces x[i] by e^(x[i]-max) and sets lane i mod 16 to their sum; n is a multiple of 16, at least 16.")
	lane, x, n := pointer("lane"), pointer("x"), pointer("n")
	top := YMM()
	VBROADCASTSS(NewParamAddr("max", 16), top)
	low, high := YMM(), YMM()
	VXORPS(low, low, low)
	VXORPS(high, high, high)
	SHRQ(U8(4), n)
	loop("sixteen", n, func() {
		for i, sum := range []reg.VecVirtual{low, high} {
			v := YMM()
			VMOVUPS(at(x, 32*i), v)
			VSUBPS(top, v, v)
			e := exp(v)
			VMOVUPS(e, at(x, 32*i))
			VADDPS(e, sum, sum)
		}
		ADDQ(U8(64), x)
	})
	VMOVUPS(low, at(lane, 0))
	VMOVUPS(high, at(lane, 32))
	VZEROUPPER()
	RET()
}

// array is a pointer to elements of so many bytes.
type array struct {
	at   reg.GPVirtual
	size int
}

// eights emits body for every eight elements of the arrays, which body finds advanced by what was done.
func eights(n reg.GPVirtual, body func(), arrays ...array) {
	SHRQ(U8(3), n)
	loop("eight", n, func() {
		body()
		for _, p := range arrays {
			ADDQ(U8(8*p.size), p.at)
		}
	})
	VZEROUPPER()
	RET()
}

func swiglu() {
	TEXT("swigluAsm", NOSPLIT, "func(gate, up *float32, n int)")
	Pragma("noescape")
	Doc("swigluAsm replaces gate by gate/(1+e^-gate)*up; n is a multiple of 8, at least 8.")
	gate, up, n := pointer("gate"), pointer("up"), pointer("n")
	eights(n, func() {
		g, minus := YMM(), YMM()
		VMOVUPS(at(gate, 0), g)
		VXORPS(word(1<<31), g, minus)
		e := exp(minus)
		VADDPS(float(1), e, e)
		VDIVPS(e, g, g)
		VMULPS(at(up, 0), g, g)
		VMOVUPS(g, at(gate, 0))
	}, array{gate, 4}, array{up, 4})
}

func scaleBy() {
	TEXT("scaleByAsm", NOSPLIT, "func(dst, x, weight *float32, n int, scale float32)")
	Pragma("noescape")
	Doc("scaleByAsm writes x*scale*weight to dst; n is a multiple of 8, at least 8.")
	dst, x, weight, n := pointer("dst"), pointer("x"), pointer("weight"), pointer("n")
	scale := YMM()
	VBROADCASTSS(NewParamAddr("scale", 32), scale)
	eights(n, func() {
		v := YMM()
		VMULPS(at(x, 0), scale, v)
		VMULPS(at(weight, 0), v, v)
		VMOVUPS(v, at(dst, 0))
	}, array{dst, 4}, array{x, 4}, array{weight, 4})
}

func widen() {
	TEXT("widenAsm", NOSPLIT, "func(dst *float32, src *uint16, n int)")
	Pragma("noescape")
	Doc("widenAsm widens half-precision numbers; n is a multiple of 8, at least 8.")
	dst, src, n := pointer("dst"), pointer("src"), pointer("n")
	eights(n, func() {
		v := YMM()
		VCVTPH2PS(at(src, 0), v)
		VMOVUPS(v, at(dst, 0))
	}, array{dst, 4}, array{src, 2})
}

func widenBrain() {
	TEXT("widenBrainAsm", NOSPLIT, "func(dst *float32, src *uint16, n int)")
	Pragma("noescape")
	Doc("widenBrainAsm widens bfloat16 numbers; n is a multiple of 8, at least 8.")
	dst, src, n := pointer("dst"), pointer("src"), pointer("n")
	eights(n, func() {
		v := YMM()
		VPMOVZXWD(at(src, 0), v)
		VPSLLD(U8(16), v, v)
		VMOVUPS(v, at(dst, 0))
	}, array{dst, 4}, array{src, 2})
}

func narrow() {
	TEXT("narrowAsm", NOSPLIT, "func(dst *uint16, src *float32, n int)")
	Pragma("noescape")
	Doc("narrowAsm rounds to half precision, ties to even; n is a multiple of 8, at least 8.")
	dst, src, n := pointer("dst"), pointer("src"), pointer("n")
	eights(n, func() {
		v := YMM()
		VMOVUPS(at(src, 0), v)
		VCVTPS2PH(U8(0), v, at(dst, 0))
	}, array{dst, 2}, array{src, 4})
}
