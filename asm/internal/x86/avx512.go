package x86

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// avx512 needs F, BW, VL and VNNI: a vector is all 16 rows of a panel, and VPDPBUSD multiplies and adds four bytes.
type avx512 struct {
	name      string
	constants map[byte]Mem
}

// AVX512 is the instruction set of Ice Lake and Zen 4.
func AVX512() machine { return &avx512{"AVX512", map[byte]Mem{}} }

func (a *avx512) suffix() string                  { return a.name }
func (*avx512) lanes() int                        { return 16 }
func (*avx512) vec() reg.VecVirtual               { return ZMM() }
func (*avx512) load(m Mem, dst reg.VecVirtual)    { VMOVDQU32(m, dst) }
func (*avx512) store(src reg.VecVirtual, m Mem)   { VMOVDQU32(src, m) }
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

func (a *avx512) merge(bits reg.VecVirtual, mask byte, v reg.VecVirtual) {
	const orAnd = 0xf8 // by the bits of v, bits and mask: v | bits&mask
	VPTERNLOGD_BCST(U8(orAnd), a.bytes(mask).(Mem), bits, v)
}

func (a *avx512) bytes(b byte) Op {
	if _, ok := a.constants[b]; !ok {
		a.constants[b] = constant(a.suffix(), b, 4)
	}
	return a.constants[b]
}

func (*avx512) columns() int { return 8 }

func (*avx512) dotBytes(x Mem, w, sum reg.VecVirtual) { VPDPBUSD_BCST(x, w, sum) }
func (*avx512) addWords(a, b, sum reg.VecVirtual)     { VPDPWSSD(a, b, sum) }
func (*avx512) dotWords(x Mem, w, sum reg.VecVirtual) { VPDPWSSD_BCST(x, w, sum) }

func (a *avx512) dot32(p panel, w []reg.VecVirtual, x []Mem) []reg.VecVirtual {
	return vnniDot32(a, p, w, x)
}

func (a *avx512) subDot(w []reg.VecVirtual, top int, x []Mem, sub []reg.VecVirtual, sum []Mem) {
	vnniSubDot(a, w, top, x, sub, sum)
}

func (a *avx512) multiplier(pairs reg.VecVirtual, odd bool, top, groups int) reg.VecVirtual {
	return vnniMultiplier(a, pairs, odd, top, groups)
}
