package jinja

// loop is what a template sees as loop. Its items are filtered only when they are asked for, since the filter may
// depend on what the body does.
type loop struct {
	run    *run
	stmt   *forStmt
	scope  *scope // around the loop
	queue  []Value
	ready  []Value // filtered, not yet visited
	index  int     // of the current round, from 0
	depth  int     // from 0
	prev   Value
	item   Value
	seen   []Value // what changed() was last given
	called bool    // whether changed() was called
}

func (*loop) pyType() string { return "LoopContext" }

func (n *forStmt) exec(r *run, s *scope) signal {
	n.loop(r, s, r.eval(n.items, s), 0)
	return goOn
}

// loop runs the statement over items at a depth of recursion.
func (n *forStmt) loop(r *run, s *scope, items Value, depth int) {
	l := &loop{run: r, stmt: n, scope: s, queue: r.iterate(items), index: -1, depth: depth}
	for l.next() {
		r.charge(1)
		r.grow(64)
		inner := s.inner()
		r.assign(&n.target, l.item, inner)
		inner.set("loop", l)
		if r.block(n.body, inner) == breakLoop {
			return
		}
	}
	if l.index < 0 {
		r.block(n.otherwise, s.inner())
	}
}

// peek makes n more items ready and returns how many there are.
func (l *loop) peek(n int) int {
	for len(l.ready) < n && len(l.queue) > 0 {
		item := l.queue[0]
		l.queue = l.queue[1:]
		if l.stmt.filter != nil {
			s := l.scope.inner()
			l.run.assign(&l.stmt.target, item, s)
			if !truth(l.run.eval(l.stmt.filter, s)) {
				continue
			}
		}
		l.ready = append(l.ready, item)
	}
	return len(l.ready)
}

func (l *loop) next() bool {
	if l.peek(1) == 0 {
		return false
	}
	l.prev, l.item = l.item, l.ready[0]
	l.ready = l.ready[1:]
	l.index++
	return true
}

func (l *loop) length() int { return l.index + 1 + l.peek(len(l.ready)+len(l.queue)) }

// attr is an attribute of the loop, nil for a name it does not have.
func (l *loop) attr(id string) Value {
	switch id {
	case "index":
		return Int(l.index + 1)
	case "index0":
		return Int(l.index)
	case "revindex":
		return Int(l.length() - l.index)
	case "revindex0":
		return Int(l.length() - l.index - 1)
	case "first":
		return Bool(l.index == 0)
	case "last":
		return Bool(l.peek(1) == 0)
	case "length":
		return Int(l.length())
	case "depth":
		return Int(l.depth + 1)
	case "depth0":
		return Int(l.depth)
	case "previtem":
		if l.index == 0 {
			return &undefined{message: "there is no previous item"}
		}
		return l.prev
	case "nextitem":
		if l.peek(1) == 0 {
			return &undefined{message: "there is no next item"}
		}
		return l.ready[0]
	case "cycle":
		return &function{"cycle", l.cycle}
	case "changed":
		return &function{"changed", l.changed}
	}
	return nil
}

func (l *loop) cycle(r *run, a arguments) Value {
	if len(a.positional) == 0 {
		r.fail("no items for cycling given")
	}
	return a.positional[l.index%len(a.positional)]
}

func (l *loop) changed(r *run, a arguments) Value {
	if l.called && r.equalItems(l.seen, a.positional, 0) {
		return Bool(false)
	}
	l.called, l.seen = true, a.positional
	return Bool(true)
}

// recurse is loop(items) in a recursive loop: the text of the loop over these items.
func (l *loop) recurse(r *run, a arguments) Value {
	if !l.stmt.recursive {
		r.fail("the loop must have the 'recursive' marker to be called")
	}
	items := r.bind("loop", a, "*iterable")[0]
	pos := r.pos
	printed := r.capture(func() { l.stmt.loop(r, l.scope, items, l.depth+1) })
	r.pos = pos
	return String(printed)
}
