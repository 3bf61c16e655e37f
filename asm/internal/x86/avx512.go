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

func (a *avx512) subDot(w []reg.VecVirtual, _ int, x Mem, sub []reg.VecVirtual) reg.VecVirtual {
	per := len(w) / len(sub)
	var sum reg.VecVirtual
	for i, s := range sub {
		part := ZMM()
		a.zero(part)
		for g := i * per; g < (i+1)*per; g++ {
			VPDPBUSD_BCST(x.Offset(4*g), w[g], part)
		}
		VPMULLD(s, part, part)
		if sum == nil {
			sum = part
			continue
		}
		VPADDD(part, sum, sum)
	}
	return sum
}

func (*avx512) multiplier(pairs reg.VecVirtual, odd bool) reg.VecVirtual {
	m := ZMM()
	if odd {
		VPSRAD(U8(16), pairs, m)
		return m
	}
	VPSLLD(U8(16), pairs, m)
	VPSRAD(U8(16), m, m)
	return m
}
