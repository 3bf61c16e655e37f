package kernels

import "math"

// F16ToF32 widens half-precision numbers; every half is a float32.
func F16ToF32(dst []float32, src []uint16) { active.toF32(dst, src) }

// F32ToF16 rounds to half precision, ties to even. What is too large becomes an infinity, a NaN stays one.
func F32ToF16(dst []uint16, src []float32) { active.toF16(dst, src) }

func toF32Generic(dst []float32, src []uint16) {
	src = src[:len(dst)]
	for i, h := range src {
		dst[i] = widen(h)
	}
}

// widen moves exponent and fraction to their places in a float32 and corrects the exponent's bias by one exact
// multiplication, which also normalises subnormal halves.
func widen(h uint16) float32 {
	const bias = 0x1p112
	sign := uint32(h&0x8000) << 16
	rest := uint32(h & 0x7fff)
	if rest >= 0x7c00 {
		return math.Float32frombits(sign | 0x7f800000 | rest<<13)
	}
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(rest<<13)*bias))
}

func toF16Generic(dst []uint16, src []float32) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = narrow(v)
	}
}

func narrow(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits>>16) & 0x8000
	bits &= 0x7fffffff
	switch {
	case bits > 0x7f800000:
		return sign | 0x7e00
	case bits >= 0x477ff000: // 65520 and more round to infinity
		return sign | 0x7c00
	case bits < 0x38800000: // below 2^-14: adding 0.5 leaves the subnormal's bits at the low end, rounded by the adder
		return sign | uint16(math.Float32bits(math.Float32frombits(bits)+0.5)-0x3f000000)
	}
	bits += 0xfff + bits>>13&1
	return sign | uint16((bits-0x38000000)>>13)
}
