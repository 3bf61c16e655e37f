package quant

import "math"

// block is 256 weights on their way into a search, and how much the square of each one's error counts: once, and once
// more for each standard deviation that the weight is away from 0. Large weights carry more of every output; the plain
// mean square leaves smaller errors, but a model that strays further from the unrounded one.
type block struct{ x, w [256]float64 }

// load takes the next 256 weights.
func (b *block) load(src []float32) {
	squares := 0.0
	for i, v := range src[:256] {
		b.x[i] = float64(v)
		squares += float64(b.x[i] * b.x[i])
	}
	inv := invert(math.Sqrt(squares / 256))
	for i, v := range b.x {
		b.w[i] = 1 + float64(math.Abs(v)*inv)
	}
}

// part is sub-block i of so many weights.
func (b *block) part(i, size int) (x, w []float64) {
	return b.x[i*size : (i+1)*size], b.w[i*size : (i+1)*size]
}
