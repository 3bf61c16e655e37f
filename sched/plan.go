package sched

// Plan is the work of one step. Its slices are valid until the next call of Next.
type Plan struct {
	Step     int64
	Expired  []string // waited past their deadline and are gone
	Spilled  []string // write their pages elsewhere, before anything else
	Restored []string // read them back
	Admitted []string // hold pages from this step on
	Prefill  []Chunk
	Decode   []Decode

	Prompt int // tokens of Prefill, and those of admitted prompts that were cached
	Queued int // requests without pages, after admission
	Active int // requests with pages
	Pages  int // pages held
}

// Chunk is a part of a prompt to compute.
type Chunk struct {
	ID           string
	From, Tokens int
	Last         bool // the prompt ends with it
}

// Decode is a token to generate.
type Decode struct {
	ID string
	// Feed says that the request's latest token is computed at position Pos first; otherwise the token comes from the
	// end of the prompt.
	Feed bool
	Pos  int
}

// Next plans a step in the order of S-018: what waited too long goes, those who decode get the page they need, prompts
// under way go on, spilled requests come back, others are admitted, and the first Width of the ring decode. Every Next
// is followed by a Commit.
func (s *Scheduler) Next() *Plan {
	if s.planned {
		panic("sched: Next without Commit of the plan before")
	}
	s.planned = true
	s.step++
	p := &s.plan
	*p = Plan{Step: s.step, Expired: p.Expired[:0], Spilled: p.Spilled[:0], Restored: p.Restored[:0],
		Admitted: p.Admitted[:0], Prefill: p.Prefill[:0], Decode: p.Decode[:0]}
	s.expire()
	s.growRing()
	b := s.budget()
	s.continuePrompts(&b)
	s.restore()
	s.admit(&b)
	p.Queued, p.Active, p.Pages = len(s.waiting)+len(s.spilled), len(s.active), s.pages
	s.decode()
	return p
}

// Commit ends a step: every request of the plan's Decode has its token, and those in stopped want no more. It returns
// those that are complete, in the order of decoding; their pages are free.
func (s *Scheduler) Commit(stopped ...string) (completed []string) {
	if !s.planned {
		panic("sched: Commit without Next")
	}
	s.planned = false
	for _, id := range stopped {
		if q := s.byID[id]; q != nil {
			q.stopped = true
		}
	}
	n := len(s.plan.Decode)
	s.decoded = append(s.decoded[:0], s.ring[:n]...)
	copy(s.ring, s.ring[n:])
	copy(s.ring[len(s.ring)-n:], s.decoded)
	for _, q := range s.decoded {
		if q.stopped || q.emitted == q.Output {
			completed = append(completed, q.ID)
			s.remove(q)
		}
	}
	// Those that were cancelled while their prompt was computed, or out of turn.
	for i := len(s.active) - 1; i >= 0; i-- {
		if s.active[i].stopped {
			s.remove(s.active[i])
		}
	}
	return completed
}

// decode gives the first Width of the ring a token each.
func (s *Scheduler) decode() {
	width := len(s.ring)
	if s.cfg.Width > 0 {
		width = min(width, s.cfg.Width)
	}
	for _, q := range s.ring[:width] {
		d := Decode{ID: q.ID, Feed: q.emitted > 0, Pos: q.context()}
		if d.Feed {
			q.computed = d.Pos + 1
			s.charge(q, 1, d.Pos)
		}
		q.emitted++
		s.plan.Decode = append(s.plan.Decode, d)
	}
}
