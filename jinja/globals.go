package jinja

// globals are the names that every template has.
var globals map[string]*function

func init() {
	globals = map[string]*function{}
	for id, call := range map[string]func(*run, arguments) Value{
		"range":           makeRange,
		"dict":            makeDict,
		"namespace":       makeNamespace,
		"cycler":          makeCycler,
		"joiner":          makeJoiner,
		"raise_exception": raise,
		"strftime_now":    strftimeNow,
	} {
		globals[id] = &function{id, call}
	}
}

func makeRange(r *run, a arguments) Value {
	var n [3]int64
	if len(a.positional) < 1 || len(a.positional) > 3 || len(a.names) > 0 {
		r.fail("range wants 1 to 3 arguments, found %d", len(a.positional)+len(a.names))
	}
	for i, v := range a.positional {
		r.defined(v)
		var ok bool
		if n[i], ok = small(v); !ok {
			r.fail("'%s' object cannot be interpreted as an integer", v.pyType())
		}
	}
	s := &span{start: n[0], stop: n[1], step: n[2]}
	if len(a.positional) == 1 {
		s.start, s.stop = 0, n[0]
	}
	if len(a.positional) < 3 {
		s.step = 1
	}
	if s.step == 0 {
		r.fail("range() arg 3 must not be zero")
	}
	length := uint64(0)
	if s.step > 0 && s.start < s.stop {
		length = (uint64(s.stop)-uint64(s.start)-1)/uint64(s.step) + 1
	} else if s.step < 0 && s.start > s.stop {
		length = (uint64(s.start)-uint64(s.stop)-1)/magnitude(s.step) + 1
	}
	if length > maxRange {
		r.fail("range too big: it has %d items, want at most %d", length, maxRange)
	}
	s.length = int(length)
	return s
}

// makeDict is dict(mapping or pairs, key=value, ...).
func makeDict(r *run, a arguments) Value {
	d := NewDict()
	if len(a.positional) > 1 {
		r.fail("dict expected at most 1 argument, got %d", len(a.positional))
	}
	for _, v := range a.positional {
		if source, ok := v.(*Dict); ok {
			r.growTimes(80, source.Len())
			d = source.clone()
			break
		}
		for _, entry := range r.iterate(v) {
			pair := r.iterate(entry)
			if len(pair) != 2 {
				r.fail("dictionary update sequence element has length %d, want 2", len(pair))
			}
			r.grow(80)
			d.put(pair[0], r.key(pair[0]), pair[1])
		}
	}
	r.growTimes(80, len(a.names))
	for i, id := range a.names {
		d.Set(id, a.values[i])
	}
	return d
}

func makeNamespace(r *run, a arguments) Value { return &namespace{makeDict(r, a).(*Dict)} }

// raise is raise_exception(message): how a template refuses a conversation.
func raise(r *run, a arguments) Value {
	message := r.str(r.bind("raise_exception", a, "*message")[0])
	line, _ := r.errorf("").Position()
	panic(&Raised{Name: r.tmpl.name, Message: message, Line: line})
}

func strftimeNow(r *run, a arguments) Value {
	format, ok := text(r.bind("strftime_now", a, "*format")[0])
	if !ok {
		r.fail("strftime_now wants a format that is a string")
	}
	if r.now.IsZero() {
		r.fail("strftime_now: this rendering was given no time")
	}
	return String(r.strftime(format))
}

// stateful is a cycler or joiner: an object with methods and a position that its use moves on.
type stateful struct {
	typ   string
	items []Value
	next  int
}

func (s *stateful) pyType() string { return s.typ }

func makeCycler(r *run, a arguments) Value {
	if len(a.positional) == 0 {
		r.fail("at least one item has to be provided")
	}
	return &stateful{typ: "Cycler", items: a.positional}
}

func makeJoiner(r *run, a arguments) Value {
	separator := r.bind("joiner", a, "sep")[0]
	if separator == nil {
		separator = String(", ")
	}
	return &stateful{typ: "Joiner", items: []Value{separator}}
}

// separator is what a joiner returns when called: nothing the first time.
func (s *stateful) separator() Value {
	if s.next == 0 {
		s.next = 1
		return String("")
	}
	return s.items[0]
}

func (s *stateful) attr(id string) Value {
	if s.typ != "Cycler" {
		return nil
	}
	switch id {
	case "current":
		return s.items[s.next]
	case "next":
		return &function{id, func(*run, arguments) Value {
			v := s.items[s.next]
			s.next = (s.next + 1) % len(s.items)
			return v
		}}
	case "reset":
		return &function{id, func(*run, arguments) Value {
			s.next = 0
			return None{}
		}}
	}
	return nil
}
