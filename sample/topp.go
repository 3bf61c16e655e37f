package sample

// topP keeps the best candidates until their probabilities reach p. With the candidates best first:
//
//	keep the first n, n the least with p[1] + … + p[n] >= p
//
// Holtzman et al.: The Curious Case of Neural Text Degeneration (2019), "nucleus sampling".
type topP struct {
	p       float64
	minKeep int
}

func topPOff(p *Params) bool { return p.TopP >= 1 }

func newTopP(p *Params, _ *history) stage { return topP{p.TopP, p.MinKeep} }

func (s topP) apply(c *candidates) {
	c.softmax()
	if !c.sorted && s.minKeep <= 1 {
		// Together, n candidates below (1-p)/n hold less than what top-p drops: it never reaches them, and only the
		// others need sorting. Half of it leaves room for rounding.
		floor := (1 - s.p) / float64(2*len(c.list))
		c.filter(func(t candidate) bool { return t.p >= floor })
	}
	c.sort()
	sum := 0.0
	for i, t := range c.list {
		if sum += t.p; sum >= s.p && i+1 >= s.minKeep {
			c.list = c.list[:i+1]
			return
		}
	}
}
