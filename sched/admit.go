package sched

import (
	"slices"
	"sort"
)

// expire drops the requests that may not be admitted any more.
func (s *Scheduler) expire() {
	for i := len(s.waiting) - 1; i >= 0; i-- {
		if q := s.waiting[i]; q.Deadline > 0 && s.step > q.Deadline {
			s.plan.Expired = append(s.plan.Expired, q.ID)
			s.remove(q)
		}
	}
	slices.Reverse(s.plan.Expired)
}

// budget is what a step has left for prompts.
type budget struct {
	tokens int
	timed  bool  // somebody decodes and waits for the step's end
	time   int64 // the cost that prompts may add, where timed
	least  int   // tokens that are granted whatever the time left: MinChunk, until they are taken
}

// budget is the step's prompt tokens, and what they may cost those who decode.
func (s *Scheduler) budget() budget {
	b := budget{tokens: s.cfg.Prefill}
	if s.cfg.Stretch == 0 || len(s.ring) == 0 {
		return b
	}
	cost := s.cfg.Cost.Step
	for i, q := range s.ring {
		if s.cfg.Width > 0 && i == s.cfg.Width {
			break
		}
		cost += s.cfg.Cost.of(1, q.context())
	}
	b.timed, b.time, b.least = true, cost*int64(s.cfg.Stretch)/100, s.cfg.MinChunk
	return b
}

// chunk is how much of a prompt's rest the budget allows: all or nothing where prompts are not cut.
func (s *Scheduler) chunk(b *budget, q *request) int {
	rest := q.Prompt - q.computed
	n := min(rest, b.tokens)
	if b.timed {
		fits := sort.Search(n, func(i int) bool { return s.cfg.Cost.of(i+1, q.computed) > b.time })
		n = min(n, max(fits, b.least))
	}
	if !s.cfg.Chunked && n < rest {
		return 0
	}
	return n
}

// compute plans a chunk of a request that has the pages for it.
func (s *Scheduler) compute(b *budget, q *request, n int) {
	s.plan.Prefill = append(s.plan.Prefill, Chunk{ID: q.ID, From: q.computed, Tokens: n, Last: q.computed+n == q.Prompt})
	s.plan.Prompt += n
	s.charge(q, n, q.computed)
	b.tokens -= n
	b.least = max(b.least-n, 0)
	b.time -= s.cfg.Cost.of(n, q.computed)
	q.computed += n
	if q.ready() {
		s.ring = append(s.ring, q)
	}
}

// continuePrompts goes on with the prompts that are under way, those who go first first: nobody who was given work in
// this step is spilled for somebody behind it.
func (s *Scheduler) continuePrompts(b *budget) {
	for _, q := range s.unfinished() {
		n := s.chunk(b, q)
		if n == 0 {
			return
		}
		if s.cfg.Admission == Grow {
			n = s.growPrompt(q, n)
		}
		if n > 0 {
			s.compute(b, q, n)
		}
	}
}

// unfinished is the active requests whose prompt is not computed, in order.
func (s *Scheduler) unfinished() []*request {
	var all []*request
	for _, q := range s.active {
		if !q.ready() {
			all = append(all, q)
		}
	}
	slices.SortFunc(all, s.precedence)
	return all
}

// admit goes through the queue in order and admits who fits; who does not is passed over, as long as its patience
// lasts (S-012, S-013, S W3). Those who were spilled come back before anybody new comes in.
func (s *Scheduler) admit(b *budget) {
	if s.cfg.Fair || s.cfg.Ageing > 0 {
		slices.SortFunc(s.waiting, s.order)
	}
	var over []*request // those that did not fit
	kept := s.waiting[:0]
	for i, q := range s.waiting {
		if len(s.active) == s.cfg.Active || b.tokens == 0 || len(s.spilled) > 0 || s.impatient(over) {
			kept = append(kept, s.waiting[i:]...)
			break
		}
		if !s.enter(b, q) {
			kept, over = append(kept, q), append(over, q)
			continue
		}
		for _, passed := range over {
			passed.passed++
		}
		over = over[:0]
	}
	clear(s.waiting[len(kept):])
	s.waiting = kept
}

// impatient tells whether the first of those that did not fit has been passed over often enough.
func (s *Scheduler) impatient(over []*request) bool {
	return s.cfg.Patience > 0 && len(over) > 0 && over[0].passed >= s.cfg.Patience
}

// enter admits a request if there is room for it and for a first piece of its prompt.
func (s *Scheduler) enter(b *budget, q *request) bool {
	q.computed = q.Cached
	n := s.chunk(b, q)
	need, spare := s.cfg.pagesOf(q.Prompt+q.Output), 0
	if s.cfg.Admission == Grow {
		// Everybody who decodes will want a page before long.
		need, spare = s.cfg.pagesOf(q.computed+n), len(s.ring)
		if len(s.active) == 0 {
			spare = 0
		}
	}
	if n == 0 || need+spare > s.free() {
		q.computed = 0
		return false
	}
	s.active = append(s.active, q)
	s.plan.Admitted = append(s.plan.Admitted, q.ID)
	s.plan.Prompt += q.Cached
	s.hold(q, need)
	s.compute(b, q, n)
	return true
}

func (s *Scheduler) free() int { return s.cfg.Pages - s.pages }

// hold gives a request pages until it has n.
func (s *Scheduler) hold(q *request, n int) {
	s.pages += n - q.pages
	q.pages = n
}
