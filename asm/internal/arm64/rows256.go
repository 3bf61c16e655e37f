package arm64

import "fmt"

// The record of 256 activations: 256 signed bytes, the negated sums of every 16 and of every 32 as words, the scale.
const (
	record256 = 320
	sums16    = 256
	sums32    = 288
	scale256  = 304
)

// superPanel is a format's block of 16 rows x 256 weights: eight parts of 32 weights that unpack reads, then for each
// pair of groups the small scales [16 rows][2], for formats with an offset the small offsets likewise, the scales of the
// rows in half precision, and their offsets. A bias is unpack's business.
type superPanel struct {
	name   string
	part   int  // bytes of 32 weights
	group  int  // weights with one small scale: 16 or 32
	offset bool // weight = scale*sub*q - offset*less
	top    int  // the largest |q|
	packed bool // sub in the low and less in the high halves of the same bytes
	unpack unpack
}

var panels256 = []superPanel{
	{name: "Q2_K", part: 128, group: 16, offset: true, packed: true, top: 3, unpack: twos},
	{name: "Q3_K", part: 192, group: 16, top: 4, unpack: threes},
	{name: "Q4_K", part: 256, group: 32, offset: true, top: 15, unpack: nibbles},
	{name: "Q5_K", part: 320, group: 32, offset: true, top: 31, unpack: five},
	{name: "Q6_K", part: 384, group: 16, top: 32, unpack: sixes},
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

// pointers are the registers of a kernel; sums are the float32 sums [n][16], ints behind them the integers of a block.
type pointers struct{ sums, ints, w, x, n R }

// rows256 emits the kernels of the formats in blocks of 256.
func rows256(a *Asm, m machine) {
	for _, p := range panels256 {
		p.emit(a, m)
	}
}

func (p superPanel) emit(a *Asm, m machine) {
	doc := fmt.Sprintf(rowsDoc[:len(rowsDoc)-1]+"; behind acc there is room for as many integers.", p.bytes(), record256)
	a.Func("rows"+p.name+m.suffix(), rowsParams, doc)
	r := pointers{sums: a.Param("acc"), w: a.Param("w"), x: a.Param("x"), n: a.Param("n")}
	blocks := a.Param("blocks")
	r.ints = a.Reg()
	count := newCounter(a, m, 0)
	a.Op("ADD", r.n.String()+"<<6", r.sums, r.ints)
	a.Loop("block", blocks, func() {
		a.Scope(func() { clearInts(a, r) })
		a.Scope(func() { p.parts(a, m, r, count) })
		p.finish(a, m, r)
		a.Op("ADD", p.bytes(), r.w)
	})
	a.Return()
}

// clearInts stores from general registers: a vector takes its turn among the multiplications.
func clearInts(a *Asm, r pointers) {
	ints, count := a.Copy(r.ints), a.Copy(r.n)
	a.Loop("clear", count, func() {
		for disp := 0; disp < 64; disp += 16 {
			a.Op("STP", "(ZR, ZR)", at(ints, disp))
		}
		a.Op("ADD", 64, ints)
	})
}

// parts adds to the integers Σ sub * (q·x), two parts of 32 weights in each turn.
func (p superPanel) parts(a *Asm, m machine, r pointers, count counter) {
	q, x, turns, sub := a.Copy(r.w), a.Copy(r.x), a.Reg(), a.Reg()
	a.Op("ADD", p.subs(), r.w, sub)
	a.Op("MOVD", 4, turns)
	a.Loop("parts", turns, func() {
		for part := range 2 {
			for h := range 2 {
				a.Scope(func() {
					a.Op("PRFM", at(q, 4096+part*p.part+h*128), "PLDL1KEEP")
					multipliers := p.multipliers(a, sub, part, h)
					groups := p.unpack(a, q, part*p.part, h)
					m.arrange(a, groups, 0)
					walkers := []walker{{a.Copy(x), record256}, {a.Copy(r.ints), 64}}
					eachColumn(a, m.columns(), "part", r.n, walkers, func(columns [][]R) {
						p.multiply(a, m, product{groups: groups, top: p.top, count: count}, multipliers, columns, 32*part, 32*h)
					})
				})
			}
		}
		a.Op("ADD", 2*p.part, q)
		a.Op("ADD", 8*p.pairs(), sub)
		a.Op("ADD", 64, x)
	})
}

// multiply adds one part's share for some columns. Each has a record, of which 32 activations begin at from, and 16
// integers, of which 8 begin at to.
func (p superPanel) multiply(a *Asm, m machine, all product, multipliers [][2]V, columns [][]R, from, to int) {
	each := len(all.groups) / len(multipliers)
	var total [][2]V
	for i, sub := range multipliers {
		product := all
		product.groups = all.groups[i*each : (i+1)*each]
		for _, c := range columns {
			x := a.Vecs(each / 4)
			for j, v := range x {
				a.Load(at(c[0], from+16*(i+j)), v)
			}
			product.x = append(product.x, x)
		}
		sums := m.dot(a, product)
		if i == 0 {
			total = ints(a, columns, to)
		}
		for c := range columns {
			for q := range 2 {
				a.Mla(total[c][q], sums[c][q], sub[q])
			}
			a.Free(sums[c][0], sums[c][1])
		}
	}
	for i, c := range columns {
		a.StorePair(total[i][0], total[i][1], at(c[1], to))
	}
}

// ints loads eight integers of each column.
func ints(a *Asm, columns [][]R, disp int) [][2]V {
	all := make([][2]V, len(columns))
	for i, c := range columns {
		all[i] = [2]V{a.Vec(), a.Vec()}
		a.LoadPair(at(c[1], disp), all[i][0], all[i][1])
	}
	return all
}

// multipliers are a part's small scales of eight rows: one, or two where a part is two groups.
func (p superPanel) multipliers(a *Asm, sub R, part, h int) [][2]V {
	wide := func(odd bool) [2]V {
		w := [2]V{a.Vec(), a.Vec()}
		disp := 16 * h
		if p.group == 16 {
			disp += 32 * part
		}
		a.Load(at(sub, disp), w[0])
		if p.packed {
			a.Scope(func() { a.op3("VAND", "B16", w[0], w[0], mask(a, 0x0f)) })
		}
		word(a, w[0], odd)
		a.Sxtl2(w[1], w[0])
		a.Sxtl(w[0], w[0])
		return w
	}
	if p.group == 32 {
		return [][2]V{wide(part == 1)}
	}
	return [][2]V{wide(false), wide(true)}
}

// word widens the even or odd ones of sixteen signed bytes to words.
func word(a *Asm, v V, odd bool) {
	if !odd {
		a.shift("VSHL", "H8", v, v, 8)
	}
	a.Sshr(16, v, v, 8)
}

// finish adds float32(integers) * (scale*xscale), then float32(Σ less * -sum) * (offset*xscale).
func (p superPanel) finish(a *Asm, m machine, r pointers) {
	end := a.Reg()
	for h := range 2 {
		a.Scope(func() {
			x, count := a.Vecs(2), groupCounter(a, m) // x among the registers that a word by lane can be in
			scale, offset, less := p.headers(a, count, r.w, h)
			a.Op("MOVD", r.x, end)
			walkers := []walker{{end, record256}, {a.Copy(r.ints), 64}, {a.Copy(r.sums), 64}}
			eachColumn(a, 1, "finish", r.n, walkers, func(columns [][]R) {
				record, n, acc := columns[0][0], at(columns[0][1], 32*h), at(columns[0][2], 32*h)
				t := [2]V{a.Vec(), a.Vec()}
				a.LoadPair(n, t[0], t[1])
				p.fold(a, count, record, acc, t, scale, offset, less, x)
			})
		})
	}
	a.Op("MOVD", end, r.x)
}

// headers loads the scales and offsets of eight rows, and their small offsets.
func (p superPanel) headers(a *Asm, count counter, w R, h int) (scale, offset [2]V, less []V) {
	scale = halves(a, w, p.scales()+16*h)
	if p.offset {
		offset, less = halves(a, w, p.scales()+32+16*h), p.less(a, count, w, h)
	}
	return scale, offset, less
}

// fold adds a block's share to the eight sums at acc. It spoils the integers t; x are two registers for group sums.
func (p superPanel) fold(a *Asm, count counter, record R, acc string, t, scale, offset [2]V, less, x []V) {
	d, sums := a.Vec(), [2]V{a.Vec(), a.Vec()}
	a.LoadWord(at(record, scale256), d)
	a.LoadPair(acc, sums[0], sums[1])
	addScaled(a, counter{}, sums, t, scale, d)
	if p.offset {
		p.groupSums(a, count, less, record, x, t)
		addScaled(a, count, sums, t, offset, d)
	}
	a.StorePair(sums[0], sums[1], acc)
}

// addScaled adds float32(n) * (scale*d) to sums; it spoils n.
func addScaled(a *Asm, count counter, sums, n, scale [2]V, d V) {
	a.Scope(func() {
		s := a.Vec()
		for q := range 2 {
			count.float(a, n[q])
			a.FmulLane(s, scale[q], d, 0)
			a.Fmul(n[q], n[q], s)
			a.Fadd(sums[q], sums[q], n[q])
		}
	})
}
