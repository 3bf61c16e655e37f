package jinja

// scope holds the names that a for, macro, with or block introduces. An assignment is always to the innermost scope,
// so what a loop sets is gone with its round.
type scope struct {
	outer  *scope
	names  []string
	values []Value
}

func (s *scope) set(id string, v Value) {
	for i, n := range s.names {
		if n == id {
			s.values[i] = v
			return
		}
	}
	s.names = append(s.names, id)
	s.values = append(s.values, v)
}

func (s *scope) inner() *scope { return &scope{outer: s} }

// resolve finds a name in the scopes, then among the caller's variables, then among the built-in ones.
func (r *run) resolve(id string, s *scope) Value {
	for ; s != nil; s = s.outer {
		r.steps += len(s.names) / 8
		for i, n := range s.names {
			if n == id {
				return s.values[i]
			}
		}
	}
	if r.vars != nil {
		if v, ok := r.vars.Get(id); ok {
			return v
		}
	}
	if f, ok := globals[id]; ok {
		return f
	}
	return &undefined{message: pyQuote(id) + " is undefined"}
}

// assign gives a value to a target, taking it apart for a tuple.
func (r *run) assign(t *target, v Value, s *scope) {
	r.pos = t.at()
	switch {
	case t.tuple:
		items := r.iterate(v)
		if len(items) > len(t.items) {
			r.fail("too many values to unpack: found %d, want %d", len(items), len(t.items))
		}
		if len(items) < len(t.items) {
			r.fail("not enough values to unpack: found %d, want %d", len(items), len(t.items))
		}
		for i := range t.items {
			r.assign(&t.items[i], items[i], s)
		}
	case t.attr != "":
		ns, ok := r.resolve(t.id, s).(*namespace)
		if !ok {
			r.fail("cannot assign attribute on non-namespace object '%s'", t.id)
		}
		r.grow(64)
		ns.attrs.Set(t.attr, v)
	default:
		r.grow(32)
		s.set(t.id, v)
	}
}
