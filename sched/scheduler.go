package sched

import (
	"fmt"
	"slices"
)

// Scheduler holds the requests of one engine. Submit and Cancel may be called between steps; a step is Next, the work
// of the Plan, and Commit.
type Scheduler struct {
	cfg  Config
	step int64 // of the latest Next; -1 before the first

	byID    map[string]*request
	clients map[string]*client

	waiting []*request // in order
	spilled []*request // those that gave up their pages, the first that did first
	active  []*request // those that hold pages, in the order of their admission
	ring    []*request // the active ones whose prompt is computed, in the order of decoding
	pages   int        // held by the active ones

	plan    Plan
	planned bool       // Next was called and Commit was not
	decoded []*request // Commit's scratch
}

// New makes a scheduler, or says what is wrong with its configuration.
func New(cfg Config) (*Scheduler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Scheduler{cfg: cfg, step: -1, byID: map[string]*request{}, clients: map[string]*client{}}, nil
}

// Submit puts a request into the queue. It refuses a second one with the same id while the first is there, and one
// that could never be admitted.
func (s *Scheduler) Submit(r Request) error {
	if s.byID[r.ID] != nil {
		return fmt.Errorf("sched: request %q is there already", r.ID)
	}
	if err := s.cfg.checkRequest(&r); err != nil {
		return err
	}
	q := &request{Request: r, arrival: s.step + 1, client: s.join(r.Client)}
	s.byID[r.ID] = q
	s.enqueue(q)
	return nil
}

// enqueue keeps the queue in order: a new request is the youngest of its class, so it is looked for from the end.
func (s *Scheduler) enqueue(q *request) {
	at := len(s.waiting)
	for at > 0 && s.order(q, s.waiting[at-1]) < 0 {
		at--
	}
	s.waiting = slices.Insert(s.waiting, at, q)
}

// Cached says anew how much of a waiting request's prompt is at hand; the cache changes while requests wait.
func (s *Scheduler) Cached(id string, tokens int) error {
	q := s.byID[id]
	if q == nil || !slices.Contains(s.waiting, q) {
		return fmt.Errorf("sched: request %q does not wait", id)
	}
	changed := q.Request
	changed.Cached = tokens
	if err := s.cfg.checkRequest(&changed); err != nil {
		return err
	}
	q.Request = changed
	return nil
}

// Cancel ends a request, whatever its state, and tells whether there was one. Its pages are free at once, or at Commit
// where the step in progress computes it.
func (s *Scheduler) Cancel(id string) bool {
	q := s.byID[id]
	if q == nil {
		return false
	}
	if s.planned && slices.Contains(s.active, q) {
		q.stopped = true
		return true
	}
	s.remove(q)
	return true
}

// remove forgets a request and takes back its pages.
func (s *Scheduler) remove(q *request) {
	delete(s.byID, q.ID)
	s.leave(q.client)
	s.pages -= q.pages
	q.pages = 0
	for _, list := range []*[]*request{&s.waiting, &s.spilled, &s.active, &s.ring} {
		if i := slices.Index(*list, q); i >= 0 {
			*list = slices.Delete(*list, i, i+1)
		}
	}
}

// Len is how many requests there are in all states.
func (s *Scheduler) Len() int { return len(s.byID) }

// Pages is how many pages are held.
func (s *Scheduler) Pages() int { return s.pages }

// Step is the number of the latest step, from 0; -1 before the first.
func (s *Scheduler) Step() int64 { return s.step }
