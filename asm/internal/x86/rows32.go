package x86

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The record of 32 activations that rows32 kernels read: 32 signed bytes, their scale, scale times their sum, and their
// sum times -8 and times -128, as integers.
const (
	record32   = 48
	recScale   = 32
	recSum     = 36
	recLess8   = 40
	recLess128 = 44
)

// panel is a format's block of 16 rows x 32 weights: the scales of the rows in half precision, their offsets where the
// format has them, and what unpack reads at q.
type panel struct {
	name   string
	bytes  int
	offset bool // weight = scale*q + offset
	bias   int  // weight = scale*(q-bias)
	top    int  // the largest q
	q      int
	wide   bool // products of two q are above what VPMADDUBSW's 16 bits take: see avx2.hold
	unpack func(m machine, w reg.Register, q, half int) []reg.VecVirtual
}

var panels32 = []panel{
	{name: "Q4_0", bytes: 288, bias: 8, top: 15, q: 32, unpack: unpackNibbles},
	{name: "Q4_1", bytes: 320, offset: true, top: 15, q: 64, unpack: unpackNibbles},
	{name: "Q5_0", bytes: 352, bias: 16, top: 31, q: 32, unpack: unpackFive},
	{name: "Q5_1", bytes: 384, offset: true, top: 31, q: 64, unpack: unpackFive},
	{name: "Q8_0", bytes: 544, bias: 128, top: 255, wide: true, q: 32, unpack: unpackBytes},
	{name: "IQ4_NL", bytes: 288, bias: 128, top: 255, wide: true, q: 32, unpack: unpackTable},
}

// half is the byte offset of a vector of rows within the 64 bytes that hold four weights of 16 rows.
func half(m machine, h int) int { return h * 4 * m.lanes() }

// unpackNibbles reads four vectors; each has group 2p in its low halves and group 2p+1 in its high ones.
func unpackNibbles(m machine, w reg.Register, q, h int) []reg.VecVirtual {
	var groups []reg.VecVirtual
	for p := range 4 {
		low, high := m.vec(), m.vec()
		m.load(at(w, q+64*p+half(m, h)), low)
		VPSRLW(U8(4), low, high)
		m.and(m.bytes(0x0f), low, low)
		m.and(m.bytes(0x0f), high, high)
		groups = append(groups, low, high)
	}
	return groups
}

// unpackFive is unpackNibbles with a vector of fifth bits behind them: bit g of each byte belongs to group g.
func unpackFive(m machine, w reg.Register, q, h int) []reg.VecVirtual {
	groups := unpackNibbles(m, w, q, h)
	fifth := m.vec()
	m.load(at(w, q+256+half(m, h)), fifth)
	for g, v := range groups {
		m.merge(shifted(m, fifth, 4-g), 0x10, v)
	}
	return groups
}

// unpackBytes reads eight vectors of weights plus 128.
func unpackBytes(m machine, w reg.Register, q, h int) []reg.VecVirtual {
	var groups []reg.VecVirtual
	for g := range 8 {
		v := m.vec()
		m.load(at(w, q+64*g+half(m, h)), v)
		groups = append(groups, v)
	}
	return groups
}

// unpackTable looks nibbles up among IQ4_NL's sixteen values plus 128.
func unpackTable(m machine, w reg.Register, q, h int) []reg.VecVirtual {
	groups := unpackNibbles(m, w, q, h)
	table := m.vec()
	loadTable(m, table)
	for _, v := range groups {
		VPSHUFB(v, table, v)
	}
	return groups
}

// tables are the constants already in the file, by name.
var tables = map[string]Mem{}

// loadTable loads IQ4_NL's values plus 128 into every 16 bytes of dst.
func loadTable(m machine, dst reg.VecVirtual) {
	name := "nonLinear_" + m.suffix()
	t, ok := tables[name]
	if !ok {
		t = GLOBL(name, RODATA|NOPTR)
		for i, v := range []int{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113} {
			DATA(i, U8(uint8(v+128)))
		}
		tables[name] = t
	}
	if m.lanes() == 16 {
		VBROADCASTI32X4(t, dst)
	} else {
		VBROADCASTI128(t, dst)
	}
}

// Rows32 emits the kernels of the formats in blocks of 32.
func Rows32(m machine) {
	for _, p := range panels32 {
		rows32(m, p)
	}
}

func rows32(m machine, p panel) {
	TEXT("rows"+p.name+m.suffix(), NOSPLIT, "func(acc *float32, w, x *byte, blocks, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("rows%s%s adds to acc [n][16] the products of a panel of blocks*%d bytes and n columns of activations [blocks][n][%d].",
		p.name, m.suffix(), p.bytes, record32))
	acc, w, x := Load(Param("acc"), GP64()), Load(Param("w"), GP64()), Load(Param("x"), GP64())
	blocks, n := Load(Param("blocks"), GP64()), Load(Param("n"), GP64())
	r := pointers{acc: acc.(reg.GPVirtual), w: w.(reg.GPVirtual), x: x.(reg.GPVirtual), n: n.(reg.GPVirtual)}
	loop("block", blocks.(reg.GPVirtual), func() {
		next := GP64()
		fetch(at(w, ahead), p.bytes)
		for h := range 16 / m.lanes() {
			half32(m, p, r, next, h)
		}
		MOVQ(next, x)
		ADDQ(U32(uint32(p.bytes)), w)
	})
	VZEROUPPER()
	RET()
}

// half32 meets the rows of vector h of a block with all columns; next ends behind their records.
func half32(m machine, p panel, r pointers, next reg.GPVirtual, h int) {
	scale := m.vec()
	VCVTPH2PS(at(r.w, h*2*m.lanes()), scale)
	var offset reg.VecVirtual
	if p.offset {
		offset = m.vec()
		VCVTPH2PS(at(r.w, 32+h*2*m.lanes()), offset)
	}
	groups := p.unpack(m, r.w, p.q, h)
	acc := GP64()
	MOVQ(r.acc, acc)
	MOVQ(r.x, next)
	body := func(columns []int) {
		var xs, accs []Mem
		for _, c := range columns {
			xs = append(xs, at(next, c*record32))
			accs = append(accs, at(acc, c*64+h*4*m.lanes()))
		}
		for i, sum := range m.dot32(p, groups, xs) {
			fold32(m, p, sum, scale, offset, xs[i], accs[i])
		}
	}
	walkers := []walker{{next, record32}, {acc, 64}}
	keeper, ok := m.(holder)
	if !ok || !keeper.holds(p) {
		eachColumn(m, fmt.Sprintf("column%d", h), r.n, walkers, body)
		return
	}
	many, done := fmt.Sprintf("hold%d", h), fmt.Sprintf("done%d", h)
	CMPQ(r.n, Imm(1))
	JNE(LabelRef(many))
	body([]int{0})
	ADDQ(Imm(record32), next)
	JMP(LabelRef(done))
	Label(many)
	keeper.hold(p, groups)
	groups = nil
	eachColumn(m, fmt.Sprintf("column%d", h), r.n, walkers, body)
	Label(done)
}

// fold32 adds one block's share for one column: float32(q·x) * (scale*xscale), then offset * xsum.
func fold32(m machine, p panel, sum, scale, offset reg.VecVirtual, x, acc Mem) {
	d := m.vec()
	VBROADCASTSS(x.Offset(recScale), d)
	VMULPS(scale, d, d)
	VCVTDQ2PS(sum, sum)
	VMULPS(sum, d, d)
	VADDPS(acc, d, d)
	if p.offset {
		s := m.vec()
		VBROADCASTSS(x.Offset(recSum), s)
		VMULPS(offset, s, s)
		VADDPS(s, d, d)
	}
	VMOVUPS(d, acc)
}

// begin32 is what sums of a column start with: what the bias takes off, or zero.
func begin32(m machine, p panel, x Mem) reg.VecVirtual {
	sum := m.vec()
	switch p.bias {
	case 0:
		m.zero(sum)
	case 128:
		m.broadcast(x.Offset(recLess128), sum)
	default:
		m.broadcast(x.Offset(recLess8), sum)
	}
	if p.bias == 16 {
		VPSLLD(U8(1), sum, sum)
	}
	return sum
}
