package sample

import (
	"cmp"
	"math"
	"slices"
)

// candidate is a token that may still be chosen.
type candidate struct {
	id    int32
	logit float32
	p     float64 // valid after softmax, until the next change
}

// byLogit orders candidates best first, equal ones by id.
func byLogit(a, b candidate) int {
	if a.logit != b.logit {
		return cmp.Compare(b.logit, a.logit)
	}
	return cmp.Compare(a.id, b.id)
}

// candidates is what is left of the vocabulary on its way through a chain.
//
// It starts dense, as the caller's slice of logits itself: most chains cut 150,000 tokens down to 40 at once, and need
// never list the rest. ref copies that slice before the first write; list leaves it for good.
type candidates struct {
	dense  []float32   // [vocabulary] logit by token id; nil once listed
	ours   bool        // dense is our copy
	list   []candidate // when listed: in order of id, or best first
	sorted bool        // list is best first

	copied []float32 // room for dense
	scores []scored  // room for typical
}

func (c *candidates) load(logits []float32) {
	c.dense, c.ours = logits, false
	c.list, c.sorted = c.list[:0], false
}

// ref is where the logit of a token stands, nil when the token is out. What is written there must not be NaN or +Inf.
func (c *candidates) ref(id int32) *float32 {
	if c.dense != nil {
		if !c.ours {
			c.copied = append(c.copied[:0], c.dense...)
			c.dense, c.ours = c.copied, true
		}
		return &c.dense[id]
	}
	i := slices.IndexFunc(c.list, func(t candidate) bool { return t.id == id })
	if i < 0 {
		return nil
	}
	c.sorted = false
	return &c.list[i].logit
}

// enlist turns the dense form into the list, without the masked tokens.
func (c *candidates) enlist() {
	if c.dense == nil {
		return
	}
	c.list = slices.Grow(c.list[:0], len(c.dense))
	for id, logit := range c.dense {
		if logit != float32(math.Inf(-1)) {
			c.list = append(c.list, candidate{id: int32(id), logit: logit})
		}
	}
	c.dense, c.sorted = nil, false
}

// sort puts the list in order, best first.
func (c *candidates) sort() {
	c.enlist()
	if !c.sorted {
		slices.SortFunc(c.list, byLogit)
		c.sorted = true
	}
}

// filter keeps the candidates that pass, in their order.
func (c *candidates) filter(pass func(t candidate) bool) {
	kept := c.list[:0]
	for _, t := range c.list {
		if pass(t) {
			kept = append(kept, t)
		}
	}
	c.list = kept
}

// best is the candidate with the highest logit, of equal ones that with the lowest id; false when none is left.
func (c *candidates) best() (candidate, bool) {
	if len(c.list) == 0 {
		return candidate{}, false
	}
	best := c.list[0]
	if !c.sorted {
		for _, t := range c.list[1:] {
			if byLogit(t, best) < 0 {
				best = t
			}
		}
	}
	return best, true
}

// softmax lists the candidates and gives each its probability: p = exp(logit - max) / Σ exp(logit - max).
func (c *candidates) softmax() {
	c.enlist()
	best, _ := c.best()
	sum := 0.0
	for i := range c.list {
		t := &c.list[i]
		t.p = weight(t.logit, best.logit)
		sum += t.p
	}
	for i := range c.list {
		c.list[i].p /= sum
	}
}

// weight is exp(logit - highest). It is not inlined: in the middle of a loop the conversion to float64 would wait, through
// a register it overwrites only half, for the exp before it, and the loop would take four times as long.
//
//go:noinline
func weight(logit, highest float32) float64 { return exp(float64(logit) - float64(highest)) }

// entropy is -Σ p·ln p, nats. It wants softmax first.
func (c *candidates) entropy() float64 {
	h := 0.0
	for _, t := range c.list {
		if t.p > 0 {
			h -= float64(t.p * log(t.p))
		}
	}
	return h
}
