package sample

import "math"

// sigma keeps the logits within n standard deviations of the best one. With M the highest logit and σ the standard
// deviation of all of them:
//
//	keep t where logit[t] >= M - n·σ
//
// Tang, Liu, Xu, Liu and Huang: Top-nσ: Not All Logits Are You Need (2024). It cuts the same at every temperature.
type sigma struct{ n float64 }

func sigmaOff(p *Params) bool { return p.TopNSigma <= 0 }

func newSigma(p *Params, _ *history) stage { return sigma{p.TopNSigma} }

func (s sigma) apply(c *candidates) {
	c.enlist()
	best, ok := c.best()
	if !ok {
		return
	}
	n, sum := float64(len(c.list)), 0.0
	for _, t := range c.list {
		sum += float64(t.logit)
	}
	mean, squares := sum/n, 0.0
	for _, t := range c.list {
		d := float64(t.logit) - mean
		squares += float64(d * d)
	}
	floor := float64(best.logit) - float64(s.n*math.Sqrt(squares/n))
	c.filter(func(t candidate) bool { return float64(t.logit) >= floor })
}
