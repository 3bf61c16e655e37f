//go:build (amd64 || arm64) && !purego && !race

package kernels

// vectors puts an architecture's float operations in place of the Go loops. They are the same in all of its instruction
// sets: what they read comes from cache, where wider registers gain little.
func vectors(row *isa) {
	row.dot, row.max = dotVector, maxVector
	row.expSum, row.swiglu, row.rmsNorm = expSumVector, swigluVector, rmsNormVector
	row.toF32, row.toF16 = toF32Vector, toF16Vector
	row.record32, row.record256 = record32Vector, record256Vector
}

// The float32 operations: assembly does whole vectors, the Go loop the rest. Each is the same bits as its generic form.

func dotVector(a, b []float32) float32 {
	whole := len(a) &^ 15
	if whole == 0 {
		return dotGeneric(a, b)
	}
	b = b[:len(a)]
	var lane [16]float32
	dotLanesAsm(&lane, &a[0], &b[0], whole)
	for i := whole; i < len(a); i++ {
		lane[i&15] += float32(a[i] * b[i])
	}
	return sumLanes(&lane)
}

func maxVector(x []float32) float32 {
	whole := len(x) &^ 7
	if whole == 0 {
		return maxGeneric(x)
	}
	top := maxAsm(&x[0], whole)
	if whole < len(x) {
		return maxGeneric([]float32{top, maxGeneric(x[whole:])})
	}
	return top
}

func expSumVector(x []float32, top float32) float32 {
	whole := len(x) &^ 15
	if whole == 0 {
		return expSumGeneric(x, top)
	}
	var lane [16]float32
	expLanesAsm(&lane, &x[0], top, whole)
	for i := whole; i < len(x); i++ {
		x[i] = exp32(x[i] - top)
		lane[i&15] += x[i]
	}
	return sumLanes(&lane)
}

func swigluVector(gate, up []float32) {
	whole := len(gate) &^ 7
	if whole > 0 {
		_ = up[whole-1]
		swigluAsm(&gate[0], &up[0], whole)
	}
	swigluGeneric(gate[whole:], up[whole:])
}

func rmsNormVector(dst, x, weight []float32, eps float32) {
	scale := rmsScale(dotVector(x, x), len(x), eps)
	whole := len(x) &^ 7
	if whole > 0 {
		_, _ = dst[whole-1], weight[whole-1]
		scaleByAsm(&dst[0], &x[0], &weight[0], whole, scale)
	}
	scaleRow(dst[whole:], x[whole:], weight[whole:], scale)
}

func toF32Vector(dst []float32, src []uint16) {
	whole := len(dst) &^ 7
	if whole > 0 {
		_ = src[whole-1]
		widenAsm(&dst[0], &src[0], whole)
	}
	toF32Generic(dst[whole:], src[whole:])
}

func toF16Vector(dst []uint16, src []float32) {
	whole := len(src) &^ 7
	if whole > 0 {
		_ = dst[whole-1]
		narrowAsm(&dst[0], &src[0], whole)
	}
	toF16Generic(dst[whole:], src[whole:])
}

func record32Vector(dst []byte, x []float32, stride int) {
	if blocks := len(x) / 32; blocks > 0 {
		_ = dst[(blocks-1)*stride+record32-1]
		record32Asm(&dst[0], &x[0], blocks, stride)
	}
}

func record256Vector(dst []byte, x []float32, stride int) {
	if blocks := len(x) / 256; blocks > 0 {
		_ = dst[(blocks-1)*stride+record256-1]
		record256Asm(&dst[0], &x[0], blocks, stride)
	}
}
