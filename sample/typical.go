package sample

import (
	"cmp"
	"slices"
)

// typical keeps the candidates whose surprise is nearest to the expected one. With H = -Σ p·ln p, and the candidates in
// order of |-ln p[t] - H|, smallest first:
//
//	keep the first n, n the least with p[1] + … + p[n] > p
//
// Meister, Pimentel, Wiher and Cotterell: Locally Typical Sampling (2022).
type typical struct {
	p       float64
	minKeep int
}

// scored is a candidate by its place in the list and its distance from the typical.
type scored struct {
	distance float64
	place    int32
}

func typicalOff(p *Params) bool { return p.TypicalP >= 1 }

func newTypical(p *Params, _ *history) stage { return typical{p.TypicalP, p.MinKeep} }

func (s typical) apply(c *candidates) {
	c.softmax()
	h := c.entropy()
	if s.minKeep <= 1 {
		// Candidates below exp(-2H) are further from H than all the others, and those below (1-p)/n are together too few
		// to be needed: what is below both need not be sorted. Half of it leaves room for rounding.
		floor := min(exp(-2*h), (1-s.p)/float64(len(c.list))) / 2
		c.filter(func(t candidate) bool { return t.p >= floor })
	}
	c.scores = c.scores[:0]
	for i, t := range c.list {
		if t.p > 0 {
			c.scores = append(c.scores, scored{abs(-log(t.p) - h), int32(i)})
		}
	}
	slices.SortFunc(c.scores, func(a, b scored) int {
		if a.distance != b.distance {
			return cmp.Compare(a.distance, b.distance)
		}
		return byLogit(c.list[a.place], c.list[b.place])
	})
	kept, sum := c.scores, 0.0
	for i, t := range c.scores {
		if sum += c.list[t.place].p; sum > s.p && i+1 >= s.minKeep {
			kept = c.scores[:i+1]
			break
		}
	}
	// Back into the order of the list, which other samplers and the draw rely on.
	slices.SortFunc(kept, func(a, b scored) int { return int(a.place) - int(b.place) })
	for i, t := range kept {
		c.list[i] = c.list[t.place]
	}
	c.list = c.list[:len(kept)]
}

func abs(x float64) float64 { return max(x, -x) }
