package x86

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// avx2 needs AVX2, FMA and F16C: a vector is eight rows of a panel. VPMADDUBSW adds two products of bytes in 16 bits
// and saturates there, so sums stay in 16 bits only as long as the largest weight allows it.
type avx2 struct {
	name      string
	constants map[byte]Mem
	words     map[int]Mem
	halves    map[string]Mem // where hold keeps a format's weights
}

// AVX2 is the instruction set of Haswell and Zen.
func AVX2() machine { return newAVX2("AVX2") }

func newAVX2(name string) *avx2 {
	return &avx2{name: name, constants: map[byte]Mem{}, words: map[int]Mem{}, halves: map[string]Mem{}}
}

func (a *avx2) suffix() string                    { return a.name }
func (*avx2) lanes() int                          { return 8 }
func (*avx2) vec() reg.VecVirtual                 { return YMM() }
func (*avx2) load(m Mem, dst reg.VecVirtual)      { VMOVDQU(m, dst) }
func (*avx2) store(src reg.VecVirtual, m Mem)     { VMOVDQU(src, m) }
func (*avx2) and(a Op, b, dst reg.VecVirtual)     { VPAND(a, b, dst) }
func (*avx2) xor(a Op, b, dst reg.VecVirtual)     { VPXOR(a, b, dst) }
func (*avx2) zero(dst reg.VecVirtual)             { cleared(x86.VPXOR(dst, dst, dst)) }
func (*avx2) tile() (rows, columns int)           { return 2, 3 }
func (*avx2) broadcast(m Mem, dst reg.VecVirtual) { VPBROADCASTD(m, dst) }

func (*avx2) four(sum []reg.VecVirtual) reg.VecVirtual {
	four := XMM()
	VADDPS(sum[1], sum[0], sum[0])
	VEXTRACTF128(U8(1), sum[0], four)
	VADDPS(four, sum[0].AsX(), four)
	return four
}

func (a *avx2) merge(bits reg.VecVirtual, mask byte, v reg.VecVirtual) {
	masked := YMM()
	a.and(a.bytes(mask), bits, masked)
	VPOR(masked, v, v)
}

func (a *avx2) bytes(b byte) Op {
	if _, ok := a.constants[b]; !ok {
		a.constants[b] = constant(a.suffix(), b, 32)
	}
	return a.constants[b]
}

// constant is read-only data of n bytes b.
func constant(suffix string, b byte, n int) Mem {
	m := GLOBL(fmt.Sprintf("bytes%02x_%s", b, suffix), RODATA|NOPTR)
	for i := 0; i < n; i += 4 {
		DATA(i, U32(uint32(b)*0x01010101))
	}
	return m
}

// word is the multiplier of words by v; by one, it only adds the two words of a lane.
func (a *avx2) word(v int) Mem {
	if _, ok := a.words[v]; !ok {
		a.words[v] = GLOBL(fmt.Sprintf("words%d_%s", v, a.name), RODATA|NOPTR)
		for i := 0; i < 32; i += 4 {
			DATA(i, U32(v*0x00010001))
		}
	}
	return a.words[v]
}

// products multiplies the four bytes of each lane of w[g] by the four at x+4g, as 16-bit sums of two, and adds as many
// groups as 16 bits hold.
func (a *avx2) products(w []reg.VecVirtual, top int, x Mem) []reg.VecVirtual {
	const word, activation = 32767, 127
	fit := word / (2 * top * activation)
	var sums []reg.VecVirtual
	for g, v := range w {
		p := YMM()
		VPBROADCASTD(x.Offset(4*g), p)
		VPMADDUBSW(p, v, p)
		if g%fit == 0 {
			sums = append(sums, p)
			continue
		}
		VPADDW(p, sums[len(sums)-1], sums[len(sums)-1])
	}
	return sums
}

// columns is two: there are only sixteen registers.
func (*avx2) columns() int { return 2 }

// holds says that a format's weights are of all 256 values.
func (*avx2) holds(p panel) bool { return p.wide }

// hold keeps the two halves of weights of all values on the stack.
func (a *avx2) hold(p panel, w []reg.VecVirtual) {
	if _, ok := a.halves[p.name]; !ok {
		const line = 64
		base := GP64()
		LEAQ(AllocLocal(64*len(w)+line).Offset(line), base)
		ANDQ(I8(-line), base)
		a.halves[p.name] = at(base, 0)
	}
	for g, v := range w {
		low := YMM()
		a.and(a.bytes(0x0f), v, low)
		VPSRLW(U8(4), v, v)
		a.and(a.bytes(0x0f), v, v)
		a.store(low, a.halves[p.name].Offset(64*g))
		a.store(v, a.halves[p.name].Offset(64*g+32))
	}
}

func (a *avx2) dot32(p panel, w []reg.VecVirtual, x []Mem) []reg.VecVirtual {
	if w == nil {
		return a.heldDot(p, x)
	}
	var sums []reg.VecVirtual
	for _, x := range x {
		if p.wide {
			sums = append(sums, a.signedDot(w, x))
			continue
		}
		sum := begin32(a, p, x)
		for _, v := range a.products(w, p.top, x) {
			VPMADDWD(a.word(1), v, v)
			VPADDD(v, sum, sum)
		}
		sums = append(sums, sum)
	}
	return sums
}

func (a *avx2) subDot(w []reg.VecVirtual, top int, x []Mem, sub []reg.VecVirtual, sum []Mem) {
	per := len(w) / len(sub)
	for c, x := range x {
		var total reg.VecVirtual
		for i, s := range sub {
			for _, v := range a.products(w[i*per:(i+1)*per], top, x.Offset(4*i*per)) {
				VPMADDWD(s, v, v)
				if total == nil {
					VPADDD(sum[c], v, v)
					total = v
					continue
				}
				VPADDD(v, total, total)
			}
		}
		a.store(total, sum[c])
	}
}

func (a *avx2) dotWords(x Mem, w, sum reg.VecVirtual) {
	v := YMM()
	a.broadcast(x, v)
	VPMADDWD(v, w, v)
	VPADDD(v, sum, sum)
}

func (*avx2) multiplier(pairs reg.VecVirtual, odd bool, _, _ int) reg.VecVirtual {
	m, other := YMM(), YMM()
	if odd {
		VPSRLD(U8(16), pairs, other)
	} else {
		VPSLLD(U8(16), pairs, other)
	}
	blend := U8(0xaa) // words 1, 3, … from other
	if odd {
		blend = U8(0x55)
	}
	VPBLENDW(blend, other, pairs, m)
	return m
}

// signedDot is dot32 for weights of all values, which it uses up: |w| times x with the sign of w stays within 16 bits for
// two products.
func (a *avx2) signedDot(w []reg.VecVirtual, x Mem) reg.VecVirtual {
	var sum reg.VecVirtual
	for g, v := range w {
		xs := YMM()
		VPBROADCASTD(x.Offset(4*g), xs)
		a.xor(a.bytes(0x80), v, v)
		VPSIGNB(v, xs, xs)
		VPABSB(v, v)
		VPMADDUBSW(xs, v, v)
		VPMADDWD(a.word(1), v, v)
		if sum == nil {
			sum = v
			continue
		}
		VPADDD(v, sum, sum)
	}
	return sum
}

// heldDot is dot32 for what hold has kept. The sums of 32 lower or upper halves fit 16 bits, and only the two sums need
// widening.
func (a *avx2) heldDot(p panel, x []Mem) []reg.VecVirtual {
	const lowHalf, highHalf = 0, 1
	words := make([][2]reg.VecVirtual, len(x))
	for g := range 8 {
		var half [2]reg.VecVirtual
		for h := range half {
			half[h] = YMM()
			a.load(a.halves[p.name].Offset(64*g+32*h), half[h])
		}
		for i, x := range x {
			xs := YMM()
			VPBROADCASTD(x.Offset(4*g), xs)
			for h, w := range half {
				product := YMM()
				VPMADDUBSW(xs, w, product)
				if g == 0 {
					words[i][h] = product
					continue
				}
				VPADDW(product, words[i][h], words[i][h])
			}
		}
	}
	var sums []reg.VecVirtual
	for i, x := range x {
		sum := begin32(a, p, x)
		VPMADDWD(a.word(1), words[i][lowHalf], words[i][lowHalf])
		VPMADDWD(a.word(16), words[i][highHalf], words[i][highHalf])
		VPADDD(words[i][lowHalf], sum, sum)
		VPADDD(words[i][highHalf], sum, sum)
		sums = append(sums, sum)
	}
	return sums
}
