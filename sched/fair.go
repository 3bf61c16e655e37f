package sched

// client is the account of everybody who sends requests under one name: what the steps cost that they were given. It
// exists while one of its requests does. (Virtual token counter, arXiv 2401.00588, in the unit of Cost.)
type client struct {
	name     string
	given    int64
	requests int
}

// join finds or opens the account of a request's client. Who comes back from idleness does not bring the credit of
// that time along: the account starts at the least of those that are waiting or served.
func (s *Scheduler) join(name string) *client {
	c := s.clients[name]
	if c == nil {
		c = &client{name: name}
		first := true
		for _, other := range s.clients {
			if first || other.given < c.given {
				c.given, first = other.given, false
			}
		}
		s.clients[name] = c
	}
	c.requests++
	return c
}

func (s *Scheduler) leave(c *client) {
	c.requests--
	if c.requests == 0 {
		delete(s.clients, c.name)
	}
}

// charge puts n tokens at position pos on a request's account. Without a model of costs a token costs one.
func (s *Scheduler) charge(r *request, n, pos int) {
	cost := s.cfg.Cost.of(n, pos)
	if s.cfg.Cost == (Cost{}) {
		cost = int64(n)
	}
	r.client.given += cost
}

// account is what a request is ordered by among those of its class: its client's account, less what its cached tokens
// save as far as the bonus goes. So requests that share a prompt's start are served together, and no client falls
// behind by more than the bonus.
func (s *Scheduler) account(r *request) int64 {
	saved := s.cfg.Cost.of(r.Cached, 0)
	if s.cfg.Cost == (Cost{}) {
		saved = int64(r.Cached)
	}
	return r.client.given - min(saved, s.cfg.HitBonus)
}
