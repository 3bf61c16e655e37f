package x86

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// productRows is how many rows of weights meet one column at a time: enough chains of additions to hide how long one
// takes.
const productRows = 4

// Products emits the products of float weights and float32 activations. Each pair of a row and a column has its sixteen
// lanes in registers of its own from the first weight to the last; multiply and add are two roundings, and lanes are
// added up as the Go loops do it.
func Products(m machine) {
	for _, f := range []storage{
		{"F32", 4, func(from Mem, dst reg.VecVirtual) { VMOVUPS(from, dst) }},
		{"F16", 2, func(from Mem, dst reg.VecVirtual) { VCVTPH2PS(from, dst) }},
		{"BF16", 2, func(from Mem, dst reg.VecVirtual) {
			VPMOVZXWD(from, dst)
			VPSLLD(U8(16), dst, dst)
		}},
	} {
		product(m, "product"+f.name, f, productRows, 1)
		if f.bytes == 4 {
			rows, columns := m.tile()
			product(m, "tile", f, rows, columns)
		}
	}
}

// storage is a format of single weights: how many bytes one takes, and how to load a vector of them as float32.
type storage struct {
	name  string
	bytes int
	load  func(from Mem, dst reg.VecVirtual)
}

// lines is up to four arrays that lie a stride apart.
type lines struct{ base, stride, triple reg.GPVirtual }

func newLines(base, stride string, n int) lines {
	l := lines{base: pointer(base), stride: pointer(stride)}
	if n > 3 {
		l.triple = GP64()
		LEAQ(Mem{Base: l.stride, Index: l.stride, Scale: 2}, l.triple)
	}
	return l
}

// at is the memory operand at a displacement in line i.
func (l lines) at(i, disp int) Mem {
	switch i {
	case 0:
		return at(l.base, disp)
	case 3:
		return Mem{Base: l.base, Index: l.triple, Scale: 1, Disp: disp}
	}
	return Mem{Base: l.base, Index: l.stride, Scale: uint8(i), Disp: disp}
}

func product(m machine, name string, f storage, rows, columns int) {
	TEXT(name+m.suffix(), NOSPLIT, "func(dst *float32, w *byte, x *float32, n, wStride, xStride, dstStride int)")
	Pragma("noescape")
	Doc(name + m.suffix() + " multiplies " + count(rows) + " rows of " + f.name + " weights by " + count(columns) +
		" of activations and writes dst [columns][rows]; n is a multiple of 16, at least 16, strides are in bytes.")
	w, x, n := newLines("w", "wStride", rows), newLines("x", "xStride", columns), pointer("n")
	ahead := reg.GPVirtual(nil)
	if columns == 1 { // weights that come from memory: the next rows are called while these are used
		ahead = GP64()
		LEAQ(Mem{Base: w.base, Index: w.stride, Scale: productRows}, ahead)
	}
	parts := 16 / m.lanes()
	sums := make([][][]reg.VecVirtual, columns)
	for c := range sums {
		for range rows {
			sums[c] = append(sums[c], many(m, parts, func(_ int, v reg.VecVirtual) { m.zero(v) }))
		}
	}
	SHRQ(U8(4), n)
	loop("sixteen", n, func() {
		for part := range parts {
			multiplyLanes(m, f, w, x, part, sums)
		}
		if ahead != nil {
			prefetch(ahead, rows*16*f.bytes)
		}
		ADDQ(U8(16*f.bytes), w.base)
		ADDQ(U8(64), x.base)
	})
	dst, stride := pointer("dst"), pointer("dstStride")
	for c, column := range sums {
		if c > 0 {
			ADDQ(stride, dst)
		}
		storeSums(m, column, dst)
	}
	VZEROUPPER()
	RET()
}

func count(n int) string { return []string{"no", "one", "two", "three", "four"}[n] }

// multiplyLanes adds to sums [columns][rows][parts] the products of one part of sixteen weights.
func multiplyLanes(m machine, f storage, w, x lines, part int, sums [][][]reg.VecVirtual) {
	weights := many(m, len(sums[0]), func(r int, v reg.VecVirtual) { f.load(w.at(r, part*m.lanes()*f.bytes), v) })
	for c, column := range sums {
		v := m.vec()
		VMOVUPS(x.at(c, part*m.lanes()*4), v)
		for r, sum := range column {
			p := m.vec()
			VMULPS(v, weights[r], p)
			VADDPS(p, sum[part], sum[part])
		}
	}
}

// prefetch calls bytes at p, which moves on behind them.
func prefetch(p reg.GPVirtual, bytes int) {
	for line := 0; line < bytes; line += 64 {
		PREFETCHT0(at(p, line))
	}
	ADDQ(U32(uint32(bytes)), p)
}

// storeSums adds up the sixteen lanes of two or four rows and stores the sums side by side. It keeps the order of the Go
// loops: lane j+8 to lane j, then j+4, j+2 and j+1.
func storeSums(m machine, rows [][]reg.VecVirtual, dst reg.GPVirtual) {
	pair := func(a, b []reg.VecVirtual) reg.VecVirtual {
		x, y, low, high := m.four(a), m.four(b), XMM(), XMM()
		VUNPCKLPD(y, x, low)
		VUNPCKHPD(y, x, high)
		VADDPS(high, low, low)
		return low
	}
	first := pair(rows[0], rows[1])
	last := first
	if len(rows) == 4 {
		last = pair(rows[2], rows[3])
	}
	even, odd := XMM(), XMM()
	VSHUFPS(U8(0b10_00_10_00), last, first, even)
	VSHUFPS(U8(0b11_01_11_01), last, first, odd)
	VADDPS(odd, even, even)
	if len(rows) == 4 {
		VMOVUPS(even, at(dst, 0))
	} else {
		VMOVLPS(even, at(dst, 0))
	}
}
