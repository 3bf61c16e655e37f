package sample

// xtc ("exclude top choices") sometimes drops all good candidates but the least of them. With probability q, where at
// least two candidates have p[t] >= threshold:
//
//	drop those, except the one of them with the lowest probability
//
// p-e-w: text-generation-webui pull request 6335 (2024).
type xtc struct {
	probability, threshold float64
	minKeep                int
	past                   *history
	random                 source
}

func xtcOff(p *Params) bool { return p.XTCProbability <= 0 || p.XTCThreshold > 0.5 }

func newXTC(p *Params, past *history) stage {
	return xtc{p.XTCProbability, p.XTCThreshold, p.MinKeep, past, p.source()}
}

func (s xtc) apply(c *candidates) {
	if s.random.uniform(s.past.total, drawXTC) >= s.probability {
		return
	}
	c.softmax()
	top, least := 0, candidate{}
	for _, t := range c.list {
		if t.p >= s.threshold {
			if top == 0 || byLogit(t, least) > 0 {
				least = t
			}
			top++
		}
	}
	if top < 2 || len(c.list)-top+1 < s.minKeep {
		return
	}
	c.filter(func(t candidate) bool { return t.p < s.threshold || t.id == least.id })
}
