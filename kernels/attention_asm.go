//go:build (amd64 || arm64) && !purego && !race

package kernels

import "math"

// floatAttention is attention's assembly for keys and values that are widened to float32.
type floatAttention[T float32 | uint16] struct {
	of      func(b *Block) []T
	bytes   int // of a T
	generic attentionKernel
	scores  func(dst, q *float32, k, next *T, heads, steps, n, stride int, scale float32)
	sumRows func(acc, p *float32, v, next *T, heads, dim, n int)
}

func attentionF32(scores func(dst, q, k, next *float32, heads, steps, n, stride int, scale float32), sumRows func(acc, p, v, next *float32, heads, dim, n int)) attentionKernel {
	return floatAttention[float32]{func(b *Block) []float32 { return b.F32 }, 4, attentionGeneric[blockF32], scores, sumRows}.kernel()
}

func attentionF16(scores func(dst, q *float32, k, next *uint16, heads, steps, n, stride int, scale float32), sumRows func(acc, p *float32, v, next *uint16, heads, dim, n int)) attentionKernel {
	return floatAttention[uint16]{func(b *Block) []uint16 { return b.F16 }, 2, attentionGeneric[blockF16], scores, sumRows}.kernel()
}

// kernel guards the assembly: it takes pages and heads of whole registers.
func (f floatAttention[T]) kernel() attentionKernel {
	return attentionKernel{
		func(a *Attender, k, next *Block, at, heads, n int) {
			if a.page%16 != 0 {
				f.generic.scores(a, k, next, at, heads, n)
				return
			}
			keys := f.of(k)[:a.dim*a.page]
			q := a.queries[a.first*a.dim:][:QueryRows*a.dim]
			f.scores(a.scoresAt(at, heads), &q[0], &keys[0], ahead(keys, f.of(next)), heads, a.dim, (n+15)&^15, f.bytes*a.page, a.scale)
		},
		func(a *Attender, v, next *Block, at, heads, n int) {
			if a.dim%16 != 0 {
				f.generic.sumRows(a, v, next, at, heads, n)
				return
			}
			values := f.of(v)[:n*a.dim]
			parts := a.parts[:heads*a.dim]
			f.sumRows(&parts[0], a.scoresAt(at, heads), &values[0], ahead(values, f.of(next)), heads, a.dim, n)
		},
	}
}

// scoresAt is the score of the first query at a position, of which the heads have a page's more.
func (a *Attender) scoresAt(at, heads int) *float32 {
	_ = a.scores[(heads-1)*TilePositions+at+a.page-1]
	return &a.scores[at]
}

// ahead is where to prefetch from: what is read next, where that is known.
func ahead[T any](now, next []T) *T {
	if len(next) > 0 {
		return &next[0]
	}
	return &now[0]
}

// scoresQ8Run is the scores of keys in Q8: an instruction set may have only this one better than another.
type scoresQ8Run func(dst *float32, q, k, next *int8, qscale *float32, bias *int32, kscale *float32, heads, steps, n, stride int)

func attentionQ8(scores scoresQ8Run, sumRows func(acc, p *float32, v, next *int8, scale *float32, heads, dim, n int)) attentionKernel {
	return attentionKernel{
		func(a *Attender, k, next *Block, at, heads, n int) {
			if a.page%16 != 0 {
				scoresQ8Generic(a, k, next, at, heads, n)
				return
			}
			keys, scale := k.Q8[:a.dim*a.page], k.Scale[:a.page]
			q := a.q8[a.first*a.dim:][:QueryRows*a.dim]
			qscale, bias := a.q8Scale[a.first:][:heads], a.q8Bias[a.first:][:heads]
			scores(a.scoresAt(at, heads), &q[0], &keys[0], ahead(keys, next.Q8), &qscale[0], &bias[0], &scale[0], heads, a.dim/4, (n+15)&^15, 4*a.page)
		},
		func(a *Attender, v, next *Block, at, heads, n int) {
			if a.page%16 != 0 || a.dim%16 != 0 {
				sumRowsQ8Generic(a, v, next, at, heads, n)
				return
			}
			values, scale := v.Q8[:n*a.dim], v.Scale[:a.page]
			parts := a.parts[:heads*a.dim]
			sumRows(&parts[0], a.scoresAt(at, heads), &values[0], ahead(values, next.Q8), &scale[0], heads, a.dim, n)
		},
	}
}

func blendOf(run func(acc, part *float32, n int, keep, share float32)) func(acc, part []float32, keep, share float32) {
	return func(acc, part []float32, keep, share float32) {
		whole := len(part) &^ 15
		if whole > 0 {
			_ = acc[whole-1]
			run(&acc[0], &part[0], whole, keep, share)
		}
		blendGeneric(acc[whole:], part[whole:], keep, share)
	}
}

func softenOf(run func(lane *[16]float32, scores *float32, n int) float32) func(a *Attender, scores []float32) (top, total float32) {
	return func(a *Attender, scores []float32) (top, total float32) {
		n := len(scores)
		whole := (n + 15) &^ 15
		scores = scores[:whole]
		for i := range scores[n:] {
			scores[n+i] = float32(math.Inf(-1)) // weighs nothing
		}
		top = run(&a.lane, &scores[0], whole)
		return top, sumLanes(&a.lane)
	}
}
