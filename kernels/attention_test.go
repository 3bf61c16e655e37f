package kernels

import (
	"math"
	"testing"
)

func TestAttendAgainstFloat64(t *testing.T) {
	const dim, scale = 24, 0.2
	for _, length := range []int{1, 2, 255, 256, 257, 700} {
		q, k, v := randoms(1, dim), randoms(2, length*dim), randoms(3, length*dim)
		var state Softened
		acc, scores := make([]float32, dim), make([]float32, TilePositions)
		for start := 0; start < length; start += TilePositions {
			end := min(start+TilePositions, length)
			Attend(&state, acc, q, k[start*dim:end*dim], v[start*dim:end*dim], scores, end-start, scale)
		}
		state.Finish(acc)

		weights, total := make([]float64, length), 0.0
		for j := range weights {
			var s float64
			for d := range q {
				s += float64(q[d]) * float64(k[j*dim+d])
			}
			weights[j] = math.Exp(s * scale)
			total += weights[j]
		}
		for d := range acc {
			var want float64
			for j, w := range weights {
				want += w / total * float64(v[j*dim+d])
			}
			near(t, "Attend", acc[d], want, 1, 2e-6)
		}
	}
}

func TestAttendLetsNaNThrough(t *testing.T) {
	q, k, v := randoms(1, 16), randoms(2, 2*16), randoms(3, 2*16)
	k[20] = float32(math.NaN())
	var state Softened
	acc := make([]float32, 16)
	Attend(&state, acc, q, k, v, make([]float32, 2), 2, 1)
	state.Finish(acc)
	if acc[0] == acc[0] {
		t.Errorf("a NaN among the keys left %g", acc[0])
	}
}
