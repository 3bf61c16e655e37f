package kernels

import (
	"math"
	"testing"
)

func TestSincosAgainstMath(t *testing.T) {
	for x := 0.0; x < 3e6; x = x*1.003 + 0.0017 {
		sin, cos := sincos(x)
		if math.Abs(sin-math.Sin(x)) > 5e-16+x*1e-21 || math.Abs(cos-math.Cos(x)) > 5e-16+x*1e-21 {
			t.Fatalf("sincos(%g) = %g, %g, want %g, %g", x, sin, cos, math.Sin(x), math.Cos(x))
		}
	}
}

func TestRoPEPairs(t *testing.T) {
	cos, sin := make([]float32, 2), make([]float32, 2)
	Angles(cos, sin, 3, []float64{1, 0.01}, 1)
	turn := func(a, b float64, angle float64) (float64, float64) {
		return a*math.Cos(angle) - b*math.Sin(angle), a*math.Sin(angle) + b*math.Cos(angle)
	}
	for _, c := range []struct {
		neox  bool
		pairs [2][2]int
	}{{false, [2][2]int{{0, 1}, {2, 3}}}, {true, [2][2]int{{0, 2}, {1, 3}}}} {
		x := []float32{1, 2, 3, 4, 5} // the fifth is beyond the rotated part
		want := []float64{1, 2, 3, 4, 5}
		for i, angle := range []float64{3, 0.03} {
			a, b := c.pairs[i][0], c.pairs[i][1]
			want[a], want[b] = turn(want[a], want[b], angle)
		}
		RoPE(x, cos, sin, c.neox)
		for i := range x {
			near(t, "RoPE", x[i], want[i], 5, 1e-7)
		}
	}
}
