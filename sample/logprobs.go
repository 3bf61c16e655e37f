package sample

import "fmt"

// LogProb is a token and the natural logarithm of its probability.
type LogProb struct {
	ID      int32
	LogProb float64
}

// LogProbs is what the model itself says of the next token, before any sampler: the log-probability of the token chosen,
// and the top best, best first.
//
//	ln p[t] = logit[t] - (max + ln Σ exp(logit - max))
func LogProbs(logits []float32, chosen int32, top int) (own LogProb, best []LogProb, err error) {
	if err := checkFinite(logits); err != nil {
		return own, nil, err
	}
	if chosen < 0 || int(chosen) >= len(logits) {
		return own, nil, fmt.Errorf("sample: token chosen: found %d, wanted 0 to %d", chosen, len(logits)-1)
	}
	c := borrow()
	defer giveBack(c)
	c.load(logits)
	c.top(max(top, 1))
	highest := c.list[0].logit
	sum := 0.0
	for _, logit := range logits {
		sum += weight(logit, highest)
	}
	lnSum := float64(highest) + log(sum)
	of := func(id int32) LogProb { return LogProb{id, float64(logits[id]) - lnSum} }
	for _, t := range c.list[:min(max(top, 0), len(c.list))] {
		best = append(best, of(t.id))
	}
	return of(chosen), best, nil
}
