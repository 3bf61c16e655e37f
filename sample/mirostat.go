package sample

// mirostat holds the surprise of the text near a target τ (bits) by moving the cut. With μ, 2τ at first:
//
//	keep t where -log2 p[t] <= μ (at least the best one); choose t of those
//	μ = μ - η·(-log2 p'[t] - τ), p' the probability among those kept
//
// Basu, Ramachandran, Keskar and Varshney: Mirostat (2021), version 2.
//
// μ moves when the token sampled is accepted, so that sampling twice without accepting changes nothing. It depends on
// past logits: an answer continued elsewhere from its tokens alone starts again at 2τ.
type mirostat struct {
	tau, eta float64
	mu       float64
	chosen   int32 // the token last sampled, -1 when it has been dealt with
	surprise float64
}

func mirostatOff(p *Params) bool { return p.Mirostat == 0 }

func newMirostat(p *Params, past *history) stage {
	s := &mirostat{tau: p.MirostatTau, eta: p.MirostatEta, mu: 2 * p.MirostatTau, chosen: -1}
	past.watch = append(past.watch, s.accepted)
	return s
}

func (s *mirostat) apply(c *candidates) {
	c.softmax()
	floor := exp(-s.mu * ln2)
	best, _ := c.best()
	c.filter(func(t candidate) bool { return t.p >= floor || t.id == best.id })
}

// sampled notes the probability with which a token was drawn.
func (s *mirostat) sampled(id int32, p float64) { s.chosen, s.surprise = id, -log(p)/ln2 }

func (s *mirostat) accepted(id int32) {
	if id == s.chosen {
		s.mu -= float64(s.eta * (s.surprise - s.tau))
	}
	s.chosen = -1
}
