package arm64

import "fmt"

// Layout that kernels' Go side shares: queries stand side by side, number after number, and a query's scores follow those
// of the query before it at a fixed distance.
const (
	queryRows  = 8             // queries that are computed together at most
	scoreBytes = 4 * 256       // from the scores of one query to those of the next
	queryBytes = 4 * queryRows // from one number of the queries to the next, or from four bytes to the next four
)

// attention emits the two halves of attention for every number format: scores, where a lane is a position, and the
// weighted sum of values, where a lane is a number of the head; then the softmax between them, and what adds up the parts
// of tiles. Sixteen lanes go together, for as many queries as share what is loaded.
func attention(a *Asm) {
	for _, f := range storedFormats {
		sumRows(a, f)
		if f.name != "Q8" {
			scores(a, f)
		}
	}
	scoresQ8(a, base{})
	scoresQ8(a, dotprod{})
	soften(a)
	blend(a)
}

// stored is a number format of keys and values.
type stored struct {
	name, kind string
	size       int
	widen      func(a *Asm, p R, x []V) // sixteen to float32 lanes
}

var storedFormats = []stored{
	{"F32", "float32", 4, func(a *Asm, p R, x []V) { a.loadFour(p, x) }},
	{"F16", "uint16", 2, func(a *Asm, p R, x []V) {
		a.LoadPair(at(p, 0), x[1], x[3])
		for _, half := range [][]V{x[:2], x[2:]} {
			a.Fcvtl(half[0], half[1])
			a.Fcvtl2(half[1], half[1])
		}
	}},
	{"Q8", "int8", 1, func(a *Asm, p R, x []V) {
		a.Load(at(p, 0), x[3])
		a.SxtlByte(x[1], x[3])
		a.SxtlByte2(x[3], x[3])
		for _, half := range [][]V{x[:2], x[2:]} {
			a.Sxtl(half[0], half[1])
			a.Sxtl2(half[1], half[1])
		}
		for _, v := range x {
			a.Scvtf(v, v)
		}
	}},
}

// SxtlByte and SxtlByte2 widen the lower and the upper eight signed bytes.
func (a *Asm) SxtlByte(d, n V)  { a.two(0x0f08a400, "sxtl", "8h", "8b", d, n) }
func (a *Asm) SxtlByte2(d, n V) { a.two(0x4f08a400, "sxtl2", "8h", "16b", d, n) }

// Fmaxnm is the larger number, where there is one; Fmaxnmv that of four lanes.
func (a *Asm) Fmaxnm(d, n, m V) { a.three(0x4e20c400, "fmaxnm", "4s", "4s", d, n, m) }
func (a *Asm) Fmaxnmv(d, n V) {
	a.word(0x6e30c800|uint32(n)<<5|uint32(d), "fmaxnmv s%d, v%d.4s", d, n)
}

// byQueries emits body for as many queries as go together, and then for what is left of heads, which is consumed.
func byQueries(a *Asm, heads R, body func(queries int)) {
	for _, queries := range []int{4, 2, 1} {
		below := a.Ahead("below")
		a.Op("CMP", queries, heads)
		a.Op("BLT", below)
		label := a.Label("queries")
		a.Scope(func() { body(queries) })
		a.Op("SUB", queries, heads)
		a.Op("CMP", queries, heads)
		a.Op("BGE", label)
		a.Mark(below)
	}
}

// grid takes four vectors, of sixteen lanes together, for each query.
func grid(a *Asm, queries int) [][]V {
	sums := make([][]V, queries)
	for h := range sums {
		sums[h] = a.Vecs(4)
	}
	return sums
}

// loadQueries loads what one step of so many queries needs, four bytes each.
func loadQueries(a *Asm, q R, queries int, v V) {
	a.Op(map[int]string{1: "FMOVS", 2: "FMOVD", 4: "FMOVQ"}[queries], at(q, 0), float(v))
}

// scan emits a kernel of scores: begin, step and end say how sums come about. A step reads cell bytes of keys for each
// position, and prefetches as many. q is four times the queries behind the first, dst is where their scores are.
func scan(a *Asm, cell int, begin func(sums [][]V), step func(sums [][]V, keys, q R), end func(sums [][]V, done, positions R)) {
	dst, heads, done, stride := a.Param("dst"), a.Param("heads"), a.Reg(), a.Param("stride")
	a.Op("MOVD", 0, done)
	byQueries(a, heads, func(queries int) {
		first, next, positions, left := a.Param("k"), a.Param("next"), a.Reg(), a.Param("n")
		scores := a.Copy(dst)
		a.Op("MOVD", 0, positions)
		a.Op("LSR", 4, left)
		a.Loop("sixteen", left, func() {
			sums := grid(a, queries)
			begin(sums)
			count, keys, q := a.Param("steps"), a.Copy(first), a.Param("q")
			a.Op("ADD", done, q)
			a.Loop("step", count, func() {
				step(sums, keys, q)
				ahead(a, next, 16*cell)
				a.Op("ADD", queryBytes, q)
				a.Op("ADD", stride, keys)
			})
			end(sums, done, positions)
			for h, row := range sums {
				for i := 0; i < 4; i += 2 {
					to := scores
					if h > 0 {
						to = a.Reg()
						a.Op("ADD", h*scoreBytes, scores, to)
					}
					a.StorePair(row[i], row[i+1], at(to, 16*i))
				}
			}
			a.Op("ADD", 16*cell, first)
			a.Op("ADD", 64, scores)
			a.Op("ADD", 64, positions)
		})
		a.Op("ADD", 4*queries, done)
		a.Op("ADD", queries*scoreBytes, dst)
	})
	a.Return()
}

// ahead prefetches what is read next.
func ahead(a *Asm, next R, bytes int) {
	a.Op("PRFM", at(next, 0), "PLDL1KEEP")
	a.Op("ADD", bytes, next)
}

func clearSums(a *Asm, sums [][]V) {
	for _, row := range sums {
		for _, v := range row {
			a.Zero(v)
		}
	}
}

// addWeighted adds the numbers at p times a query's weight to its sums, in two roundings. The weights are the lanes of
// one vector, or the first lanes of several.
func addWeighted(a *Asm, f stored, sums [][]V, p R, weight func(h int) (v V, lane int)) {
	x, product := a.Vecs(4), a.Vec()
	f.widen(a, p, x)
	for h, row := range sums {
		w, lane := weight(h)
		for i, sum := range row {
			a.FmulLane(product, x[i], w, lane)
			a.Fadd(sum, sum, product)
		}
	}
}

func scores(a *Asm, f stored) {
	a.Func("scores"+f.name+"NEON",
		fmt.Sprintf("dst *float32, q *float32, k *%s, next *%s, heads int, steps int, n int, stride int, scale float32", f.kind, f.kind),
		"writes scale * Σ_d q[d][h]*k[d][j] to dst[h][j] for ascending d; dst is [heads][TilePositions], q [steps][QueryRows],\n"+
			"// k [steps][], stride bytes from one step to the next, n a multiple of 16.")
	scale := a.FloatParam("scale")
	scan(a, f.size,
		func(sums [][]V) { clearSums(a, sums) },
		func(sums [][]V, keys, q R) {
			weights := a.Vec()
			loadQueries(a, q, len(sums), weights)
			addWeighted(a, f, sums, keys, func(h int) (V, int) { return weights, h })
		},
		func(sums [][]V, _, _ R) {
			for _, row := range sums {
				for _, v := range row {
					a.FmulLane(v, v, scale, 0)
				}
			}
		})
}

// keyDot multiplies the four bytes of each position in k by those of query h and adds the sums to their lanes.
type keyDot interface {
	suffix() string
	dotKeys(a *Asm, k []V, q V, sums [][]V)
}

// dotKeys adds two products in 16 bits, where magnitudes up to 127 fit, and then two of those.
func (base) dotKeys(a *Asm, k []V, q V, sums [][]V) {
	four, words := a.Vec(), a.Vecs(2)
	for h, row := range sums {
		a.Op("VDUP", q.lane("S", h), four.of("S4"))
		for i, sum := range row {
			a.Smull(words[0], k[i], four)
			a.Smull2(words[1], k[i], four)
			a.op3("VADDP", "H8", words[0], words[0], words[1])
			a.Sadalp(sum, words[0])
		}
	}
}

func (dotprod) dotKeys(a *Asm, k []V, q V, sums [][]V) {
	for h, row := range sums {
		for i, sum := range row {
			a.Sdot(sum, k[i], q, h)
		}
	}
}

func scoresQ8(a *Asm, m keyDot) {
	a.Func("scoresQ8"+m.suffix(),
		"dst *float32, q *int8, k *int8, next *int8, qscale *float32, bias *int32, kscale *float32, heads int, steps int, n int, stride int",
		"writes qscale[h]*kscale[j] * Σ_d q[d/4][h][d%4]*k[d/4][j][d%4] to dst[h][j]; dst is [heads][TilePositions],\n"+
			"// q [steps][QueryRows][4], k [steps][][4], stride bytes from one to the next, n a multiple of 16. It has no use for bias.")
	scan(a, 4,
		func(sums [][]V) { clearSums(a, sums) },
		func(sums [][]V, keys, q R) {
			k, queries := a.Vecs(4), a.Vec()
			a.loadFour(keys, k)
			loadQueries(a, q, len(sums), queries)
			m.dotKeys(a, k, queries, sums)
		},
		func(sums [][]V, done, positions R) {
			qscale, kscale := a.Param("qscale"), a.Param("kscale")
			a.Op("ADD", done, qscale)
			a.Op("ADD", positions, kscale)
			queries, keys, scale := a.Vec(), a.Vecs(4), a.Vec()
			loadQueries(a, qscale, len(sums), queries)
			a.loadFour(kscale, keys)
			for h, row := range sums {
				for i, v := range row {
					a.FmulLane(scale, keys[i], queries, h)
					a.Scvtf(v, v)
					a.Fmul(v, v, scale)
				}
			}
		})
}

func sumRows(a *Asm, f stored) {
	scale, doc := "", ""
	if f.name == "Q8" {
		scale, doc = "scale *float32, ", " p is multiplied by scale first, up to the next\n// multiple of 16."
	}
	a.Func("sumRows"+f.name+"NEON",
		fmt.Sprintf("acc *float32, p *float32, v *%s, next *%s, %sheads int, dim int, n int", f.kind, f.kind, scale),
		"adds p[h][j]*v[j] to acc[h] for ascending j; acc is [heads][dim], p [heads][TilePositions], v [n][dim], dim a\n"+
			"// multiple of 16, n at least 1."+doc)
	if f.name == "Q8" {
		a.Scope(func() { weigh(a) })
	}
	acc, p, heads, stride, row := a.Param("acc"), a.Param("p"), a.Param("heads"), a.Param("dim"), a.Reg()
	a.Op("LSL", 2, stride, row)
	for size := f.size; size > 1; size /= 2 {
		a.Op("ADD", stride, stride)
	}
	byQueries(a, heads, func(queries int) {
		first, next, numbers, left := a.Param("v"), a.Param("next"), a.Copy(acc), a.Param("dim")
		a.Op("LSR", 4, left)
		a.Loop("sixteen", left, func() {
			sums := grid(a, queries)
			eachRow(a, sums, numbers, row, a.LoadPair)
			count, values, weights := a.Param("n"), a.Copy(first), a.Copy(p)
			a.Loop("row", count, func() {
				w := a.Vecs(queries)
				for h := range w {
					a.LoadWord(at(weights, h*scoreBytes), w[h])
				}
				addWeighted(a, f, sums, values, func(h int) (V, int) { return w[h], 0 })
				ahead(a, next, 16*f.size)
				a.Op("ADD", 4, weights)
				a.Op("ADD", stride, values)
			})
			eachRow(a, sums, numbers, row, func(to string, v, w V) { a.StorePair(v, w, to) })
			a.Op("ADD", 16*f.size, first)
			a.Op("ADD", 64, numbers)
		})
		a.Op("ADD", queries*scoreBytes, p)
		for range queries {
			a.Op("ADD", row, acc)
		}
	})
	a.Return()
}

// eachRow emits move for every two vectors of sums and their place, rows being row bytes apart.
func eachRow(a *Asm, sums [][]V, p, row R, move func(at string, v, w V)) {
	a.Scope(func() {
		here := a.Copy(p)
		for h, vs := range sums {
			if h > 0 {
				a.Op("ADD", row, here)
			}
			move(at(here, 0), vs[0], vs[1])
			move(at(here, 32), vs[2], vs[3])
		}
	})
}

// weigh emits the multiplication of every query's weights by the positions' scales.
func weigh(a *Asm) {
	p, scale, n, x, w := a.Param("p"), a.Param("scale"), a.Param("n"), a.Vec(), a.Vec()
	a.Op("ADD", 3, n)
	a.Op("LSR", 2, n)
	a.Loop("weigh", n, func() {
		a.Load(at(scale, 0), x)
		heads, here := a.Param("heads"), a.Copy(p)
		a.Loop("weighQuery", heads, func() {
			a.Load(at(here, 0), w)
			a.Fmul(w, w, x)
			a.Store(w, at(here, 0))
			a.Op("ADD", scoreBytes, here)
		})
		a.Op("ADD", 16, p)
		a.Op("ADD", 16, scale)
	})
}

func soften(a *Asm) {
	a.Func("softenNEON", "lane *[16]float32, scores *float32, n int",
		"replaces s[i] by e^(s[i]-top), sets lane i mod 16 to their sum and returns top, the largest of s but for NaNs;\n"+
			"// n is a multiple of 16, at least 16.", "float32")
	top := largest(a)
	a.Op("FMOVS", float(top), a.frame("ret"))
	a.Op("VDUP", top.lane("S", 0), top.of("S4"))
	lane, scores, n := a.Param("lane"), a.Param("scores"), a.Param("n")
	expSums(a, lane, scores, n, top)
}

// largest is the largest score in the lowest lane.
func largest(a *Asm) V {
	top := a.words(negativeInfinity)
	a.Scope(func() {
		scores, n, x := a.Param("scores"), a.Param("n"), a.Vecs(4)
		a.sixteen(n, []R{scores}, func() {
			a.loadFour(scores, x)
			for _, v := range x {
				a.Fmaxnm(top, top, v)
			}
		})
		a.Free(x...)
	})
	a.Fmaxnmv(top, top)
	return top
}

const negativeInfinity = 0xff800000

func blend(a *Asm) {
	a.Func("blendNEON", "acc *float32, part *float32, n int, keep float32, share float32",
		"sets acc to acc*keep + part*share, in three roundings; n is a multiple of 16, at least 16.")
	acc, part, n := a.Param("acc"), a.Param("part"), a.Param("n")
	keep, share := a.FloatParam("keep"), a.FloatParam("share")
	a.sixteen(n, []R{acc, part}, func() {
		x, y := a.Vecs(4), a.Vecs(4)
		a.loadFour(acc, x)
		a.loadFour(part, y)
		for i, v := range x {
			a.FmulLane(v, v, keep, 0)
			a.FmulLane(y[i], y[i], share, 0)
			a.Fadd(v, v, y[i])
		}
		a.storeFour(x, acc)
	})
	a.Return()
}
