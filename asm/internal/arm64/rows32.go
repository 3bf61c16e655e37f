package arm64

import "fmt"

// The record of 32 activations: 32 signed bytes, then a vector of their scale, scale times their sum, and their sum times
// -8 and times -128, as integers.
const (
	record32 = 48
	meta32   = 32

	metaScale, metaSum, metaLess8, metaLess128 = 0, 1, 2, 3 // lanes
)

// panel is a format's block of 16 rows x 32 weights: the scales of the rows in half precision, their offsets where the
// format has them, and what unpack reads at q.
type panel struct {
	name   string
	bytes  int
	offset bool // weight = scale*q + offset
	bias   int  // weight = scale*(q-bias)
	top    int  // the largest |q|
	q      int
	unpack unpack

	// What another way to unpack leaves is a multiple of the weights, for machines that have room for its sums.
	multiple unpack
	times    int
}

var panels32 = []panel{
	{name: "Q4_0", bytes: 288, top: 8, q: 32, unpack: signed, multiple: signed16, times: 16},
	{name: "Q4_1", bytes: 320, offset: true, top: 15, q: 64, unpack: nibbles},
	{name: "Q5_0", bytes: 352, bias: 16, top: 31, q: 32, unpack: five},
	{name: "Q5_1", bytes: 384, offset: true, top: 31, q: 64, unpack: five},
	{name: "Q8_0", bytes: 544, top: 128, q: 32, unpack: eights},
	{name: "IQ4_NL", bytes: 288, top: 127, q: 32, unpack: table},
}

const (
	rowsParams = "acc *float32, w *byte, x *byte, blocks int, n int"
	rowsDoc    = "adds to acc [n][16] the products of a panel of blocks*%d bytes and n columns of activations [blocks][n][%d]."
)

// rows32 emits the kernels of the formats in blocks of 32.
func rows32(a *Asm, m machine) {
	for _, p := range panels32 {
		p.emit(a, m)
	}
}

// on is the format as a machine takes it.
func (p panel) on(m machine) panel {
	if p.multiple != nil && m.wide() {
		p.unpack = p.multiple
	} else {
		p.times = 1
	}
	return p
}

func (p panel) emit(a *Asm, m machine) {
	p = p.on(m)
	a.Func("rows"+p.name+m.suffix(), rowsParams, fmt.Sprintf(rowsDoc, p.bytes, record32))
	acc, w, x, blocks, n := a.Param("acc"), a.Param("w"), a.Param("x"), a.Param("blocks"), a.Param("n")
	next, count := a.Reg(), newCounter(a, m, p.times)
	a.Loop("block", blocks, func() {
		for h := range 2 {
			a.Scope(func() {
				scale, offset := halves(a, w, 16*h), [2]V{}
				if p.offset {
					offset = halves(a, w, 32+16*h)
				}
				groups := p.unpack(a, w, p.q, h)
				product := product{groups: groups, top: p.top, bias: m.arrange(a, groups, p.bias), count: count}
				a.Op("PRFM", at(w, 2048+h*160), "PLDL1KEEP")
				a.Op("MOVD", x, next)
				eachColumn(a, m.columns(), "column", n, []walker{{next, record32}, {a.Copy(acc), 64}}, func(r [][]R) {
					p.multiply(a, m, product, scale, offset, r, 32*h)
				})
			})
		}
		a.Op("MOVD", next, x)
		a.Op("ADD", p.bytes, w)
	})
	a.Return()
}

// halves widens eight numbers of half precision.
func halves(a *Asm, w R, disp int) [2]V {
	v := [2]V{a.Vec(), a.Vec()}
	a.Load(at(w, disp), v[0])
	a.Fcvtl2(v[1], v[0])
	a.Fcvtl(v[0], v[0])
	return v
}

// multiply adds one block's share for some columns. Each column has a record and 16 sums, half of which begin at disp.
func (p panel) multiply(a *Asm, m machine, product product, scale, offset [2]V, columns [][]R, disp int) {
	for _, c := range columns {
		x, meta := a.Vecs(2), a.Vec()
		a.LoadPair(at(c[0], 0), x[0], x[1])
		a.Load(at(c[0], meta32), meta)
		product.x, product.metas = append(product.x, x), append(product.metas, meta)
	}
	sums := m.dot(a, product)
	for i, c := range columns {
		a.Scope(func() {
			before := [2]V{a.Vec(), a.Vec()}
			a.LoadPair(at(c[1], disp), before[0], before[1])
			p.fold(a, product.count, sums[i], before, sums[i], product.metas[i], scale, offset)
		})
	}
	for i, c := range columns {
		a.StorePair(sums[i][0], sums[i][1], at(c[1], disp))
	}
}

// fold sets sums to those before and a block's share, float32(n) * (scale*xscale), then offset * xsum. It spoils n,
// which may be sums.
func (p panel) fold(a *Asm, count counter, sums, before, n [2]V, meta V, scale, offset [2]V) {
	a.Scope(func() {
		t := a.Vec()
		for q, n := range n {
			count.float(a, n)
			a.FmulLane(t, scale[q], meta, metaScale)
			a.Fmul(n, n, t)
			a.Fadd(sums[q], before[q], n)
			if p.offset {
				a.FmulLane(t, offset[q], meta, metaSum)
				a.Fadd(sums[q], sums[q], t)
			}
		}
	})
}
