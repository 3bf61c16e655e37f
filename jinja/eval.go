package jinja

import (
	"fmt"
	"strings"
	"time"
)

// run is the state of one rendering.
type run struct {
	budget
	tmpl *Template
	now  time.Time
	vars *Dict
	root *scope
	pos  int // where evaluation is, for errors
	page strings.Builder
	out  *strings.Builder // page, or what captures the text of a macro or block
}

func (r *run) errorf(format string, args ...any) *Error {
	return &Error{Name: r.tmpl.name, Message: fmt.Sprintf(format, args...), src: r.tmpl.src, pos: r.pos}
}

// fail ends the rendering with an error at the current position.
func (r *run) fail(format string, args ...any) { panic(r.errorf(format, args...)) }

func (r *run) enter() {
	r.charge(1)
	if r.depth++; r.depth > r.limits.Depth {
		r.exceed("nested more than %d evaluations (a macro that calls itself without end?)", r.limits.Depth)
	}
}

func (r *run) eval(e expr, s *scope) Value {
	outer := r.pos
	r.pos = e.at()
	r.enter()
	v := e.eval(r, s)
	r.depth--
	r.pos = outer
	return v
}

// block executes statements until one jumps.
func (r *run) block(body []stmt, s *scope) signal {
	for _, st := range body {
		r.pos = st.at()
		r.enter()
		sig := st.exec(r, s)
		r.depth--
		if sig != goOn {
			return sig
		}
	}
	return goOn
}

func (r *run) emit(text string) {
	if r.out != &r.page {
		r.grow(len(text))
	} else if r.page.Len()+len(text) > r.limits.Output {
		r.exceed("printed more than %d bytes", r.limits.Output)
	}
	r.scan(len(text))
	r.out.WriteString(text)
}

// capture returns what f prints.
func (r *run) capture(f func()) string {
	outer := r.out
	r.out = &strings.Builder{}
	f()
	printed := r.out.String()
	r.out = outer
	return printed
}

// captureBlock returns what a block prints, and how it ended.
func (r *run) captureBlock(body []stmt, s *scope) (printed string, sig signal) {
	printed = r.capture(func() { sig = r.block(body, s) })
	return printed, sig
}

func (n *textStmt) exec(r *run, _ *scope) signal {
	r.emit(n.text)
	return goOn
}

func (n *printStmt) exec(r *run, s *scope) signal {
	r.emit(r.str(r.eval(n.x, s)))
	return goOn
}

func (n *doStmt) exec(r *run, s *scope) signal {
	r.eval(n.x, s)
	return goOn
}

func (n *jumpStmt) exec(*run, *scope) signal { return n.signal }

func (n *setStmt) exec(r *run, s *scope) signal {
	r.assign(&n.target, r.eval(n.value, s), s)
	return goOn
}

func (n *setBlock) exec(r *run, s *scope) signal {
	inner := s.inner()
	printed, sig := r.captureBlock(n.body, inner)
	if sig == goOn {
		r.assign(&n.target, r.filtered(n.filter, printed, inner), s)
	}
	return sig
}

func (n *filterBlock) exec(r *run, s *scope) signal {
	inner := s.inner()
	printed, sig := r.captureBlock(n.body, inner)
	if sig == goOn {
		v := r.filtered(n.filter, printed, inner)
		r.emit(r.textArg("a filter block", v))
	}
	return sig
}

// blockText is the name under which the filters of a block find its text; no template can spell it.
const blockText = "{block}"

func (r *run) filtered(filter expr, printed string, s *scope) Value {
	if filter == nil {
		return String(printed)
	}
	s = s.inner()
	s.set(blockText, String(printed))
	return r.eval(filter, s)
}

func (n *ifStmt) exec(r *run, s *scope) signal {
	for _, arm := range n.arms {
		if truth(r.eval(arm.test, s)) {
			return r.block(arm.body, s)
		}
	}
	return r.block(n.rest, s)
}

func (n *withStmt) exec(r *run, s *scope) signal {
	inner := s.inner()
	for i := range n.targets {
		r.assign(&n.targets[i], r.eval(n.values[i], s), inner)
	}
	return r.block(n.body, inner)
}

func (n *scopeStmt) exec(r *run, s *scope) signal {
	if n.fromRoot {
		s = r.root
	}
	return r.block(n.body, s.inner())
}

func (n *macroStmt) exec(r *run, s *scope) signal {
	r.grow(64)
	s.set(n.def.name, &macro{def: n.def, scope: s})
	return goOn
}

func (n *callStmt) exec(r *run, s *scope) signal {
	args := r.arguments(&n.call.args, s)
	args.names = append(args.names, "caller")
	args.values = append(args.values, &macro{def: n.def, scope: s})
	r.emit(r.str(r.call(r.eval(n.call.x, s), args)))
	return goOn
}
