package kernels

// TilePositions is the number of positions whose attention is computed as one piece. Tiles start at multiples of it
// and are merged in ascending order, so a position's result does not depend on how its context came about.
const TilePositions = 256

// QueryRows is how many queries are computed together at most: enough to share the loading of keys and values.
const QueryRows = 8

// Block is the keys or the values of one key-value head in one page, in one number format; the other fields are empty.
// Values are [page][dim]. Keys lie by column, so that the scores of neighbouring positions fill a register.
type Block struct {
	F32   []float32 // keys are [dim][page]
	F16   []uint16  // as F32
	Q8    []int8    // keys are [dim/4][page][4]: four at a time meet a query's four
	Scale []float32 // [page], what a position's Q8 are multiplied by
}

// The number formats of a block, as isa.attention has them.
const (
	blockF32 = iota
	blockF16
	blockQ8
	blockFormats
)

func (b *Block) format() int {
	switch {
	case b.F16 != nil:
		return blockF16
	case b.Q8 != nil:
		return blockQ8
	}
	return blockF32
}

// attentionKernel is attention's two halves for one number format, see Attend. They take the queries a.first to
// a.first+heads-1 and the first n positions of a page, which are those from at on in a.scores. next is what is read
// after the block.
type attentionKernel struct {
	scores  func(a *Attender, k, next *Block, at, heads, n int) // may write scores up to the page's end
	sumRows func(a *Attender, v, next *Block, at, heads, n int) // may change scores
}

// Tile is what one key-value head holds of the positions of a tile.
type Tile struct {
	Keys, Values []Block // [pages], as many as hold something
	Next         Block   // what is probably read after this tile; a hint
}

// Attender computes the attention of queries that share a key-value head to tiles of it. It is room for one worker.
type Attender struct {
	dim, page int
	scale     float32

	n       int       // queries
	queries []float32 // [n/QueryRows][dim][QueryRows]
	q8      []int8    // [n/QueryRows][dim/4][QueryRows][4]
	q8Scale []float32 // [n], the scale of scores in it
	q8Bias  []int32   // [n], -128 times the sum of a query's q8: keys may be made unsigned by adding 128
	row8    []int8    // [dim]

	first  int       // the first query of the block in progress
	scores []float32 // [QueryRows][TilePositions]
	parts  []float32 // [QueryRows][dim]
	tops   [QueryRows]float32
	totals [QueryRows]float32
	lane   [16]float32
	wide   []float32 // [page*dim], a block in float32 where the Go loops compute

	wideTile, widened Tile // room of a whole tile in float32, and what of it is in use
}

// NewAttender makes room for n queries of dim numbers to pages of page positions. Scores are multiplied by scale.
func NewAttender(n, dim, page int, scale float32) *Attender {
	n = (n + QueryRows - 1) / QueryRows * QueryRows
	a := &Attender{
		dim: dim, page: page, scale: scale,
		queries: make([]float32, n*dim), q8: make([]int8, n*dim), q8Scale: make([]float32, n), q8Bias: make([]int32, n),
		row8: make([]int8, dim), scores: make([]float32, QueryRows*TilePositions), parts: make([]float32, QueryRows*dim),
		wide: make([]float32, page*dim),
	}
	if n >= manyQueries {
		a.wideTile = newWideTile(dim, page)
	}
	return a
}

// AttenderBytes is the memory that NewAttender takes, and Widen at most.
func AttenderBytes(n, dim, page int) int {
	n = (n + QueryRows - 1) / QueryRows * QueryRows
	return n*(5*dim+8) + dim + 4*(QueryRows*(TilePositions+dim)+page*dim+2*TilePositions*dim)
}

// manyQueries is from how many queries on it pays to widen a tile first: three times that it would be widened in passing.
const manyQueries = 2*QueryRows + 1

// Widen returns the tile in float32 where that pays for the queries that were added, or else t. It is valid until the
// next call.
func (a *Attender) Widen(t *Tile) *Tile {
	if a.n < manyQueries || t.Keys[0].format() != blockF16 {
		return t
	}
	w := Tile{Keys: a.wideTile.Keys[:len(t.Keys)], Values: a.wideTile.Values[:len(t.Values)]}
	for i := range t.Keys {
		F16ToF32(w.Keys[i].F32, t.Keys[i].F16)
		F16ToF32(w.Values[i].F32, t.Values[i].F16)
	}
	a.widened = w
	return &a.widened
}

func newWideTile(dim, page int) Tile {
	var t Tile
	for range TilePositions / page {
		t.Keys = append(t.Keys, Block{F32: make([]float32, page*dim)})
		t.Values = append(t.Values, Block{F32: make([]float32, page*dim)})
	}
	return t
}

// Reset takes leave of all queries.
func (a *Attender) Reset() { a.n = 0 }

// Add takes queries q [][dim], for keys in Q8 where q8 is set.
func (a *Attender) Add(q []float32, q8 bool) {
	for ; len(q) > 0; q = q[a.dim:] {
		at := a.n / QueryRows * QueryRows * a.dim
		if q8 {
			a.addQ8(q[:a.dim], a.q8[at:])
		} else {
			for d, x := range q[:a.dim] {
				a.queries[at+d*QueryRows+a.n%QueryRows] = x
			}
		}
		a.n++
	}
}

// addQ8 quantises a query as a row of keys is, and takes what all of its scores are multiplied by into its scale.
func (a *Attender) addQ8(q []float32, dst []int8) {
	scale, sum := QuantiseRow(a.row8, q)
	a.q8Scale[a.n], a.q8Bias[a.n] = float32(scale*a.scale), -128*sum
	for d, x := range a.row8 {
		dst[(d/4*QueryRows+a.n%QueryRows)*4+d%4] = x
	}
}

// QuantiseRow writes x divided by the scale that it returns to q, with their sum: integers from -127 to 127, the scale
// is the largest magnitude over 127. A NaN or an infinity makes the scale NaN.
func QuantiseRow(q []int8, x []float32) (scale float32, sum int32) {
	scale, factor := scaleOf(x)
	return scale, roundTo(q, x, factor)
}

// Attend computes the attention of the queries from first on, a multiple of QueryRows, to a tile. Query first+i sees the
// first seen[i] positions of it, up to TilePositions and not fewer than the query before it; 0 is none. With p = e^(s-top):
//
//	s[j]    = (Σ_d q[d] * k[d][j]) * scale             in ascending d
//	s[j]    = qscale*kscale[j] * Σ_d q[d] * k[d][j]    of Q8: the sum is of integers, scale is part of qscale
//	top     = max s but for NaNs, total = Σ_j p[j]     in sixteen lanes as Dot does
//	part[d] = Σ_j p[j] * v[j][d]                       in ascending j; of Q8, p[j] * vscale[j] comes first
func (a *Attender) Attend(t *Tile, first int, seen []int) {
	a.first = first
	heads, n := len(seen), seen[len(seen)-1]
	kernel := &active.attention[t.Keys[0].format()]
	last := (n - 1) / a.page
	for i := 0; i <= last; i++ {
		next := &t.Values[0]
		if i < last {
			next = &t.Keys[i+1]
		}
		kernel.scores(a, &t.Keys[i], next, i*a.page, heads, min(a.page, n-i*a.page))
	}
	for h, n := range seen {
		a.soften(h, n)
		clear(a.scores[h*TilePositions+n : h*TilePositions+seen[heads-1]]) // adding nothing changes no bit of a sum
	}
	clear(a.parts[:heads*a.dim])
	for i := 0; i <= last; i++ {
		next := &t.Next
		if i < last {
			next = &t.Values[i+1]
		}
		kernel.sumRows(a, &t.Values[i], next, i*a.page, heads, min(a.page, n-i*a.page))
	}
}

// soften replaces the first n scores of a query by e^(s-top).
func (a *Attender) soften(h, n int) {
	if n > 0 {
		a.tops[h], a.totals[h] = active.soften(a, a.scores[h*TilePositions:][:n:TilePositions])
	}
}

// Part is what Attend computed of query first+i; part [dim] is valid until the next call of Attend.
func (a *Attender) Part(i int) (part []float32, top, total float32) {
	return a.parts[i*a.dim : (i+1)*a.dim], a.tops[i], a.totals[i]
}

// Softened is the state of a softmax that has seen some tiles: the largest score and the total of e^(score-max). The
// zero value has seen none.
type Softened struct {
	max, total float32
	begun      bool
}

// Merge brings acc and a tile's part to the larger of the two maxima and adds them up. Tiles come in ascending order.
func (s *Softened) Merge(acc, part []float32, top, total float32) {
	if !s.begun {
		*s = Softened{max: top, total: total, begun: true}
		copy(acc, part)
		return
	}
	keep, share := float32(1), float32(1)
	if top <= s.max {
		share = exp32(top - s.max)
	} else { // also where either is NaN: it then reaches acc and the logits
		keep = exp32(s.max - top)
		s.max = top
	}
	active.blend(acc, part, keep, share)
	s.total = float32(s.total*keep) + float32(total*share)
}

// Finish divides acc by the total.
func (s *Softened) Finish(acc []float32) {
	scale := 1 / s.total
	for i := range acc {
		acc[i] = float32(acc[i] * scale)
	}
}
