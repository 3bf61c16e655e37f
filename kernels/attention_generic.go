package kernels

import "math"

var attentionGeneric = [blockFormats]attentionKernel{
	blockF32: {
		func(a *Attender, k, _ *Block, at, heads, n int) { a.scoresGeneric(k.F32, at, heads, n) },
		func(a *Attender, v, _ *Block, at, heads, n int) { a.sumRowsGeneric(v.F32, at, heads, n) },
	},
	blockF16: {
		func(a *Attender, k, _ *Block, at, heads, n int) {
			toF32Generic(a.wide, k.F16)
			a.scoresGeneric(a.wide, at, heads, n)
		},
		func(a *Attender, v, _ *Block, at, heads, n int) {
			toF32Generic(a.wide[:n*a.dim], v.F16)
			a.sumRowsGeneric(a.wide, at, heads, n)
		},
	},
	blockQ8: {scoresQ8Generic, sumRowsQ8Generic},
}

// scoresGeneric multiplies queries by the columns of k [dim][page].
func (a *Attender) scoresGeneric(k []float32, at, heads, n int) {
	for h := range heads {
		dst := a.scores[h*TilePositions+at:][:n]
		clear(dst)
		for d := range a.dim {
			axpyGeneric(dst, a.queries[a.first*a.dim+d*QueryRows+h], k[d*a.page:d*a.page+n])
		}
		for j := range dst {
			dst[j] = float32(dst[j] * a.scale)
		}
	}
}

// sumRowsGeneric adds p[j]*v[j] to the parts; v is [n][dim].
func (a *Attender) sumRowsGeneric(v []float32, at, heads, n int) {
	for h := range heads {
		for j, p := range a.scores[h*TilePositions+at:][:n] {
			axpyGeneric(a.parts[h*a.dim:(h+1)*a.dim], p, v[j*a.dim:(j+1)*a.dim])
		}
	}
}

func scoresQ8Generic(a *Attender, k, _ *Block, at, heads, n int) {
	for h := range heads {
		dst := a.scores[h*TilePositions+at:][:n]
		for j := range dst {
			var sum int32
			for d := 0; d < a.dim; d += 4 {
				x, y := k.Q8[(d/4*a.page+j)*4:][:4], a.q8[a.first*a.dim+(d/4*QueryRows+h)*4:][:4]
				sum += int32(x[0])*int32(y[0]) + int32(x[1])*int32(y[1]) + int32(x[2])*int32(y[2]) + int32(x[3])*int32(y[3])
			}
			dst[j] = float32(float32(a.q8Scale[a.first+h]*k.Scale[j]) * float32(sum))
		}
	}
}

func sumRowsQ8Generic(a *Attender, v, _ *Block, at, heads, n int) {
	for i, x := range v.Q8[:n*a.dim] {
		a.wide[i] = float32(x)
	}
	for h := range heads {
		for j, scale := range v.Scale[:n] {
			a.scores[h*TilePositions+at+j] *= scale
		}
	}
	a.sumRowsGeneric(a.wide, at, heads, n)
}

// blendGeneric sets acc to acc*keep + part*share.
func blendGeneric(acc, part []float32, keep, share float32) {
	for i, v := range part {
		acc[i] = float32(acc[i]*keep) + float32(v*share)
	}
}

// softenGeneric replaces scores by e^(s-top), where top is the largest; a NaN reaches the total by itself.
func softenGeneric(_ *Attender, scores []float32) (top, total float32) {
	top = float32(math.Inf(-1))
	for _, s := range scores {
		if s > top {
			top = s
		}
	}
	return top, expSumGeneric(scores, top)
}
