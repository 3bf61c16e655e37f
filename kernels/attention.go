package kernels

// TilePositions is the number of positions whose attention is computed as one piece. Tiles start at multiples of it
// and are merged in ascending order, so a position's result does not depend on how its context came about.
const TilePositions = 256

// Tile is room for the keys and values of one tile, in float32, and for the scores of one query.
type Tile struct {
	Page   int       // positions in a page, a divisor of TilePositions
	Keys   []float32 // [TilePositions/Page][dim][Page]: a column is a position, so that scores fill whole registers
	Values []float32 // [TilePositions][dim]
	scores []float32 // [TilePositions]
	part   []float32 // [dim]
}

// NewTile makes room for heads of dim numbers.
func NewTile(dim, page int) Tile {
	return Tile{
		Page: page, Keys: make([]float32, TilePositions*dim), Values: make([]float32, TilePositions*dim),
		scores: make([]float32, TilePositions), part: make([]float32, dim),
	}
}

// Attend folds the first n positions of a tile into the running result acc [len(q)] of one query head: it computes the
// tile's part and merges it.
func Attend(state *Softened, acc, q []float32, t *Tile, n int, scale float32) {
	top, total := t.Part(t.part, q, n, scale)
	state.Merge(acc, t.part, top, total)
}

// Part is the attention of one query head to the first n positions of a tile, 1 to TilePositions:
//
//	s[j]    = (Σ_d q[d] * k[d][j]) * scale    in ascending d
//	top     = max s, total = Σ_j e^(s[j]-top)
//	part[d] = Σ_j e^(s[j]-top) * v[j][d]      in ascending j
func (t *Tile) Part(part, q []float32, n int, scale float32) (top, total float32) {
	dim, scores := len(q), t.scores[:n]
	for start := 0; start < n; start += t.Page {
		active.scores(scores[start:min(start+t.Page, n)], q, t.Keys[start*dim:(start+t.Page)*dim], t.Page, scale)
	}
	top = Max(scores)
	total = ExpSum(scores, top)
	clear(part)
	active.sumRows(part, scores, t.Values[:n*dim])
	return top, total
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
	for i, v := range part {
		acc[i] = float32(acc[i]*keep) + float32(v*share)
	}
	s.total = float32(s.total*keep) + float32(total*share)
}

// Finish divides acc by the total.
func (s *Softened) Finish(acc []float32) {
	scale := 1 / s.total
	for i := range acc {
		acc[i] = float32(acc[i] * scale)
	}
}

// scoresGeneric writes to dst[j] the product of q and column j of k [len(q)][page], times scale.
func scoresGeneric(dst, q, k []float32, page int, scale float32) {
	clear(dst)
	for d, x := range q {
		axpyGeneric(dst, x, k[d*page:d*page+len(dst)])
	}
	for j := range dst {
		dst[j] = float32(dst[j] * scale)
	}
}

// sumRowsGeneric adds p[j]*v[j] to acc for ascending j; v is [len(p)][len(acc)].
func sumRowsGeneric(acc, p, v []float32) {
	dim := len(acc)
	for j, w := range p {
		axpyGeneric(acc, w, v[j*dim:j*dim+dim])
	}
}
