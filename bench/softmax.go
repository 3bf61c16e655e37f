package bench

import (
	"fmt"
	"math"
)

// logNorm is log Σ exp(logits), in float64: the logarithm of a token's probability is its logit less this. It refuses
// numbers that are no distribution.
func logNorm(logits []float32) (float64, error) {
	top := math.Inf(-1)
	for id, v := range logits {
		if v != v || math.IsInf(float64(v), 1) {
			return 0, fmt.Errorf("bench: the logit of token %d is %g, want a number", id, v)
		}
		top = max(top, float64(v))
	}
	if math.IsInf(top, -1) {
		return 0, fmt.Errorf("bench: none of %d logits is above -Inf", len(logits))
	}
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum), nil
}

// divergence is KL(ref || ours) = Σ p·(log p − log q) in nats, both given as logits [vocab] with their norms.
func divergence(ref, ours []float32, refNorm, oursNorm float64) float64 {
	kl := 0.0
	for id, v := range ref {
		logp := float64(v) - refNorm
		p := math.Exp(logp)
		if p > 0 { // a token that the reference rules out adds nothing, whatever ours says
			kl += p * (logp - (float64(ours[id]) - oursNorm))
		}
	}
	return max(kl, 0) // rounding may leave −1e-16 where the two agree
}

// top is the first token with the highest logit.
func top(logits []float32) int {
	best := 0
	for id, v := range logits {
		if v > logits[best] {
			best = id
		}
	}
	return best
}
