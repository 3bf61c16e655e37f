package kernels

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lengths go from nothing over every tail to three registers and one.
func lengths() []int {
	var n []int
	for i := range 50 {
		n = append(n, i)
	}
	return append(n, 64, 255, 576, 1000)
}

func randoms(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// near fails where got is further from want than tolerance times scale.
func near(t *testing.T, what string, got float32, want, scale, tolerance float64) {
	t.Helper()
	if diff := math.Abs(float64(got) - want); !(diff <= tolerance*scale) {
		t.Errorf("%s = %g, want %g: off by %g, allowed %g", what, got, want, diff, tolerance*scale)
	}
}

func TestDotAddsInSixteenLanes(t *testing.T) {
	for _, n := range lengths() {
		a, b := randoms(1, n), randoms(2, n)
		var lane [16]float32
		var exact, scale float64
		for i := range a {
			lane[i%16] += float32(a[i] * b[i])
			exact += float64(a[i]) * float64(b[i])
			scale += math.Abs(float64(a[i]) * float64(b[i]))
		}
		for width := 8; width > 0; width /= 2 {
			for j := range width {
				lane[j] += lane[j+width]
			}
		}
		got := Dot(a, b)
		if got != lane[0] {
			t.Errorf("n=%d: Dot = %g, the contract says %g", n, got, lane[0])
		}
		near(t, "Dot", got, exact, scale, 1e-6)
	}
}

func TestAdd(t *testing.T) {
	for _, n := range lengths() {
		x, y := randoms(1, n), randoms(2, n)
		Add(y, x)
		for i, v := range randoms(2, n) {
			if want := v + x[i]; y[i] != want {
				t.Fatalf("n=%d: Add[%d] = %g, want %g", n, i, y[i], want)
			}
		}
	}
}

func TestExpAgainstFloat64(t *testing.T) {
	worst := 0.0
	for x := float32(-87.3); x < 88.72; x += 0.00371 {
		want := math.Exp(float64(x))
		worst = max(worst, math.Abs(float64(exp32(x))-want)/want)
	}
	if worst > 2e-7 {
		t.Errorf("worst relative error %g, documented 2e-7", worst)
	}
	inf := float32(math.Inf(1))
	for x, want := range map[float32]float32{0: 1, inf: inf, -inf: 0, 89: inf, -88: 0} {
		if got := exp32(x); got != want {
			t.Errorf("exp32(%g) = %g, want %g", x, got, want)
		}
	}
	if nan := float32(math.NaN()); exp32(nan) == exp32(nan) {
		t.Error("exp32(NaN) is a number")
	}
}

func TestSoftmax(t *testing.T) {
	for _, n := range lengths()[1:] {
		x := randoms(3, n)
		var total float64
		for _, v := range x {
			total += math.Exp(float64(v))
		}
		got := append([]float32(nil), x...)
		Softmax(got)
		for i, v := range x {
			near(t, "Softmax", got[i], math.Exp(float64(v))/total, 1, 1e-6)
		}
	}
	bad := []float32{1, float32(math.NaN()), 2}
	Softmax(bad)
	for i, v := range bad {
		if v == v {
			t.Errorf("a NaN among the scores left probability %d at %g", i, v)
		}
	}
}

func TestSwiGLU(t *testing.T) {
	gate, up := randoms(4, 100), randoms(5, 100)
	gate[0], gate[1] = 90, -90
	want := append([]float32(nil), gate...)
	SwiGLU(gate, up)
	for i, g := range want {
		exact := float64(g) / (1 + math.Exp(-float64(g))) * float64(up[i])
		near(t, "SwiGLU", gate[i], exact, 1+math.Abs(exact), 1e-6)
	}
}

func TestRMSNorm(t *testing.T) {
	for _, n := range lengths()[1:] {
		x, w, dst := randoms(6, n), randoms(7, n), make([]float32, n)
		RMSNorm(dst, x, w, 1e-5)
		var squares float64
		for _, v := range x {
			squares += float64(v) * float64(v)
		}
		for i, v := range x {
			want := float64(v) / math.Sqrt(squares/float64(n)+1e-5) * float64(w[i])
			near(t, "RMSNorm", dst[i], want, 1+math.Abs(want), 1e-6)
		}
	}
}

func TestHalvesGoThroughFloat32Unchanged(t *testing.T) {
	halves, wide, back := make([]uint16, 1<<16), make([]float32, 1<<16), make([]uint16, 1<<16)
	for i := range halves {
		halves[i] = uint16(i)
	}
	F16ToF32(wide, halves)
	F32ToF16(back, wide)
	for i, h := range halves {
		isNaN := h&0x7fff > 0x7c00
		switch {
		case isNaN && (wide[i] == wide[i] || back[i]&0x7fff <= 0x7c00):
			t.Fatalf("NaN %#04x became %g and %#04x", h, wide[i], back[i])
		case !isNaN && back[i] != h:
			t.Fatalf("%#04x became %g and %#04x", h, wide[i], back[i])
		}
	}
	for h, want := range map[uint16]float32{0x3c00: 1, 0xc000: -2, 0x0001: 0x1p-24, 0x7bff: 65504, 0x0400: 0x1p-14} {
		var got [8]float32
		if F16ToF32(got[:], []uint16{h, h, h, h, h, h, h, h}); got[0] != want || got[7] != want {
			t.Errorf("%#04x is %g, want %g", h, got[0], want)
		}
	}
}

func TestF32ToF16RoundsToEven(t *testing.T) {
	for v, want := range map[float32]uint16{
		1 + 0x1p-11: 0x3c00, 1 + 3*0x1p-11: 0x3c02, 1 + 0x1p-11 + 0x1p-20: 0x3c01,
		65519: 0x7bff, 65520: 0x7c00, -1e30: 0xfc00, 0x1p-25: 0, 0x1.8p-24: 0x0002, 0x1p-26: 0,
	} {
		var got [8]uint16
		if F32ToF16(got[:], []float32{v, v, v, v, v, v, v, v}); got[0] != want || got[7] != want {
			t.Errorf("%g is %#04x, want %#04x", v, got[0], want)
		}
	}
}

func TestNRTISAChoosesOrRefuses(t *testing.T) {
	if row, err := choose(""); err != nil || row != isas[0] {
		t.Errorf("no wish: %v, want %s", err, isas[0].name)
	}
	var names []string
	for _, want := range isas {
		names = append(names, want.name)
		if row, err := choose(want.name); err != nil || row != want {
			t.Errorf("NRT_ISA=%s: %v", want.name, err)
		}
	}
	_, err := choose("abacus")
	want := "kernels: NRT_ISA=abacus: this machine and build have " + strings.Join(names, ", ")
	if err == nil || err.Error() != want || !strings.HasSuffix(want, "generic") {
		t.Errorf("NRT_ISA=abacus: %v, want %s", err, want)
	}
}
