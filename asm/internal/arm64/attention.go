package arm64

// attention emits the two halves of attention: scores, where a lane is a position, and the weighted sum of values,
// where a lane is a number of the head.
func attention(a *Asm) {
	scores(a)
	sumRows(a)
}

// widths is how many lanes attention takes at once: many while there are, then few.
var widths = []int{64, 16}

// byWidth emits body for n lanes, a multiple of 16, with the pointers moved on behind them. n is consumed.
func byWidth(a *Asm, n R, pointers []R, body func(width int)) {
	for _, width := range widths {
		a.Op("CMP", width, n)
		below := a.Ahead("below")
		a.Op("BLT", below)
		label := a.Label("lanes")
		a.Scope(func() { body(width) })
		for _, p := range pointers {
			a.Op("ADD", 4*width, p)
		}
		a.Op("SUB", width, n)
		a.Op("CMP", width, n)
		a.Op("BGE", label)
		a.Mark(below)
	}
}

// addRows adds to sums for every row of n the row at v times the number at p.
func addRows(a *Asm, sums []V, p, v, n, stride R) {
	a.Scope(func() {
		weight, x := a.Vec(), a.Vecs(4)
		count, pp, vp := a.Copy(n), a.Copy(p), a.Copy(v)
		a.Loop("row", count, func() {
			a.LoadWord(at(pp, 0), weight)
			for first := 0; first < len(sums); first += 4 {
				a.LoadPair(at(vp, 16*first), x[0], x[1])
				a.LoadPair(at(vp, 16*first+32), x[2], x[3])
				for i, x := range x {
					a.FmulLane(x, x, weight, 0)
					a.Fadd(sums[first+i], sums[first+i], x)
				}
			}
			a.Op("ADD", 4, pp)
			a.Op("ADD", stride, vp)
		})
	})
}

func scores(a *Asm) {
	a.Func("scoresNEON", "dst *float32, q *float32, k *float32, dim int, n int, page int, scale float32",
		"writes scale * Σ_d q[d]*k[d][j] to dst[j]; k is [dim][page], n a multiple of 16, at least 16.")
	dst, q, k, dim, n, page := a.Param("dst"), a.Param("q"), a.Param("k"), a.Param("dim"), a.Param("n"), a.Param("page")
	scale := a.FloatParam("scale")
	a.Op("LSL", 2, page)
	byWidth(a, n, []R{dst, k}, func(width int) {
		sums := a.Vecs(width / 4)
		for _, s := range sums {
			a.Zero(s)
		}
		addRows(a, sums, q, k, dim, page)
		for i, s := range sums {
			a.FmulLane(s, s, scale, 0)
			a.Store(s, at(dst, 16*i))
		}
	})
	a.Return()
}

func sumRows(a *Asm) {
	a.Func("sumRowsNEON", "acc *float32, p *float32, v *float32, dim int, n int",
		"adds p[j]*v[j] to acc for ascending j; v is [n][dim], dim a multiple of 16, n at least 1.")
	acc, p, v, dim, n := a.Param("acc"), a.Param("p"), a.Param("v"), a.Param("dim"), a.Param("n")
	stride := a.Reg()
	a.Op("LSL", 2, dim, stride)
	byWidth(a, dim, []R{acc, v}, func(width int) {
		sums := a.Vecs(width / 4)
		for i, s := range sums {
			a.Load(at(acc, 16*i), s)
		}
		addRows(a, sums, p, v, n, stride)
		for i, s := range sums {
			a.Store(s, at(acc, 16*i))
		}
	})
	a.Return()
}
