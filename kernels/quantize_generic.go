package kernels

import "math"

// Activations are quantised once per product input. A block's scale is its largest magnitude over 127; a block with a
// NaN or an infinity gets a NaN as its scale, so that every product with it is NaN and is seen at the end of the
// forward pass. A block whose magnitudes are all below 1e-36 counts as zero.
const (
	nonFinite = 0x7f800000 // as an integer, the bits of |x| are at least this for infinities and NaNs
	tiny      = 1e-36
	rounder   = 12582912 // 1.5 * 2^23: adding it leaves the nearest integer, ties to even, in the low bits
)

// scaleOf returns a block's scale and the factor that brings its elements to -127..127.
func scaleOf(x []float32) (scale, factor float32) {
	var most uint32
	for _, v := range x {
		most = max(most, math.Float32bits(v)&0x7fffffff)
	}
	if most >= nonFinite {
		return float32(math.NaN()), 0
	}
	amax := math.Float32frombits(most)
	if amax < tiny {
		return 0, 0
	}
	return amax / 127, 127 / amax
}

// roundTo writes x*factor to q, rounded to nearest with ties to even, and returns the sum of q.
func roundTo(q []int8, x []float32, factor float32) int32 {
	clear(q)
	if factor == 0 {
		return 0
	}
	var sum int32
	q = q[:len(x)]
	for i, v := range x {
		n := int32(math.Float32bits(float32(v*factor)+rounder)) - 0x4b400000
		q[i] = int8(n)
		sum += n
	}
	return sum
}

// quant32Generic quantises blocks of 32: q [cols], scale [cols/32], and sum [cols/32] = scale * Σq, which formats with
// an offset multiply by that offset.
func quant32Generic(q []int8, scale, sum, x []float32) {
	for b := range scale {
		part := x[b*32 : b*32+32]
		s, factor := scaleOf(part)
		n := roundTo(q[b*32:b*32+32], part, factor)
		scale[b], sum[b] = s, float32(s*float32(n))
	}
}

// quant256Generic quantises blocks of 256: q [cols], scale [cols/256], and sums [cols/16], the Σq of every sixteen.
func quant256Generic(q []int8, scale []float32, sums []int16, x []float32) {
	for b := range scale {
		s, factor := scaleOf(x[b*256 : b*256+256])
		scale[b] = s
		for g := b * 16; g < b*16+16; g++ {
			sums[g] = int16(roundTo(q[g*16:g*16+16], x[g*16:g*16+16], factor))
		}
	}
}
