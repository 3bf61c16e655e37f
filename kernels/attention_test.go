package kernels

import (
	"math"
	"testing"
)

// fill puts positions of k and v [length][dim] from start on into a tile, and returns how many they are.
func (t *Tile) fill(k, v []float32, dim, start int) int {
	n := min(len(k)/dim-start, TilePositions)
	for j := range n {
		row := k[(start+j)*dim:][:dim]
		for d, x := range row {
			t.Keys[(j/t.Page*dim+d)*t.Page+j%t.Page] = x
		}
		copy(t.Values[j*dim:], v[(start+j)*dim:][:dim])
	}
	return n
}

func TestAttendAgainstFloat64(t *testing.T) {
	for _, row := range isas {
		for _, dim := range []int{24, 64, 80} {
			for _, page := range []int{4, 16, 64, 256} {
				for _, length := range []int{1, 2, 255, 256, 257, 700} {
					old := active
					active = row
					attendAgainstFloat64(t, dim, page, length)
					active = old
				}
			}
		}
	}
}

func attendAgainstFloat64(t *testing.T, dim, page, length int) {
	t.Helper()
	const scale = 0.2
	q, k, v := randoms(1, dim), randoms(2, length*dim), randoms(3, length*dim)
	var state Softened
	acc, tile := make([]float32, dim), NewTile(dim, page)
	for start := 0; start < length; start += TilePositions {
		n := tile.fill(k, v, dim, start)
		Attend(&state, acc, q, &tile, n, scale)
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

func TestAttendLetsNaNThrough(t *testing.T) {
	q, k, v := randoms(1, 16), randoms(2, 2*16), randoms(3, 2*16)
	k[20] = float32(math.NaN())
	var state Softened
	acc, tile := make([]float32, 16), NewTile(16, 16)
	Attend(&state, acc, q, &tile, tile.fill(k, v, 16, 0), 1)
	state.Finish(acc)
	if acc[0] == acc[0] {
		t.Errorf("a NaN among the keys left %g", acc[0])
	}
}
