package x86

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx512 needs F, BW, VL and VNNI: a vector is all 16 rows of a panel, and VPDPBUSD multiplies and adds four bytes.
type avx512 struct{ constants map[byte]Mem }

// AVX512 is the instruction set of Ice Lake and Zen 4.
func AVX512() machine { return &avx512{constants: map[byte]Mem{}} }

func (*avx512) suffix() string                    { return "AVX512" }
func (*avx512) lanes() int                        { return 16 }
func (*avx512) vec() reg.VecVirtual               { return ZMM() }
func (*avx512) load(m Mem, dst reg.VecVirtual)    { VMOVDQU32(m, dst) }
func (*avx512) store(src reg.VecVirtual, m Mem)   { VMOVDQU32(src, m) }
func (*avx512) or(a, b, dst reg.VecVirtual)       { VPORD(a, b, dst) }
func (*avx512) zero(dst reg.VecVirtual)           { VPXORD(dst, dst, dst) }
func (*avx512) tile() (rows, columns int)         { return 4, 4 }
func (*avx512) broadcast(m Mem, d reg.VecVirtual) { VPBROADCASTD(m, d) }
func (*avx512) and(a Op, b, dst reg.VecVirtual) {
	if m, ok := a.(Mem); ok {
		VPANDD_BCST(m, b, dst)
		return
	}
	VPANDD(a, b, dst)
}
func (*avx512) xor(a Op, b, dst reg.VecVirtual) {
	if m, ok := a.(Mem); ok {
		VPXORD_BCST(m, b, dst)
		return
	}
	VPXORD(a, b, dst)
}

func (*avx512) four(sum []reg.VecVirtual) reg.VecVirtual {
	eight, four := YMM(), XMM()
	VEXTRACTF64X4(U8(1), sum[0], eight)
	VADDPS(eight, sum[0].AsY(), eight)
	VEXTRACTF32X4(U8(1), eight, four)
	VADDPS(four, eight.AsX(), four)
	return four
}

func (a *avx512) bytes(b byte) Op {
	if _, ok := a.constants[b]; !ok {
		a.constants[b] = constant(a.suffix(), b, 4)
	}
	return a.constants[b]
}

func (a *avx512) dot32(w []reg.VecVirtual, _ int, x Mem, init reg.VecVirtual) reg.VecVirtual {
	for g, v := range w {
		VPDPBUSD_BCST(x.Offset(4*g), v, init)
	}
	return init
}

// inWords is how many groups of four products may be summed in 16 bits, where multiplying words pays: two sums at most
// for the groups that share a small scale. It is 0 where it does not.
func inWords(top, groups int) int {
	if fit := 32767 / (4 * 127 * top); 2*fit >= groups {
		return min(fit, groups)
	}
	return 0
}

// subDot multiplies sums that fit 16 bits as words: their upper halves say no more than the sign, and meet zeros.
func (a *avx512) subDot(w []reg.VecVirtual, top int, x Mem, sub []reg.VecVirtual, init Mem) reg.VecVirtual {
	sum := ZMM()
	a.load(init, sum)
	per := len(w) / len(sub)
	words := inWords(top, per)
	for i, s := range sub {
		for g := i * per; g < (i+1)*per; {
			part, end := ZMM(), (i+1)*per
			if words > 0 {
				end = min(end, g+words)
			}
			a.zero(part)
			for ; g < end; g++ {
				VPDPBUSD_BCST(x.Offset(4*g), w[g], part)
			}
			if words > 0 {
				VPDPWSSD(s, part, sum)
				continue
			}
			VPMULLD(s, part, part)
			VPADDD(part, sum, sum)
		}
	}
	return sum
}

func (*avx512) dotWords(x Mem, w, sum reg.VecVirtual) { VPDPWSSD_BCST(x, w, sum) }

func (a *avx512) multiplier(pairs reg.VecVirtual, odd bool, top, groups int) reg.VecVirtual {
	m := ZMM()
	if !odd {
		VPSLLD(U8(16), pairs, m)
		pairs = m
	}
	if inWords(top, groups) > 0 {
		VPSRLD(U8(16), pairs, m)
	} else {
		VPSRAD(U8(16), pairs, m)
	}
	return m
}
