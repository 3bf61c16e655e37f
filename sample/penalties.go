package sample

// penalties makes tokens of the last n less likely. With count(t) the times that t stands there, for each with
// count(t) > 0:
//
//	logit[t] = logit[t] / repeat   where it is positive, else logit[t] * repeat
//	logit[t] = logit[t] - count(t)·frequency - presence
//
// Repetition: Keskar et al.: CTRL (2019), which only divides; a negative logit must be multiplied, or the token gains.
// Frequency and presence: OpenAI's.
type penalties struct {
	repeat, frequency, presence float32
	counts                      tally
}

func penaltiesOff(p *Params) bool {
	return p.RepeatLastN == 0 || p.RepeatPenalty == 1 && p.FrequencyPenalty == 0 && p.PresencePenalty == 0
}

func newPenalties(p *Params, past *history) stage {
	s := &penalties{
		repeat:    float32(p.RepeatPenalty),
		frequency: float32(p.FrequencyPenalty),
		presence:  float32(p.PresencePenalty),
	}
	window := p.RepeatLastN
	past.widen(window)
	past.watch = append(past.watch, func(id int32) {
		if last := past.tail(window); window > 0 && len(last) == window {
			s.counts.remove(last[0])
		}
		s.counts.add(id)
	})
	return s
}

func (s *penalties) apply(c *candidates) {
	for _, seen := range s.counts {
		logit := c.ref(seen.id)
		if logit == nil {
			continue
		}
		x := *logit
		if x > 0 {
			x /= s.repeat
		} else {
			x *= s.repeat
		}
		*logit = x - (float32(float32(seen.n)*s.frequency) + s.presence)
	}
}
