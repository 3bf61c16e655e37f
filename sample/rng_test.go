package sample

import (
	"math"
	"testing"
)

// TestPhiloxKnownAnswers: the vectors published with Random123 (kat_vectors, philox4x32 10).
func TestPhiloxKnownAnswers(t *testing.T) {
	const f = 0xffffffff
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{f, f, f, f}, [2]uint32{f, f}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(c.counter, c.key); got != c.want {
			t.Errorf("philox(%08x, %08x) = %08x, wanted %08x", c.counter, c.key, got, c.want)
		}
	}
}

// TestUniformKeys: each of seed, request, position and purpose changes the number, and nothing else does.
func TestUniformKeys(t *testing.T) {
	base := source{seed: 1, request: 2}.uniform(3, drawToken)
	if again := (source{seed: 1, request: 2}).uniform(3, drawToken); again != base {
		t.Errorf("drawn twice: %v, then %v", base, again)
	}
	for name, other := range map[string]float64{
		"seed":            source{seed: 9, request: 2}.uniform(3, drawToken),
		"seed, high bits": source{seed: 1 | 1<<40, request: 2}.uniform(3, drawToken),
		"request":         source{seed: 1, request: 3}.uniform(3, drawToken),
		"position":        source{seed: 1, request: 2}.uniform(4, drawToken),
		"position, high":  source{seed: 1, request: 2}.uniform(3|1<<40, drawToken),
		"purpose":         source{seed: 1, request: 2}.uniform(3, drawXTC),
	} {
		if other == base {
			t.Errorf("another %s gives the same number %v", name, base)
		}
	}
}

// TestUniformIsUniform counts 200,000 numbers in 100 equal bins. The bound is the 0.1 % point of chi-square with 99
// degrees of freedom.
func TestUniformIsUniform(t *testing.T) {
	const draws, bins = 200_000, 100
	var counts [bins]int
	for i := range uint64(draws) {
		u := source{seed: 42}.uniform(i, drawToken)
		if u < 0 || u >= 1 {
			t.Fatalf("number %d: %v, wanted [0, 1)", i, u)
		}
		counts[int(u*bins)]++
	}
	chi := 0.0
	for _, n := range counts {
		chi += math.Pow(float64(n)-draws/bins, 2) / (draws / bins)
	}
	if chi > 148.23 {
		t.Errorf("chi-square %.1f over %d bins, wanted under 148.2", chi, bins)
	}
}
