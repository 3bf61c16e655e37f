package sample

import "slices"

// bias adds a fixed amount to chosen tokens, -Inf to ban one: OpenAI's logit_bias.
//
//	logit[t] += bias[t]
type bias struct{ entries []biasEntry }

type biasEntry struct {
	id int32
	by float32
}

func biasOff(p *Params) bool { return len(p.LogitBias) == 0 }

func newBias(p *Params, _ *history) stage {
	var s bias
	for id, by := range p.LogitBias {
		s.entries = append(s.entries, biasEntry{id, by})
	}
	slices.SortFunc(s.entries, func(a, b biasEntry) int { return int(a.id) - int(b.id) })
	return s
}

func (s bias) apply(c *candidates) {
	for _, e := range s.entries {
		if logit := c.ref(e.id); logit != nil {
			*logit += e.by
		}
	}
}
