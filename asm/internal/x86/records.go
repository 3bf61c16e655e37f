package x86

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Bits of float32 numbers, as unsigned integers in the same order as the numbers.
const (
	infinite = 0x7f800000 // infinities and NaNs are at least this
	notANum  = 0x7fc00000
)

// tiny is the magnitude below which a block counts as zero.
var tiny = math.Float32bits(1e-36)

// Records emits the kernels that quantise one row of activations into the records that panels meet. The scale is the
// largest magnitude over 127; a block with a NaN or an infinity gets a NaN as its scale, a tiny one zero.
func Records() {
	record("record32Asm", 32, record32)
	record("record256Asm", 256, record256)
}

// record emits the quantiser of blocks of n.
func record(name string, n, size int) {
	TEXT(name, NOSPLIT, "func(dst *byte, x *float32, blocks, stride int)")
	Pragma("noescape")
	Doc(name + " writes a record for each block; records are stride bytes apart.")
	dst, x, blocks, stride := pointer("dst"), pointer("x"), pointer("blocks"), pointer("stride")
	Label("block")
	most := magnitude(x, n)
	scale, factor := XMM(), YMM()
	CMPL(most, U32(infinite))
	JAE(LabelRef("broken"))
	CMPL(most, U32(tiny))
	JB(LabelRef("zero"))
	amax, full := XMM(), XMM()
	VMOVD(most, amax)
	VMOVSS(float(127), full)
	VDIVSS(full, amax, scale)
	VDIVSS(amax, full, full)
	VBROADCASTSS(full, factor)
	if n == 32 {
		quantise32(dst, x, scale, factor)
	} else {
		quantise256(dst, x, scale, factor)
	}
	Label("next")
	ADDQ(U32(uint32(4*n)), x)
	ADDQ(stride, dst)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()

	Label("broken")
	clearRecord(dst, size)
	for _, at32 := range marks(n) {
		MOVL(U32(notANum), at(dst, at32))
	}
	JMP(LabelRef("next"))
	Label("zero")
	clearRecord(dst, size)
	JMP(LabelRef("next"))
}

// marks are the float32 fields of a record.
func marks(n int) []int {
	if n == 32 {
		return []int{recScale, recSum}
	}
	return []int{recScale56}
}

func clearRecord(dst reg.GPVirtual, size int) {
	z := YMM()
	VPXOR(z, z, z)
	for i := 0; i+32 <= size; i += 32 {
		VMOVDQU(z, at(dst, i))
	}
	if size%32 != 0 {
		VMOVDQU(z.AsX(), at(dst, size-16))
	}
}

// magnitude is the bits of the largest |x| of n, a multiple of 32.
func magnitude(x reg.GPVirtual, n int) reg.GPVirtual {
	most, mask := YMM(), YMM()
	VPXOR(most, most, most)
	VMOVDQU(word(0x7fffffff), mask)
	for i := 0; i < n; i += 8 {
		v := YMM()
		VPAND(at(x, 4*i), mask, v)
		VPMAXUD(v, most, most)
	}
	a, b := XMM(), XMM()
	VEXTRACTI128(U8(1), most, a)
	VPMAXUD(most.AsX(), a, a)
	VPSHUFD(U8(0b1110), a, b)
	VPMAXUD(b, a, a)
	VPSHUFD(U8(1), a, b)
	VPMAXUD(b, a, a)
	bits := GP32()
	VMOVD(a, bits)
	return bits
}

// quantisePart rounds 32 activations, stores them as bytes and returns the sums of its two halves: each lane of a
// register has a part of one.
func quantisePart(dst Mem, x reg.GPVirtual, disp int, factor reg.VecVirtual) (first, second reg.VecVirtual) {
	var q [4]reg.VecVirtual
	for i := range q {
		q[i] = YMM()
		VMULPS(at(x, disp+32*i), factor, q[i])
		VCVTPS2DQ(q[i], q[i])
	}
	first, second = YMM(), YMM()
	VPADDD(q[0], q[1], first)
	VPADDD(q[2], q[3], second)
	VPACKSSDW(q[1], q[0], q[0])
	VPACKSSDW(q[3], q[2], q[2])
	VPACKSSWB(q[2], q[0], q[0])
	order := YMM()
	VMOVDQU(interleaved(), order)
	VPERMD(q[0], order, q[0])
	VMOVDQU(q[0], dst)
	return first, second
}

// interleaved undoes what packing within halves of a register does to the order of dwords.
func interleaved() Mem {
	if m, ok := tables["interleaved"]; ok {
		return m
	}
	m := GLOBL("interleaved", RODATA|NOPTR)
	for i, v := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
		DATA(4*i, U32(v))
	}
	tables["interleaved"] = m
	return m
}

// negatedSums are minus the sums of all lanes of first and second, in the two lowest dwords.
func negatedSums(first, second reg.VecVirtual) reg.VecVirtual {
	VPHADDD(second, first, first)
	VPHADDD(first, first, first)
	high, sums := XMM(), XMM()
	VEXTRACTI128(U8(1), first, high)
	VPADDD(first.AsX(), high, high)
	VPXOR(sums, sums, sums)
	VPSUBD(high, sums, sums)
	return sums
}

func quantise32(dst, x reg.GPVirtual, scale, factor reg.VecVirtual) {
	first, second := quantisePart(at(dst, 0), x, 0, factor)
	neg := negatedSums(first, second)
	VPHADDD(neg, neg, neg)
	less := XMM()
	VPSLLD(U8(3), neg, less)
	VMOVD(less, at(dst, recLess8))
	VPSLLD(U8(7), neg, less)
	VMOVD(less, at(dst, recLess128))
	zero, sum := XMM(), XMM()
	VPXOR(zero, zero, zero)
	VPSUBD(neg, zero, neg)
	VCVTDQ2PS(neg, sum)
	VMULSS(scale, sum, sum)
	VMOVSS(scale, at(dst, recScale))
	VMOVSS(sum, at(dst, recSum))
}

func quantise256(dst, x reg.GPVirtual, scale, factor reg.VecVirtual) {
	for part := range 8 {
		first, second := quantisePart(at(dst, 32*part), x, 128*part, factor)
		neg := negatedSums(first, second)
		both := XMM()
		VPHADDD(neg, neg, both)
		VPACKSSDW(neg, neg, neg)
		VMOVD(neg, at(dst, recSums16+4*part))
		VPEXTRW(U8(0), both, at(dst, recSums32+2*part))
	}
	VMOVSS(scale, at(dst, recScale56))
}
