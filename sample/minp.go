package sample

// minP keeps the candidates that have at least a share m of the best one's probability:
//
//	keep t where p[t] >= m·max p, that is logit[t] >= max logit + ln m
//
// Nguyen et al.: Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs (2024).
type minP struct {
	lnShare float64
	minKeep int
}

func minPOff(p *Params) bool { return p.MinP <= 0 }

func newMinP(p *Params, _ *history) stage { return minP{log(p.MinP), p.MinKeep} }

func (s minP) apply(c *candidates) {
	c.enlist()
	best, _ := c.best()
	floor := float64(best.logit) + s.lnShare
	pass := 0
	for _, t := range c.list {
		if float64(t.logit) >= floor {
			pass++
		}
	}
	if pass < s.minKeep {
		c.top(s.minKeep)
		return
	}
	c.filter(func(t candidate) bool { return float64(t.logit) >= floor })
}
