package kernels

import "math"

// exp32 is e to the x in float32 arithmetic only, so that every machine has the same bits: x is cut into n*ln2 + r
// with |r| <= ln2/2, a polynomial of degree six gives e^r, and n goes into the exponent. The relative error against
// float64 is below 2e-7 wherever the result is a normal number; results below the smallest normal number are zero.
func exp32(x float32) float32 {
	const (
		log2e = 1.44269504
		ln2hi = 0.693359375 // has few bits, so n*ln2hi is exact
		ln2lo = -2.12194440e-4
		round = 12582912 // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
	)
	switch {
	case x != x:
		return x
	case x > 88.72283:
		return float32(math.Inf(1))
	case x < -87.33654:
		return 0
	}
	shifted := float32(x*log2e) + round
	n := shifted - round
	r := x - float32(n*ln2hi)
	r -= float32(n * ln2lo)
	p := float32(1.9875691e-4)
	p = float32(p*r) + 1.3981999e-3
	p = float32(p*r) + 8.3334519e-3
	p = float32(p*r) + 4.1665796e-2
	p = float32(p*r) + 1.6666665e-1
	p = float32(p*r) + 5.0000001e-1
	p = float32(float32(p*r)*r) + r
	p++
	// Two steps: at the upper end 2^n alone would overflow although the product does not.
	half := int32(n) / 2
	return float32(p*exponent(half)) * exponent(int32(n)-half)
}

// exponent is 2^n for -126 <= n <= 127.
func exponent(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }

// ExpSum replaces every x by e^(x-max) and returns the sum, in sixteen lanes as Dot does.
func ExpSum(x []float32, max float32) float32 { return active.expSum(x, max) }

func expSumGeneric(x []float32, max float32) float32 {
	var lane [16]float32
	for i, v := range x {
		e := exp32(v - max)
		x[i] = e
		lane[i&15] += e
	}
	return sumLanes(&lane)
}

// Softmax turns x into probabilities. A NaN or +Inf among them makes all of them NaN.
func Softmax(x []float32) {
	if len(x) == 0 {
		return
	}
	scale := 1 / ExpSum(x, Max(x))
	for i := range x {
		x[i] = float32(x[i] * scale)
	}
}

// Max is the largest element, or NaN where there is one; x is not empty.
func Max(x []float32) float32 { return active.max(x) }

func maxGeneric(x []float32) float32 {
	m := x[0]
	for _, v := range x[1:] {
		if v > m || v != v {
			m = v
		}
		if m != m {
			return m
		}
	}
	return m
}

// SwiGLU replaces gate by silu(gate)*up, where silu(g) = g / (1 + e^-g).
func SwiGLU(gate, up []float32) { active.swiglu(gate, up) }

func swigluGeneric(gate, up []float32) {
	up = up[:len(gate)]
	for i, g := range gate {
		gate[i] = float32(g/(1+exp32(-g))) * up[i]
	}
}
