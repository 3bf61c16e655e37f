package kernels

// TilePositions is the number of positions whose attention is computed as one piece. Tiles start at multiples of it
// and are merged in ascending order, so a position's result does not depend on how its context came about.
const TilePositions = 256

// Attend folds n positions of one tile into the running result of one query head:
//
//	s[j]  = Dot(q, k[j]) * scale           for j < n <= TilePositions
//	acc  += Σ_j e^(s[j]-max) * v[j]        divided by the total at the end, by Softened.Finish
//
// k and v are [n][len(q)], acc [len(q)], scores is room for n numbers. The tile's maximum and total are computed on
// their own and merged into what earlier tiles left in state; then acc takes the tile's values in ascending order.
func Attend(state *Softened, acc, q, k, v, scores []float32, n int, scale float32) {
	dim := len(q)
	scores = scores[:n]
	active.dotRows(scores, q, k[:n*dim], scale)
	top := Max(scores)
	total := ExpSum(scores, top)
	share := state.merge(acc, top, total)
	if share != 1 {
		for j := range scores {
			scores[j] = float32(scores[j] * share)
		}
	}
	active.sumRows(acc, scores, v[:n*dim])
}

// Softened is the state of a softmax that has seen some tiles: the largest score and the total of e^(score-max). The
// zero value has seen none.
type Softened struct {
	max, total float32
	begun      bool
}

// merge brings acc and the total to the larger of the two maxima and returns the factor for the new tile's weights.
func (s *Softened) merge(acc []float32, top, total float32) float32 {
	if !s.begun {
		*s = Softened{max: top, total: total, begun: true}
		clear(acc)
		return 1
	}
	if top <= s.max {
		share := exp32(top - s.max)
		s.total += float32(total * share)
		return share
	}
	keep := exp32(s.max - top) // NaN where either is: it then reaches acc and the logits
	for i := range acc {
		acc[i] = float32(acc[i] * keep)
	}
	s.max, s.total = top, float32(s.total*keep)+total
	return 1
}

// Finish divides acc by the total.
func (s *Softened) Finish(acc []float32) {
	scale := 1 / s.total
	for i := range acc {
		acc[i] = float32(acc[i] * scale)
	}
}

func dotRowsGeneric(dst, q, k []float32, scale float32) {
	dim := len(q)
	for j := range dst {
		dst[j] = float32(dotGeneric(q, k[j*dim:j*dim+dim]) * scale)
	}
}

func sumRowsGeneric(acc, p, v []float32) {
	dim := len(acc)
	for j, w := range p {
		axpyGeneric(acc, w, v[j*dim:j*dim+dim])
	}
}
