package quant

import (
	"encoding/binary"
	"math"
)

const maxF16 = 65504

// F16ToF32 widens an IEEE 754 half; exact, and a signalling NaN becomes a quiet one, as the hardware does it.
func F16ToF32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	magnitude := uint32(h & 0x7fff)
	switch {
	case magnitude > 0x7c00: // NaN
		return math.Float32frombits(sign | 0x7fc00000 | magnitude<<13)
	case magnitude == 0x7c00:
		return math.Float32frombits(sign | 0x7f800000)
	case magnitude >= 0x0400:
		return math.Float32frombits(sign | magnitude<<13 + 112<<23) // exponent bias 15 -> 127
	default: // subnormal: a count of 2^-24, which float32 holds as a normal number
		return math.Float32frombits(sign | math.Float32bits(float32(magnitude)*0x1p-24))
	}
}

// F32ToF16 rounds to the nearest half, ties to even; too large a number becomes infinity, and every NaN 0x7e00 with
// its sign, as in ggml.
func F32ToF16(x float32) uint16 {
	bits := math.Float32bits(x)
	sign := uint16(bits >> 16 & 0x8000)
	magnitude := bits & 0x7fffffff
	switch {
	case magnitude > 0x7f800000: // NaN
		return sign | 0x7e00
	case magnitude >= 0x477ff000: // 65520, where rounding leaves the range
		return sign | 0x7c00
	case magnitude >= 0x38800000: // 2^-14, the smallest normal half
		odd := magnitude >> 13 & 1
		return sign | uint16((magnitude-112<<23+0xfff+odd)>>13)
	default: // adding 0.5 lets the adder round to a multiple of 2^-24, a subnormal's unit
		rounded := math.Float32frombits(magnitude) + 0.5
		return sign | uint16(math.Float32bits(rounded)-0x3f000000)
	}
}

// BF16ToF32 widens a bfloat16: the upper half of a float32.
func BF16ToF32(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// F32ToBF16 rounds to the nearest bfloat16, ties to even; a NaN stays one and becomes quiet, as in ggml.
func F32ToBF16(x float32) uint16 {
	bits := math.Float32bits(x)
	if bits&0x7fffffff > 0x7f800000 {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// getF16 reads the half with which src begins.
func getF16(src []byte) float32 { return F16ToF32(binary.LittleEndian.Uint16(src)) }

// putF16 writes x as a half at the beginning of dst.
func putF16(dst []byte, x float32) { binary.LittleEndian.PutUint16(dst, F32ToF16(x)) }
