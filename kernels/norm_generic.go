package kernels

import "math"

// RMSNorm writes x / sqrt(mean(x²) + eps) * weight to dst, which may be x. The squares are summed as Dot does.
func RMSNorm(dst, x, weight []float32, eps float32) { active.rmsNorm(dst, x, weight, eps) }

func rmsNormGeneric(dst, x, weight []float32, eps float32) {
	mean := float64(dotGeneric(x, x)) / float64(len(x))
	scale := float32(1 / math.Sqrt(mean+float64(eps)))
	dst, weight = dst[:len(x)], weight[:len(x)]
	for i, v := range x {
		dst[i] = float32(float32(v*scale) * weight[i])
	}
}
