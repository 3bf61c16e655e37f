package x86

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// decodeNibbles emits the decoder of formats whose weights are looked up by half a byte: of 32 weights in 16 bytes the
// first sixteen are in the low halves. Product and sum are two roundings, as in the format's own decoder.
func decodeNibbles() {
	TEXT("decodeNibblesAsm", NOSPLIT, "func(dst *float32, src *byte, n, stride int, table *[16]int8, scale, offset *float32)")
	Pragma("noescape")
	Doc("decodeNibblesAsm writes scale[b]*table[q] + offset[b] for the 32 codes q of each of n blocks, whose 16 bytes lie stride bytes apart.")
	dst, src, n, stride := pointer("dst"), pointer("src"), pointer("n"), pointer("stride")
	table := XMM()
	VMOVDQU(at(pointer("table"), 0), table)
	scale, offset := pointer("scale"), pointer("offset")
	loop("block", n, func() {
		low, high, factor, term := XMM(), XMM(), YMM(), YMM()
		VMOVDQU(at(src, 0), low)
		VPSRLW(U8(4), low, high)
		VBROADCASTSS(at(scale, 0), factor)
		VBROADCASTSS(at(offset, 0), term)
		for i, codes := range []reg.VecVirtual{low, high} {
			VPAND(word(0x0f0f0f0f), codes, codes)
			VPSHUFB(codes, table, codes)
			writeBytes(codes, factor, term, dst, 64*i)
		}
		ADDQ(stride, src)
		ADDQ(U8(128), dst)
		ADDQ(U8(4), scale)
		ADDQ(U8(4), offset)
	})
	VZEROUPPER()
	RET()
}

// decodeBytes emits the decoder of formats whose weights are signed bytes.
func decodeBytes() {
	TEXT("decodeBytesAsm", NOSPLIT, "func(dst *float32, src *byte, n, stride int, scale, offset *float32)")
	Pragma("noescape")
	Doc("decodeBytesAsm writes scale[b]*q + offset[b] for the 32 signed bytes q of each of n blocks, which lie stride bytes apart.")
	dst, src, n, stride := pointer("dst"), pointer("src"), pointer("n"), pointer("stride")
	scale, offset := pointer("scale"), pointer("offset")
	loop("block", n, func() {
		factor, term := YMM(), YMM()
		VBROADCASTSS(at(scale, 0), factor)
		VBROADCASTSS(at(offset, 0), term)
		for i := range 2 {
			bytes := XMM()
			VMOVDQU(at(src, 16*i), bytes)
			writeBytes(bytes, factor, term, dst, 64*i)
		}
		ADDQ(stride, src)
		ADDQ(U8(128), dst)
		ADDQ(U8(4), scale)
		ADDQ(U8(4), offset)
	})
	VZEROUPPER()
	RET()
}

// writeBytes writes sixteen signed bytes as floats, each times factor plus term.
func writeBytes(bytes, factor, term reg.VecVirtual, dst reg.GPVirtual, disp int) {
	for half := range 2 {
		if half == 1 {
			VPSRLDQ(U8(8), bytes, bytes)
		}
		v := YMM()
		VPMOVSXBD(bytes, v)
		VCVTDQ2PS(v, v)
		VMULPS(factor, v, v)
		VADDPS(term, v, v)
		VMOVUPS(v, at(dst, disp+32*half))
	}
}
