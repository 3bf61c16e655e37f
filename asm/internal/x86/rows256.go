package x86

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The record of 256 activations that rows256 kernels read: 256 signed bytes, the negated sums of every 16 and of every
// 32 as words, the scale.
const (
	record256  = 320
	recSums16  = 256
	recSums32  = 288
	recScale56 = 304
)

// superPanel is a format's block of 16 rows x 256 weights: eight parts of 32 weights that unpack reads, then for each
// pair of groups the small scales [16 rows][2], for formats with an offset the small offsets likewise, the scales of the
// rows in half precision, and their offsets.
type superPanel struct {
	name   string
	part   int  // bytes of 32 weights
	group  int  // weights with one small scale: 16 or 32
	offset bool // weight = scale*sub*q - offset*less
	bias   int  // weight = scale*sub*(q-bias)
	top    int  // the largest q
	packed bool // sub in the low and less in the high halves of the same bytes
	unpack func(m machine, w reg.Register, q, h int) []reg.VecVirtual
}

var panels256 = []superPanel{
	{name: "Q2_K", part: 128, group: 16, offset: true, packed: true, top: 3, unpack: unpackTwo},
	{name: "Q3_K", part: 192, group: 16, bias: 4, top: 7, unpack: unpackThree},
	{name: "Q4_K", part: 256, group: 32, offset: true, top: 15, unpack: unpackNibbles},
	{name: "Q5_K", part: 320, group: 32, offset: true, top: 31, unpack: unpackFive},
	{name: "Q6_K", part: 384, group: 16, bias: 32, top: 63, unpack: unpackSix},
}

func (p superPanel) pairs() int  { return 128 / p.group } // vectors of small scales
func (p superPanel) subs() int   { return 8 * p.part }
func (p superPanel) lesses() int { return p.subs() + 32*p.pairs() }
func (p superPanel) scales() int {
	if p.offset && !p.packed {
		return p.lesses() + 32*p.pairs()
	}
	return p.lesses()
}
func (p superPanel) bytes() int {
	if p.offset {
		return p.scales() + 64
	}
	return p.scales() + 32
}

// unpackTwo reads two vectors; bits 2t and 2t+1 of vector v are group 4v+t.
func unpackTwo(m machine, w reg.Register, q, h int) []reg.VecVirtual {
	var groups []reg.VecVirtual
	for v := range 2 {
		all := m.vec()
		m.load(at(w, q+64*v+half(m, h)), all)
		for t := range 4 {
			g := m.vec()
			if t == 0 {
				m.and(m.bytes(0x03), all, g)
			} else {
				VPSRLW(U8(2*t), all, g)
				m.and(m.bytes(0x03), g, g)
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// unpackThree is unpackTwo with a vector of third bits behind: bit g of each byte belongs to group g.
func unpackThree(m machine, w reg.Register, q, h int) []reg.VecVirtual {
	groups := unpackTwo(m, w, q, h)
	third := m.vec()
	m.load(at(w, q+128+half(m, h)), third)
	for g, v := range groups {
		bit := shifted(m, third, 2-g)
		m.merge(bit, 0x04, v)
	}
	return groups
}

// unpackSix is unpackNibbles with two vectors of upper bits behind: bits 2t and 2t+1 of vector v belong to group 4v+t.
func unpackSix(m machine, w reg.Register, q, h int) []reg.VecVirtual {
	groups := unpackNibbles(m, w, q, h)
	for v := range 2 {
		all := m.vec()
		m.load(at(w, q+256+64*v+half(m, h)), all)
		for t := range 4 {
			upper := shifted(m, all, 4-2*t)
			m.merge(upper, 0x30, groups[4*v+t])
		}
	}
	return groups
}

// shifted is v with its words shifted left by n, or right where n is negative; v itself where n is zero.
func shifted(m machine, v reg.VecVirtual, n int) reg.VecVirtual {
	if n == 0 {
		return v
	}
	s := m.vec()
	if n > 0 {
		VPSLLW(U8(n), v, s)
	} else {
		VPSRLW(U8(-n), v, s)
	}
	return s
}

// Rows256 emits the kernels of the formats in blocks of 256.
func Rows256(m machine) {
	for _, p := range panels256 {
		rows256(m, p)
	}
}

// pointers are the registers of a rows256 kernel.
type pointers struct{ acc, ints, w, x, n reg.GPVirtual }

func rows256(m machine, p superPanel) {
	TEXT("rows"+p.name+m.suffix(), NOSPLIT, "func(acc *float32, w, x *byte, blocks, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("rows%s%s adds to acc [n][16] the products of a panel of blocks*%d bytes and n columns of activations [blocks][n][%d]; behind acc there is room for as many integers, all zero.",
		p.name, m.suffix(), p.bytes(), record256))
	gp := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	r := pointers{acc: gp("acc"), w: gp("w"), x: gp("x"), n: gp("n")}
	blocks := gp("blocks")
	r.ints = GP64()
	MOVQ(r.n, r.ints)
	SHLQ(U8(6), r.ints)
	ADDQ(r.acc, r.ints)
	loop("block", blocks, func() {
		parts256(m, p, r)
		finish256(m, p, r)
		ADDQ(U32(uint32(p.bytes())), r.w)
	})
	VZEROUPPER()
	RET()
}

// columns emits body for n columns: their records of activations at x, and 16 entries each of some arrays.
func columns(m machine, name string, n reg.GPVirtual, x Mem, h int, arrays []reg.GPVirtual, body func(x []Mem, arrays [][]Mem)) reg.GPVirtual {
	xp := GP64()
	LEAQ(x, xp)
	walkers := []walker{{xp, record256}}
	for _, array := range arrays {
		a := GP64()
		MOVQ(array, a)
		walkers = append(walkers, walker{a, 64})
	}
	eachColumn(m, fmt.Sprintf("%s%d", name, h), n, walkers, func(columns []int) {
		var x []Mem
		entries := make([][]Mem, len(arrays))
		for _, c := range columns {
			x = append(x, at(xp, c*record256))
			for i, w := range walkers[1:] {
				entries[i] = append(entries[i], at(w.at, c*64+h*4*m.lanes()))
			}
		}
		body(x, entries)
	})
	return xp
}

// words loads the small numbers at disp as word pairs.
func (p superPanel) words(m machine, w reg.Register, disp, h int) []reg.VecVirtual {
	var all []reg.VecVirtual
	for i := range p.pairs() {
		all = append(all, p.wordPair(m, at(w, disp+32*i+2*m.lanes()*h)))
	}
	return all
}

// wordPair widens bytes, which are signed where they are not two halves.
func (p superPanel) wordPair(m machine, from Mem) reg.VecVirtual {
	v := m.vec()
	if p.packed {
		VPMOVZXBW(from, v)
	} else {
		VPMOVSXBW(from, v)
	}
	return v
}

// groupSums adds to total Σ over groups of a small number times the negated sum of the group's activations.
func groupSums(m machine, small []reg.VecVirtual, x Mem, p superPanel, total reg.VecVirtual) {
	sums := recSums16
	if p.group == 32 {
		sums = recSums32
	}
	for i, s := range small {
		m.dotWords(x.Offset(sums+4*i), s, total)
	}
}

// parts256 adds to the integers Σ sub * (q·x), two parts of 32 weights in each turn.
func parts256(m machine, p superPanel, r pointers) {
	q, sub, x, turns := GP64(), GP64(), GP64(), GP64()
	MOVQ(r.w, q)
	LEAQ(at(r.w, p.subs()), sub)
	MOVQ(r.x, x)
	MOVQ(U32(4), turns)
	loop("parts", turns, func() {
		for part := range 2 {
			fetch(at(q, ahead+part*p.part), p.part)
			for h := range 16 / m.lanes() {
				multipliers := p.multipliers(m, sub, part, h)
				groups := p.unpack(m, q, part*p.part, h)
				columns(m, fmt.Sprintf("part%d_", part), r.n, at(x, 32*part), h, []reg.GPVirtual{r.ints}, func(x []Mem, arrays [][]Mem) {
					m.subDot(groups, p.top, x, multipliers, arrays[0])
				})
			}
		}
		ADDQ(U32(uint32(2*p.part)), q)
		ADDQ(U32(uint32(8*p.pairs())), sub)
		ADDQ(U8(64), x)
	})
}

// multipliers are a part's small scales: one, or two where a part is two groups.
func (p superPanel) multipliers(m machine, sub reg.Register, part, h int) []reg.VecVirtual {
	pair := p.scalePair(m, sub, part, h)
	if p.group == 32 {
		return []reg.VecVirtual{m.multiplier(pair, part == 1, p.top, 8)}
	}
	return []reg.VecVirtual{m.multiplier(pair, false, p.top, 4), m.multiplier(pair, true, p.top, 4)}
}

// scalePair are the small scales of a part and, where a part is one group, of its neighbour, as word pairs.
func (p superPanel) scalePair(m machine, sub reg.Register, part, h int) reg.VecVirtual {
	disp := 0
	if p.group == 16 {
		disp = 32 * part
	}
	pair := p.wordPair(m, at(sub, disp+2*m.lanes()*h))
	if p.packed {
		m.and(m.bytes(0x0f), pair, pair)
	}
	return pair
}

// finish256 adds float32(integers) * (scale*xscale), then float32(Σ less * -sum) * (offset*xscale), and leaves zeros for
// the next block. In formats with a bias the integers lack bias * Σ sub * -sum.
func finish256(m machine, p superPanel, r pointers) {
	fetch(at(r.w, ahead+p.subs()), p.bytes()-p.subs())
	var next reg.GPVirtual
	zero := m.vec()
	m.zero(zero)
	for h := range 16 / m.lanes() {
		scale, offset := m.vec(), m.vec()
		VCVTPH2PS(at(r.w, p.scales()+2*m.lanes()*h), scale)
		var small []reg.VecVirtual
		if p.offset {
			VCVTPH2PS(at(r.w, p.scales()+32+2*m.lanes()*h), offset)
			small = p.less(m, r.w, h)
		} else {
			small = p.biases(m, r.w, h)
		}
		next = columns(m, "finish", r.n, at(r.x, 0), h, []reg.GPVirtual{r.ints, r.acc}, func(x []Mem, arrays [][]Mem) {
			for i, ints := range arrays[0] {
				sum := m.vec()
				m.load(ints, sum)
				m.store(zero, ints)
				if !p.offset {
					groupSums(m, small, x[i], p, sum)
				}
				fold256(m, p, sum, scale, offset, small, x[i], arrays[1][i])
			}
		})
	}
	MOVQ(next, r.x)
}

// fold256 adds a block's share for one column.
func fold256(m machine, p superPanel, sum, scale, offset reg.VecVirtual, less []reg.VecVirtual, x, acc Mem) {
	VCVTDQ2PS(sum, sum)
	d, v := m.vec(), m.vec()
	VBROADCASTSS(x.Offset(recScale56), d)
	VMULPS(scale, d, v)
	VMULPS(sum, v, v)
	VADDPS(acc, v, v)
	if p.offset {
		t := m.vec()
		m.zero(t)
		groupSums(m, less, x, p, t)
		VCVTDQ2PS(t, t)
		VMULPS(offset, d, d)
		VMULPS(t, d, d)
		VADDPS(d, v, v)
	}
	VMOVUPS(v, acc)
}

// biases loads the small scales times the bias.
func (p superPanel) biases(m machine, w reg.Register, h int) []reg.VecVirtual {
	all := p.words(m, w, p.subs(), h)
	for _, v := range all {
		VPSLLW(U8(bits.Len(uint(p.bias))-1), v, v)
	}
	return all
}

// less loads the small offsets.
func (p superPanel) less(m machine, w reg.Register, h int) []reg.VecVirtual {
	if !p.packed {
		return p.words(m, w, p.lesses(), h)
	}
	all := p.words(m, w, p.subs(), h)
	for _, v := range all {
		VPSRLW(U8(4), v, v)
		m.and(m.bytes(0x0f), v, v)
	}
	return all
}
