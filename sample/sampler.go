package sample

import (
	"fmt"
	"math"
)

// Sampler chooses the tokens of one answer. It remembers the tokens accepted; it is for one goroutine at a time.
type Sampler struct {
	vocab    int
	stages   []stage
	past     history
	random   source
	mirostat *mirostat // also the last of stages; nil when off
}

// New makes a sampler for logits of vocab tokens. The error names the parameter, what was found and what was wanted.
func New(p Params, vocab int) (*Sampler, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if vocab < 1 || vocab > math.MaxInt32 {
		return nil, fmt.Errorf("sample: vocabulary: found %d tokens, wanted 1 to %d", vocab, math.MaxInt32)
	}
	for id := range p.LogitBias {
		if id < 0 || int(id) >= vocab {
			return nil, fmt.Errorf("sample: logit_bias: found token %d, wanted 0 to %d", id, vocab-1)
		}
	}
	s := &Sampler{vocab: vocab, random: p.source()}
	s.stages = chain(&p, &s.past)
	if n := len(s.stages); p.Mirostat != 0 {
		s.mirostat = s.stages[n-1].(*mirostat)
	}
	return s, nil
}

func (p *Params) source() source { return source{p.Seed, p.Request} }

// Accept appends a token to the history: each token of the prompt, then each chosen. It panics on an id outside the
// vocabulary.
func (s *Sampler) Accept(id int32) {
	if id < 0 || int(id) >= s.vocab {
		panic(fmt.Sprintf("sample: accepted token %d of a vocabulary of %d", id, s.vocab))
	}
	s.past.push(id)
}

// Position is the number of tokens accepted, which keys the random numbers of the next one.
func (s *Sampler) Position() uint64 { return s.past.total }

// Sample chooses the next token. logits are [vocab] and stay as they are. It accepts nothing: called again it answers
// the same. Errors are *NonFiniteError and, for a wrong length, plain.
func (s *Sampler) Sample(logits []float32) (int32, error) {
	c := borrow()
	defer giveBack(c)
	if err := s.narrow(c, logits); err != nil {
		return 0, err
	}
	t := pick(c.list, s.random.uniform(s.past.total, drawToken))
	if s.mirostat != nil {
		s.mirostat.sampled(t.id, t.p)
	}
	return t.id, nil
}

// Prob is a token and its probability.
type Prob struct {
	ID int32
	P  float64
}

// Distribution is what the next Sample draws from, best first, without tokens of probability 0. It sums to 1.
func (s *Sampler) Distribution(logits []float32) ([]Prob, error) {
	c := borrow()
	defer giveBack(c)
	if err := s.narrow(c, logits); err != nil {
		return nil, err
	}
	c.sort()
	var probs []Prob
	for _, t := range c.list {
		if t.p > 0 {
			probs = append(probs, Prob{t.id, t.p})
		}
	}
	return probs, nil
}

// narrow runs the chain and leaves in c.list what may be drawn, with its probabilities.
func (s *Sampler) narrow(c *candidates, logits []float32) error {
	if len(logits) != s.vocab {
		return fmt.Errorf("sample: logits: found %d, wanted %d", len(logits), s.vocab)
	}
	if err := checkFinite(logits); err != nil {
		return err
	}
	c.load(logits)
	for _, stage := range s.stages {
		stage.apply(c)
		if c.dense == nil && len(c.list) == 0 {
			break
		}
	}
	c.enlist()
	if best, ok := c.best(); !ok || best.logit == float32(math.Inf(-1)) {
		return &NonFiniteError{Token: -1, Value: float32(math.Inf(-1)), Vocabulary: s.vocab}
	}
	c.softmax()
	return nil
}

// pick is the candidate at which the running sum of the probabilities passes u of [0, 1).
func pick(list []candidate, u float64) candidate {
	sum, last := 0.0, 0
	for i, t := range list {
		if t.p == 0 {
			continue
		}
		if sum += t.p; sum > u {
			return t
		}
		last = i // the sum may round to a little under 1
	}
	return list[last]
}

// spare holds the working room of samplers that are not sampling, so that many chats share the room of the few that
// sample at once: up to 3 MB each for a vocabulary of 150,000, for the rare chains that list it whole.
var spare = make(chan *candidates, 16)

func borrow() *candidates {
	select {
	case c := <-spare:
		return c
	default:
		return new(candidates)
	}
}

func giveBack(c *candidates) {
	c.dense = nil
	select {
	case spare <- c:
	default:
	}
}
