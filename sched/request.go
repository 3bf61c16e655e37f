package sched

import (
	"cmp"
	"fmt"
)

// Request is what a scheduler knows of a request (S-008). It may be admitted from the step after its Submit.
type Request struct {
	ID       string
	Client   string // whose account it goes on; "" is an account as any other
	Priority int    // higher goes first (S-012)
	Prompt   int    // tokens
	Output   int    // most tokens it generates
	Cached   int    // tokens at the prompt's start whose pages are at hand, at most Prompt-1
	Deadline int64  // the last step in which it may be admitted; 0: none
}

// check refuses a request that is no request, or that could never be admitted.
func (c *Config) checkRequest(r *Request) error {
	switch {
	case r.Prompt < 1:
		return fmt.Errorf("sched: request %q has a prompt of %d tokens; want at least 1", r.ID, r.Prompt)
	case r.Output < 1:
		return fmt.Errorf("sched: request %q asks for %d tokens; want at least 1", r.ID, r.Output)
	case r.Cached < 0 || r.Cached >= r.Prompt:
		return fmt.Errorf("sched: request %q has %d cached tokens of %d; want at least 0, and one less than the prompt", r.ID, r.Cached, r.Prompt)
	case r.Deadline < 0:
		return fmt.Errorf("sched: request %q has deadline %d; want a step, or 0 for none", r.ID, r.Deadline)
	}
	if capacity := c.Pages * c.PageTokens; r.Output > capacity || r.Prompt > capacity-r.Output {
		return fmt.Errorf("sched: request %q asks for room for %d + %d tokens; all pages together hold %d", r.ID, r.Prompt, r.Output, capacity)
	}
	if work := r.Prompt - r.Cached; !c.Chunked && work > c.Prefill {
		return fmt.Errorf("sched: request %q has %d prompt tokens to compute; a step takes %d and prompts are not cut", r.ID, work, c.Prefill)
	}
	return nil
}

func (c *Config) pagesOf(tokens int) int { return (tokens + c.PageTokens - 1) / c.PageTokens }

// request is a Request on its way.
type request struct {
	Request
	arrival  int64 // the step of its Submit
	passed   int   // steps in which others were admitted before it
	client   *client
	computed int // tokens whose keys and values exist
	emitted  int // tokens generated
	pages    int // held
	stopped  bool
}

// ready tells whether the whole prompt is computed.
func (r *request) ready() bool { return r.computed >= r.Prompt }

// context is the number of tokens that have keys and values once all emitted tokens but the last are fed back.
func (r *request) context() int { return r.Prompt + max(r.emitted-1, 0) }

// class is a request's priority, raised by its age.
func (s *Scheduler) class(r *request) int64 {
	class := int64(r.Priority)
	if s.cfg.Ageing > 0 {
		class += (s.step - r.arrival) / int64(s.cfg.Ageing)
	}
	return class
}

// order compares two requests by who goes first: the higher class, then the client with the smaller account, then the
// older request, then the smaller id.
func (s *Scheduler) order(a, b *request) int {
	if c := cmp.Compare(s.class(b), s.class(a)); c != 0 {
		return c
	}
	if s.cfg.Fair {
		if c := cmp.Compare(s.account(a), s.account(b)); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(a.arrival, b.arrival); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}
