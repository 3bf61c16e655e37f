package sample

import "math/bits"

// What a random number is for. One position may need several: each has a counter of its own, so that turning one
// sampler on leaves the draws of the others as they were.
const (
	drawToken uint32 = iota
	drawXTC
)

// source gives the random numbers of one answer. It has no state: the number of a position is the same however many
// were drawn before.
type source struct {
	seed    uint64
	request uint32
}

// uniform is a number in [0, 1) with 53 random bits.
func (s source) uniform(position uint64, purpose uint32) float64 {
	x := philox([4]uint32{uint32(position), uint32(position >> 32), s.request, purpose},
		[2]uint32{uint32(s.seed), uint32(s.seed >> 32)})
	return float64((uint64(x[1])<<32|uint64(x[0]))>>11) / (1 << 53)
}

// philox is Philox4x32-10: ten rounds of multiply, swap and key on a 128-bit counter. Salmon, Moraes, Dror and Shaw:
// Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011).
func philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		hi0, lo0 := bits.Mul32(0xD2511F53, counter[0])
		hi1, lo1 := bits.Mul32(0xCD9E8D57, counter[2])
		counter = [4]uint32{hi1 ^ counter[1] ^ key[0], lo1, hi0 ^ counter[3] ^ key[1], lo0}
		key[0] += 0x9E3779B9 // golden ratio
		key[1] += 0xBB67AE85 // sqrt(3) - 1
	}
	return counter
}
