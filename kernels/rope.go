package kernels

import "math"

// Angles writes the cosines and sines of position * frequency, both [len(freq)] and multiplied by magnitude. Position
// times frequency, its reduction and its sine are float64, so only the last rounding is float32's.
func Angles(cos, sin []float32, position int, freq []float64, magnitude float64) {
	for i, f := range freq {
		s, c := sincos(float64(position) * f)
		cos[i], sin[i] = float32(c*magnitude), float32(s*magnitude)
	}
}

// RoPE rotates a head x in place by the angles of its position; what lies beyond the rotated part stays. With n
// angles, neox pairs element i with element i+n, otherwise element 2i goes with 2i+1.
func RoPE(x, cos, sin []float32, neox bool) {
	n := len(cos)
	step, far := 2, 1
	if neox {
		step, far = 1, n
	}
	for i := range n {
		a, b := x[i*step], x[i*step+far]
		x[i*step] = float32(a*cos[i]) - float32(b*sin[i])
		x[i*step+far] = float32(a*sin[i]) + float32(b*cos[i])
	}
}

// sincos is sine and cosine of x >= 0 for x up to about 2^27, the same bits on every machine, within 2e-16 of the true
// values. The standard library's may differ between machines: its compiler may fuse multiply and add.
func sincos(x float64) (sin, cos float64) {
	const ( // pi/2 in three parts; the first two have so few bits that n times them is exact
		part1 = 1.57079625129699707031
		part2 = 7.54978941586159635336e-08
		part3 = 5.39030285815811905290e-15
	)
	n := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	r := x - float64(n*part1)
	r -= float64(n * part2)
	r -= float64(n * part3)
	square := float64(r * r)
	sin = float64(r*odd(square)) + r
	cos = float64(square*even(square)) + 1
	switch int64(n) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

// odd is (sin(r)/r - 1) and even (cos(r)-1)/r² as Taylor sums in z = r² <= (pi/4)²; the first term left out is below
// 1e-17.
func odd(z float64) float64 {
	return horner(z, 1./355687428096000, -1./1307674368000, 1./6227020800, -1./39916800, 1./362880, -1./5040, 1./120, -1./6) * z
}

func even(z float64) float64 {
	return horner(z, -1./6402373705728000, 1./20922789888000, -1./87178291200, 1./479001600, -1./3628800, 1./40320, -1./720, 1./24, -1./2)
}

func horner(z float64, coefficients ...float64) float64 {
	var sum float64
	for _, c := range coefficients {
		sum = float64(sum*z) + c
	}
	return sum
}
