package sample

import "math"

// exp and log are here because package math's may differ in the last bit from one machine to the next (assembly on some,
// fused multiply-adds on others), and one bit can change a token. Each explicit float64() keeps a product from being
// fused into the sum around it.

const (
	ln2   = 0.693147180559945309417232121458176568
	ln2hi = 6.93147180369123816490e-01 // the top 32 bits: times a small integer it is exact
	ln2lo = ln2 - ln2hi
)

// exp is e^x within 3 units in the last place; 0 below -708, +Inf above 709.
//
// x = k·ln2 + r with |r| <= ln2/2, and e^x = 2^k · Σ r^n/n!, thirteen terms after which the rest is under 2^-57. The even
// and the odd terms are two independent sums, which a processor computes side by side.
func exp(x float64) float64 {
	if x < -708 {
		return 0
	}
	if x > 709 {
		return math.Inf(1)
	}
	k := math.Floor(float64(x*(1/ln2)) + 0.5)
	r := (x - float64(k*ln2hi)) - float64(k*ln2lo)
	q := float64(r * r)
	even := 1 + float64(q*(1./2+float64(q*(1./24+float64(q*(1./720+float64(q*(1./40320+
		float64(q*(1./3628800+float64(q*(1./479001600))))))))))))
	odd := 1 + float64(q*(1./6+float64(q*(1./120+float64(q*(1./5040+float64(q*(1./362880+
		float64(q*(1./39916800+float64(q*(1./6227020800))))))))))))
	sum := even + float64(r*odd)
	return sum * math.Float64frombits(uint64(int64(k)+1023)<<52)
}

// log is the natural logarithm of a positive finite x within 2 units in the last place.
//
// x = 2^k · m with m in [√½, √2), s = (m-1)/(m+1), and ln m = 2·Σ s^(2n+1)/(2n+1), eleven terms after which the rest is
// under 2^-57.
func log(x float64) float64 {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		k--
	}
	s := (m - 1) / (m + 1)
	q := float64(s * s)
	sum := float64(q * (1./3 + float64(q*(1./5+float64(q*(1./7+float64(q*(1./9+float64(q*(1./11+
		float64(q*(1./13+float64(q*(1./15+float64(q*(1./17+float64(q*(1./19+float64(q*(1./21))))))))))))))))))))
	tail := float64(float64(2*s)*sum) + float64(float64(k)*ln2lo)
	return float64(float64(k)*ln2hi) + (float64(2*s) + tail)
}
