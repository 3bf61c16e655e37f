package sample

import (
	"hash/fnv"
	"math"
	"math/big"
	"testing"
)

func ulps(got, want float64) float64 {
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

func TestExpAndLog(t *testing.T) {
	worstExp, worstLog := 0.0, 0.0
	for i := range 200_000 {
		x := (source{seed: 7}.uniform(uint64(i), 0) - 0.5) * 1400
		if i%2 == 0 {
			x /= 100
		}
		worstExp = max(worstExp, ulps(exp(x), math.Exp(x)))
		y := math.Exp(x / 2)
		if i%4 == 1 {
			y = 1 + x/1e4 // near 1 the result is near 0, where errors show
		}
		worstLog = max(worstLog, ulps(log(y), math.Log(y)))
	}
	if worstExp > 3 || worstLog > 2 {
		t.Errorf("exp is off by %v units in the last place, log by %v; wanted 3 and 2 at most", worstExp, worstLog)
	}
	for x, want := range map[float64]float64{0: 1, -709: 0, -math.MaxFloat64: 0, 710: math.Inf(1), math.Inf(-1): 0} {
		if got := exp(x); got != want {
			t.Errorf("exp(%v) = %v, wanted %v", x, got, want)
		}
	}
	if !math.IsNaN(exp(math.NaN())) {
		t.Errorf("exp(NaN) = %v", exp(math.NaN()))
	}
}

// TestLn2Split: the two halves of ln 2 add up, and the high one times any exponent is exact.
func TestLn2Split(t *testing.T) {
	for k := -1075; k <= 1024; k++ {
		product := new(big.Float).SetPrec(200).Mul(big.NewFloat(float64(k)), big.NewFloat(ln2hi))
		if got, _ := product.Float64(); product.Cmp(big.NewFloat(got)) != 0 {
			t.Fatalf("%d·ln2hi is rounded", k)
		}
	}
	if ln2hi+ln2lo != float64(ln2) {
		t.Errorf("ln2hi + ln2lo = %v, wanted %v", ln2hi+ln2lo, ln2)
	}
}

// TestSameBitsEverywhere binds the results of exp and log on every machine to those computed on amd64.
func TestSameBitsEverywhere(t *testing.T) {
	h := fnv.New64a()
	write := func(x float64) {
		var b [8]byte
		for i := range b {
			b[i] = byte(math.Float64bits(x) >> (8 * i))
		}
		h.Write(b[:])
	}
	for i := range 20_000 {
		u := source{seed: 11}.uniform(uint64(i), 0)
		write(exp(float64(u * -40)))
		write(log(float64(u*3) + 1e-9))
	}
	const want uint64 = 0xcbaa74ba245e0dfc
	if got := h.Sum64(); got != want {
		t.Errorf("hash of 40,000 results %#x, wanted %#x", got, want)
	}
}
