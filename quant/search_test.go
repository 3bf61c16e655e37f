package quant

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// bell is n weights near a bell curve of deviation 0.018, by whole-number arithmetic: sums of four draws of a linear
// congruential generator. Every machine makes the same.
func bell(n int) []float32 {
	x, state := make([]float32, n), uint32(1)
	for i := range x {
		sum := int32(-1 << 25)
		for range 4 {
			state = state*1664525 + 1013904223
			sum += int32(state >> 8)
		}
		x[i] = float32(sum) * 0x1p-29
	}
	return x
}

// TestSearchBeatsReference holds the searches to a mean square error below that of ggml's quantizers without an
// importance matrix, which were measured on the same weights.
func TestSearchBeatsReference(t *testing.T) {
	x := bell(64 * 256)
	for _, c := range []struct {
		format    Type
		reference float64 // ggml's mean square error
		part      float64 // ours is at most this part of it
	}{
		{Q2_K, 2.613e-05, 0.85}, {Q3_K, 6.866e-06, 0.94}, {Q4_K, 1.541e-06, 0.99}, {Q5_K, 3.923e-07, 0.93}, {Q6_K, 9.579e-08, 0.92},
	} {
		f, err := Lookup(c.format)
		if err != nil {
			t.Fatal(err)
		}
		y := recode(t, f, x)
		mse := 0.0
		for i := range x {
			e := float64(x[i]) - float64(y[i])
			mse += e * e / float64(len(x))
		}
		t.Logf("%s: mean square error %.4g, ggml %.4g", f.Name, mse, c.reference)
		if mse > c.part*c.reference {
			t.Errorf("%s: mean square error %.4g, want at most %.2f of ggml's %.4g", f.Name, mse, c.part, c.reference)
		}
	}
}

// TestSameBytesEverywhere: the searches find the same bytes on every machine and after every change that is not meant
// to find better ones.
func TestSameBytesEverywhere(t *testing.T) {
	x := bell(16 * 256)
	for format, want := range map[Type]string{
		Q2_K: "bfece063e993a878", Q3_K: "d0294714ffe6b11f", Q4_K: "281829d9b71fc2cd", Q5_K: "5b0df57cf6a46021", Q6_K: "64cda28678fdd3ed",
	} {
		f, err := Lookup(format)
		if err != nil {
			t.Fatal(err)
		}
		row := make([]byte, f.RowBytes(len(x)))
		f.Encode(row, x)
		if got := fmt.Sprintf("%x", sha256.Sum256(row))[:16]; got != want {
			t.Errorf("%s: the bytes hash to %s, want %s", f.Name, got, want)
		}
	}
}
