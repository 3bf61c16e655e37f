package kernels

import "math"

// RMSNorm writes x / sqrt(mean(x²) + eps) * weight to dst, which may be x. The squares are summed as Dot does.
func RMSNorm(dst, x, weight []float32, eps float32) { active.rmsNorm(dst, x, weight, eps) }

func rmsNormGeneric(dst, x, weight []float32, eps float32) {
	scaleRow(dst, x, weight, rmsScale(dotGeneric(x, x), len(x), eps))
}

// rmsScale is 1 / sqrt(mean + eps) of n squares that add up to sum.
func rmsScale(sum float32, n int, eps float32) float32 {
	return float32(1 / math.Sqrt(float64(sum)/float64(n)+float64(eps)))
}

// scaleRow writes x*scale*weight to dst.
func scaleRow(dst, x, weight []float32, scale float32) {
	dst, weight = dst[:len(x)], weight[:len(x)]
	for i, v := range x {
		dst[i] = float32(float32(v*scale) * weight[i])
	}
}
