package grammar

import (
	"fmt"
	"slices"
	"sync"
)

// Constraint is a grammar compiled for a vocabulary. It may be used by several goroutines.
type Constraint struct {
	vocab *Vocab

	mu      sync.Mutex
	machine *machine // that new texts begin in
}

// Compile makes a grammar ready for a vocabulary. An error says what in the grammar cannot be honoured.
func (v *Vocab) Compile(g *Grammar) (*Constraint, error) {
	p, err := compile(g)
	if err != nil {
		return nil, err
	}
	return &Constraint{vocab: v, machine: newMachine(p)}, nil
}

// State is how far a text is under a constraint. It is for one goroutine at a time.
type State struct {
	vocab *Vocab
	m     *machine
	at    int32
	ended bool
}

// Start is the state of an empty text.
func (c *Constraint) Start() *State {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.machine.mu.Lock()
	full := c.machine.full()
	c.machine.mu.Unlock()
	if full {
		c.machine = newMachine(c.machine.prog)
	}
	return &State{vocab: c.vocab, m: c.machine}
}

// Allows tells whether a token may come next.
func (s *State) Allows(id int32) bool {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	return s.after(id) != dead
}

// after is the state behind a token, the present one behind a token that ends the text; dead where it may not come.
func (s *State) after(id int32) int32 {
	switch {
	case s.ended || id < 0 || int(id) >= s.vocab.size:
		return dead
	case s.vocab.isEnd(id):
		if s.m.states[s.at].final {
			return s.at
		}
		return dead
	case len(s.vocab.pieces[id]) == 0:
		return dead
	}
	at := s.at
	for _, b := range s.vocab.pieces[id] {
		if at = s.m.step(at, b); at == dead {
			return dead
		}
	}
	return at
}

func (v *Vocab) isEnd(id int32) bool { return slices.Contains(v.ends, id) }

// Mask is the tokens that may come next: bit id%64 of word id/64. It must not be changed.
func (s *State) Mask() []uint64 {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.ended {
		return make([]uint64, (s.vocab.size+63)/64)
	}
	return s.m.mask(s.at, s.vocab)
}

// Accept goes on behind a token, or says that it may not come here.
func (s *State) Accept(id int32) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	at := s.after(id)
	if at == dead {
		return fmt.Errorf("grammar: token %d may not come here", id)
	}
	s.ended = s.vocab.isEnd(id)
	s.at = at
	if s.m.full() {
		fresh := newMachine(s.m.prog)
		s.at = fresh.adopt(s.m, at)
		s.m = fresh
	}
	return nil
}

// Complete tells whether the text may end here.
func (s *State) Complete() bool {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	return s.m.states[s.at].final
}

// Over tells whether nothing but an end may come.
func (s *State) Over() bool {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	return s.ended || len(s.m.states[s.at].configs) == 0
}

// Forced is the bytes that must come next whatever the model says, at most n of them: jumping over them saves a step
// for each token.
func (s *State) Forced(n int) []byte {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	var forced []byte
	for at := s.at; !s.ended && len(forced) < n && !s.m.states[at].final; {
		b, one := s.m.only(at)
		if !one {
			break
		}
		forced = append(forced, b)
		at = s.m.step(at, b)
	}
	return forced
}

// only is the one byte that leads on from a state, if it is one.
func (m *machine) only(at int32) (only byte, one bool) {
	for b := range 256 {
		if m.step(at, byte(b)) == dead {
			continue
		}
		if one {
			return 0, false
		}
		only, one = byte(b), true
	}
	return only, one
}

// Clone is a state of its own, at the same place.
func (s *State) Clone() *State {
	c := *s
	return &c
}
