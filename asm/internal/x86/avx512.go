package x86

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
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
func (*avx512) zero(d reg.VecVirtual)             { cleared(x86.VPXORD(d, d, d)) }
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

func (*avx512) columns() int { return 8 }

func (*avx512) hold(_ panel, w []reg.VecVirtual) []reg.VecVirtual { return w }

func (a *avx512) dot32(p panel, w []reg.VecVirtual, x []Mem) []reg.VecVirtual {
	var sums []reg.VecVirtual
	for _, x := range x {
		sums = append(sums, begin32(a, p, x))
	}
	for g, v := range w {
		for i, sum := range sums {
			VPDPBUSD_BCST(x[i].Offset(4*g), v, sum)
		}
	}
	return sums
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
func (a *avx512) subDot(w []reg.VecVirtual, top int, x []Mem, sub []reg.VecVirtual, sum []Mem) {
	var sums []reg.VecVirtual
	for _, m := range sum {
		v := ZMM()
		a.load(m, v)
		sums = append(sums, v)
	}
	per := len(w) / len(sub)
	words := inWords(top, per)
	chain := per
	if words > 0 {
		chain = words
	}
	for first := 0; first < len(w); first += chain {
		small := sub[first/per]
		for i, part := range a.chains(w[first:first+chain], x, first) {
			if words > 0 {
				VPDPWSSD(small, part, sums[i])
				continue
			}
			VPMULLD(small, part, part)
			VPADDD(part, sums[i], sums[i])
		}
	}
	for i, m := range sum {
		a.store(sums[i], m)
	}
}

// chains multiplies w, which begins with that group, and each column.
func (a *avx512) chains(w []reg.VecVirtual, x []Mem, first int) []reg.VecVirtual {
	var parts []reg.VecVirtual
	for range x {
		part := ZMM()
		a.zero(part)
		parts = append(parts, part)
	}
	for g, v := range w {
		for i, part := range parts {
			VPDPBUSD_BCST(x[i].Offset(4*(first+g)), v, part)
		}
	}
	return parts
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
