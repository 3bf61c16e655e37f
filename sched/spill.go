package sched

import (
	"cmp"
	"slices"
)

// growRing gives those who decode in this step the page that their token needs.
func (s *Scheduler) growRing() {
	if s.cfg.Admission != Grow {
		return
	}
	ring := slices.Clone(s.ring)
	if s.cfg.Width > 0 {
		ring = ring[:min(len(ring), s.cfg.Width)]
	}
	for _, q := range ring {
		if q.pages == 0 {
			continue // spilled to make room for another
		}
		if need := s.cfg.pagesOf(q.context() + 1); need > q.pages && s.room(q, need-q.pages) {
			s.hold(q, need)
		}
	}
}

// growPrompt gives a request pages for up to n more tokens of its prompt and returns for how many it has them.
func (s *Scheduler) growPrompt(q *request, n int) int {
	if q.pages == 0 {
		return 0 // spilled to make room for another
	}
	if s.cfg.pagesOf(q.computed+1) > q.pages && !s.room(q, 1) {
		return 0
	}
	n = min(n, (q.pages+s.free())*s.cfg.PageTokens-q.computed)
	s.hold(q, max(q.pages, s.cfg.pagesOf(q.computed+n)))
	return n
}

// room frees n pages for q by spilling those who come last in order. Where nobody comes after q it is spilled itself,
// and the answer is false. The first in order is never spilled, and everybody fits alone, so every step gets on.
func (s *Scheduler) room(q *request, n int) bool {
	for s.free() < n {
		victim := slices.MaxFunc(s.active, s.precedence)
		s.spill(victim)
		if victim == q {
			return false
		}
	}
	return true
}

// precedence is order without accounts, which change from step to step: who is interrupted should not.
func (s *Scheduler) precedence(a, b *request) int {
	return cmp.Or(cmp.Compare(s.class(b), s.class(a)), cmp.Compare(a.arrival, b.arrival), cmp.Compare(a.ID, b.ID))
}

func (s *Scheduler) spill(q *request) {
	s.plan.Spilled = append(s.plan.Spilled, q.ID)
	s.active = slices.DeleteFunc(s.active, func(r *request) bool { return r == q })
	s.ring = slices.DeleteFunc(s.ring, func(r *request) bool { return r == q })
	s.hold(q, 0)
	s.spilled = append(s.spilled, q)
}

// restore brings spilled requests back, the first in order first, while each has the pages it had, the one it will
// want next, and one for everybody who decodes.
func (s *Scheduler) restore() {
	slices.SortFunc(s.spilled, s.precedence)
	for len(s.spilled) > 0 && len(s.active) < s.cfg.Active {
		q := s.spilled[0]
		need, spare := s.cfg.pagesOf(max(q.computed, 1)+1), len(s.ring)
		if len(s.active) == 0 {
			spare = 0
		}
		if need+spare > s.free() || slices.Contains(s.plan.Spilled, q.ID) {
			return
		}
		s.spilled = slices.Delete(s.spilled, 0, 1)
		s.active = append(s.active, q)
		s.hold(q, need)
		s.plan.Restored = append(s.plan.Restored, q.ID)
		if q.ready() {
			s.ring = append(s.ring, q)
		}
	}
}
