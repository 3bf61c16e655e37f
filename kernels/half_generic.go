package kernels

import "github.com/nrt-go/nrt/quant"

// F16ToF32 widens half-precision numbers; every half is a float32.
func F16ToF32(dst []float32, src []uint16) { active.toF32(dst, src) }

// F32ToF16 rounds to half precision, ties to even. What is too large becomes an infinity, a NaN stays one.
func F32ToF16(dst []uint16, src []float32) { active.toF16(dst, src) }

func toF32Generic(dst []float32, src []uint16) {
	src = src[:len(dst)]
	for i, h := range src {
		dst[i] = quant.F16ToF32(h)
	}
}

func toF16Generic(dst []uint16, src []float32) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = quant.F32ToF16(v)
	}
}
