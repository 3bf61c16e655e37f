package x86

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// In blocks of 256 a weight meets its small scale before it meets activations: the product fits 16 bits, and its low
// byte, unsigned, and its high byte, signed, are weights of two planes. A block's integer sum is then the low plane's
// sum plus 256 times the high plane's, exactly as the Go loops have it.

// planeBytes is 256 weights of 16 rows, a byte each: four tiles.
const planeBytes = 256 * 16

// TileRows256 emits the kernels of the formats in blocks of 256.
func TileRows256(m machine) {
	for _, p := range panels256 {
		tileRows256(m, p)
	}
}

func tileRows256(m machine, p superPanel) {
	k := tileKernel{record: record256, inner: 64, sums: tileConfig + 2*planeBytes, planes: 2}
	k.begin("rows"+p.name+"AMX", fmt.Sprintf("rows%sAMX adds to acc [n][16] the products of a panel of blocks*%d bytes and n columns of activations [blocks][n][%d].",
		p.name, p.bytes(), record256))
	w, x := Load(Param("w"), GP64()).(reg.GPVirtual), Load(Param("x"), GP64()).(reg.GPVirtual)
	acc := Load(Param("acc"), GP64()).(reg.GPVirtual)
	blocks := AllocLocal(8)
	count := Load(Param("blocks"), GP64())
	MOVQ(count, blocks)
	Label("block")
	p.splitPlanes(m, w)

	fetch(at(w, ahead+p.subs()), p.bytes()-p.subs())
	scale, offset := m.vec(), m.vec()
	VCVTPH2PS(at(w, p.scales()), scale)
	var less []reg.VecVirtual
	if p.offset {
		VCVTPH2PS(at(w, p.scales()+32), offset)
		less = p.less(m, w, 0)
	}
	next := k.groups(x, acc, func() {
		k.clear()
		for step := range 4 {
			k.load(64 * step)
			for plane := range k.planes {
				weightTile(plane).load(scratch, tileConfig+plane*planeBytes+1024*step, lineLen)
				k.addDots(plane, plane == 1)
			}
		}
		k.store()
	}, func(x, sums, acc reg.GPVirtual) {
		sum := m.vec()
		VPSLLD(U8(8), at(sums, k.sums+tileSums), sum)
		VPADDD(at(sums, k.sums), sum, sum)
		fold256(m, p, sum, scale, offset, less, at(x, 0), at(acc, 0))
	})
	MOVQ(next, x)
	ADDQ(U32(uint32(p.bytes())), w)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	k.end()
}

// splitPlanes writes the low and the high bytes of a block's weights times their small scales to scratch.
func (p superPanel) splitPlanes(m machine, w reg.GPVirtual) {
	q, sub, out, turns := GP64(), GP64(), GP64(), GP64()
	MOVQ(w, q)
	LEAQ(at(w, p.subs()), sub)
	LEAQ(at(scratch, tileConfig), out)
	MOVQ(U32(4), turns)
	even := m.vec()
	m.broadcast(evenBytes(), even)
	loop("parts", turns, func() {
		for part := range 2 {
			scales := p.wordScales(m, sub, part)
			fetch(at(q, ahead+part*p.part), p.part)
			for g, v := range p.unpack(m, q, part*p.part, 0) {
				p.splitWeights(m, v, scales[g*len(scales)/8], even, at(out, 64*(8*part+g)))
			}
		}
		ADDQ(U32(uint32(2*p.part)), q)
		ADDQ(U32(uint32(8*p.pairs())), sub)
		ADDQ(U32(1024), out)
	})
}

// evenBytes is a mask of every other byte, as the 32 bits of a lane.
func evenBytes() Mem {
	m, ok := tables["evenBytes_AMX"]
	if !ok {
		m = GLOBL("evenBytes_AMX", RODATA|NOPTR)
		DATA(0, U32(0x00ff00ff))
		tables["evenBytes_AMX"] = m
	}
	return m
}

// wordScale is a small scale in both words of a lane, and what the bias takes off a product.
type wordScale struct{ scale, bias reg.VecVirtual }

// wordScales are a part's small scales: one, or two where a part is two groups.
func (p superPanel) wordScales(m machine, sub reg.Register, part int) []wordScale {
	const lower, upper = 0xa0, 0xf5 // words 0, 0, 2, 2 and 1, 1, 3, 3
	pair := p.scalePair(m, sub, part, 0)
	words := []uint8{lower, upper}
	if p.group == 32 {
		words = words[part : part+1]
	}
	var all []wordScale
	for _, order := range words {
		s := wordScale{scale: m.vec()}
		VPSHUFLW(U8(order), pair, s.scale)
		VPSHUFHW(U8(order), s.scale, s.scale)
		if p.bias > 0 {
			s.bias = m.vec()
			VPSLLW(U8(bits.Len(uint(p.bias))-1), s.scale, s.bias)
		}
		all = append(all, s)
	}
	return all
}

// splitWeights stores the low bytes of a vector of weights times their small scales at out, the high bytes a plane
// further. The largest product is 63*31 in Q5_K, the smallest -32*127 in Q6_K.
func (p superPanel) splitWeights(m machine, codes reg.VecVirtual, s wordScale, even reg.VecVirtual, out Mem) {
	const choose = 0xd8 // of the first two operands by the third
	e, o, low, high := m.vec(), m.vec(), m.vec(), m.vec()
	VPANDD(even, codes, e)
	VPSRLW(U8(8), codes, o)
	for _, v := range []reg.VecVirtual{e, o} {
		VPMULLW(s.scale, v, v)
		if p.bias > 0 {
			VPSUBW(s.bias, v, v)
		}
	}
	VPSLLW(U8(8), o, low)
	VPTERNLOGD(U8(choose), even, e, low)
	VPSRLW(U8(8), e, high)
	VPTERNLOGD(U8(choose), even, high, o)
	m.store(low, out)
	m.store(o, out.Offset(planeBytes))
}
