package arm64

import "fmt"

const (
	oneParams = "acc *float32, w *byte, x *byte, blocks int, _ int"
	oneDoc    = "adds to acc [16] the products of a panel of blocks*%d bytes and one column of activations [blocks][%d]."
)

// oneColumn emits the kernels of one column of activations, as decode has it: its integers stay in registers, and those
// of its float32 sums that are met often. It is for dotprod only: the base machine has no registers left for it.
func oneColumn(a *Asm) {
	for _, p := range panels32 {
		p.one(a, dotprod{})
	}
	for _, p := range panels256 {
		p.one(a, dotprod{})
	}
}

func (p panel) one(a *Asm, m machine) {
	p = p.on(m)
	a.Func("row"+p.name+m.suffix(), oneParams, fmt.Sprintf(oneDoc, p.bytes, record32))
	acc, w, x, blocks := a.Param("acc"), a.Param("w"), a.Param("x"), a.Param("blocks")
	count, sums := newCounter(a, m, p.times), a.zeros()
	a.loadFour(acc, sums)
	a.Loop("block", blocks, func() {
		product := product{top: p.top, bias: p.bias, count: count, keep: true}
		record, meta := a.Vecs(2), a.Vec()
		a.LoadPair(at(x, 0), record[0], record[1])
		a.Load(at(x, meta32), meta)
		product.x, product.metas = [][]V{record}, []V{meta}
		for h := range 2 {
			a.Scope(func() {
				scale, offset := halves(a, w, 16*h), [2]V{}
				if p.offset {
					offset = halves(a, w, 32+16*h)
				}
				a.Op("PRFM", at(w, 2048+h*160), "PLDL1KEEP")
				product.groups = p.unpack(a, w, p.q, h)
				total := [2]V(sums[2*h:])
				p.fold(a, count, total, total, m.dot(a, product)[0], meta, scale, offset)
			})
		}
		a.Op("ADD", record32, x)
		a.Op("ADD", p.bytes, w)
	})
	a.storeFour(sums, acc)
	a.Return()
}

func (p superPanel) one(a *Asm, m machine) {
	a.Func("row"+p.name+m.suffix(), oneParams, fmt.Sprintf(oneDoc, p.bytes(), record256))
	acc, w, x, blocks := a.Param("acc"), a.Param("w"), a.Param("x"), a.Param("blocks")
	count := newCounter(a, m, 0)
	a.Loop("block", blocks, func() {
		ints := a.zeros()
		a.Scope(func() { p.onesParts(a, m, count, w, x, ints) })
		for h := range 2 {
			a.Scope(func() {
				words, count := a.Vecs(2), groupCounter(a, m) // words among the registers that a word by lane can be in
				scale, offset, less := p.headers(a, count, w, h)
				p.fold(a, count, x, at(acc, 32*h), [2]V(ints[2*h:]), scale, offset, less, words)
			})
		}
		a.Op("ADD", record256, x)
		a.Op("ADD", p.bytes(), w)
	})
	a.Return()
}

// onesParts adds to the integers Σ sub * (q·x), two parts of 32 weights in each turn.
func (p superPanel) onesParts(a *Asm, m machine, count counter, w, record R, ints []V) {
	q, from, turns, sub := a.Copy(w), a.Copy(record), a.Reg(), a.Reg()
	a.Op("ADD", p.subs(), w, sub)
	a.Op("MOVD", 4, turns)
	a.Loop("parts", turns, func() {
		for part := range 2 {
			a.Scope(func() {
				x := a.Vecs(2)
				a.LoadPair(at(from, 32*part), x[0], x[1])
				for h := range 2 {
					a.Scope(func() {
						a.Op("PRFM", at(q, 4096+part*p.part+h*128), "PLDL1KEEP")
						multipliers := p.multipliers(a, sub, part, h)
						groups := p.unpack(a, q, part*p.part, h)
						each := 8 / len(multipliers)
						for i, by := range multipliers {
							product := product{groups: groups[i*each:][:each], x: [][]V{x[i*each/4:]}, top: p.top, count: count, keep: true}
							for j, n := range m.dot(a, product)[0] {
								a.Mla(ints[2*h+j], n, by[j])
							}
						}
					})
				}
			})
		}
		a.Op("ADD", 2*p.part, q)
		a.Op("ADD", 8*p.pairs(), sub)
		a.Op("ADD", 64, from)
	})
}
