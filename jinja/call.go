package jinja

import (
	"slices"
	"strings"
)

// arguments are the values that a call passes.
type arguments struct {
	positional []Value
	names      []string // of keywords, beside their values
	values     []Value
}

func (r *run) arguments(written *callArgs, s *scope) arguments {
	var a arguments
	for _, e := range written.positional {
		a.positional = append(a.positional, r.eval(e, s))
	}
	for i, e := range written.values {
		a.names = append(a.names, written.names[i])
		a.values = append(a.values, r.eval(e, s))
	}
	if written.star != nil {
		items := r.iterate(r.eval(written.star, s))
		r.growTimes(16, len(items))
		a.positional = append(a.positional, items...)
	}
	if written.starStar != nil {
		r.spread(&a, r.eval(written.starStar, s))
	}
	return a
}

// spread adds the entries of a **mapping as keywords.
func (r *run) spread(a *arguments, v Value) {
	d, ok := v.(*Dict)
	if !ok {
		r.fail("argument after ** must be a mapping, not %s", v.pyType())
	}
	r.growTimes(32, d.Len())
	for i, key := range d.keys {
		id, ok := text(key)
		if !ok {
			r.fail("keywords must be strings, not %s", key.pyType())
		}
		if slices.Contains(a.names, id) {
			r.fail("got multiple values for keyword argument '%s'", id)
		}
		a.names = append(a.names, id)
		a.values = append(a.values, d.values[i])
	}
}

// bind sorts arguments into the parameters of a built-in. Parameters are named in order; what was not passed is nil. A
// name with a leading * has to be passed.
func (r *run) bind(callee string, a arguments, params ...string) []Value {
	if len(a.positional) > len(params) {
		r.fail("%s takes at most %d arguments, found %d", callee, len(params), len(a.positional))
	}
	bound := make([]Value, len(params))
	copy(bound, a.positional)
	for i, id := range a.names {
		at := slices.IndexFunc(params, func(p string) bool { return strings.TrimPrefix(p, "*") == id })
		if at < 0 {
			r.fail("%s has no argument '%s'", callee, id)
		}
		if bound[at] != nil {
			r.fail("%s got multiple values for argument '%s'", callee, id)
		}
		bound[at] = a.values[i]
	}
	for i, p := range params {
		if bound[i] == nil && strings.HasPrefix(p, "*") {
			r.fail("%s wants an argument '%s'", callee, p[1:])
		}
	}
	return bound
}

// macro is a macro with the scope it was defined in.
type macro struct {
	def   *macroDef
	scope *scope
}

func (*macro) pyType() string { return "Macro" }

// call calls whatever can be called.
func (r *run) call(f Value, a arguments) Value {
	switch f := f.(type) {
	case *function:
		return f.call(r, a)
	case *macro:
		return f.invoke(r, a)
	case *loop:
		return f.recurse(r, a)
	case *stateful:
		if f.typ == "Joiner" {
			return f.separator()
		}
	case *undefined:
		r.defined(f)
	}
	r.fail("'%s' object is not callable", f.pyType())
	return nil
}

func (m *macro) invoke(r *run, a arguments) Value {
	s := m.scope.inner()
	passed := m.bind(r, s, a)
	firstDefault := len(m.def.params) - len(m.def.defaults)
	for i, id := range m.def.params {
		switch {
		case passed[i] != nil:
			s.set(id, passed[i])
		case i >= firstDefault:
			s.set(id, r.eval(m.def.defaults[i-firstDefault], s))
		default:
			s.set(id, &undefined{message: "parameter " + pyQuote(id) + " was not provided"})
		}
	}
	outer := r.pos
	printed, _ := r.captureBlock(m.def.body, s)
	r.pos = outer
	return String(printed)
}

// bind returns the value passed for each parameter, nil where there is none, and defines caller, varargs and kwargs.
func (m *macro) bind(r *run, s *scope, a arguments) []Value {
	r.growTimes(64, len(m.def.params)+len(a.positional)+len(a.names))
	passed := make([]Value, len(m.def.params))
	surplus := a.positional[copy(passed, a.positional):]
	extra := NewDict()
	var caller Value
	for i, id := range a.names {
		at := slices.Index(m.def.params, id)
		switch {
		case at >= 0 && passed[at] != nil && at < len(a.positional):
			r.fail("macro '%s' got multiple values for argument '%s'", m.def.name, id)
		case at >= 0:
			passed[at] = a.values[i]
		case id == "caller" && m.def.caller:
			caller = a.values[i]
		default:
			extra.Set(id, a.values[i])
		}
	}
	m.bindRest(r, s, surplus, extra)
	if m.def.caller && !slices.Contains(m.def.params, "caller") {
		if caller == nil {
			caller = &undefined{message: "No caller defined"}
		}
		s.set("caller", caller)
	}
	return passed
}

func (m *macro) bindRest(r *run, s *scope, surplus []Value, extra *Dict) {
	if m.def.varargs {
		s.set("varargs", &tuple{items: surplus})
	} else if len(surplus) > 0 {
		r.fail("macro '%s' takes not more than %d argument(s)", m.def.name, len(m.def.params))
	}
	if m.def.kwargs {
		s.set("kwargs", extra)
	} else if extra.Len() > 0 {
		r.fail("macro '%s' takes no keyword argument '%s'", m.def.name, extra.Keys()[0])
	}
}
