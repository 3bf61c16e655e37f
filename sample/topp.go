package sample

import "slices"

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

// apply sorts no more of the list than it keeps, or a few times that: a model that is sure keeps ten tokens of 150,000.
func (s topP) apply(c *candidates) {
	c.softmax()
	sum, ahead := 0.0, 0 // the first ahead candidates are in order
	if c.sorted {
		ahead = len(c.list)
	}
	for i := range c.list {
		if i == ahead {
			ahead = min(len(c.list), max(128, 4*ahead))
			selectBest(c.list[i:], ahead-i)
			slices.SortFunc(c.list[i:ahead], byLogit)
		}
		if sum += c.list[i].p; sum >= s.p && i+1 >= s.minKeep {
			c.list = c.list[:i+1]
			break
		}
	}
	c.sorted = true
}
