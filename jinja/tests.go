package jinja

import (
	"math"
	"strings"
	"unicode"
)

// tests are what may follow "is". Each has the value and the arguments of the test.
var tests map[string]func(r *run, v Value, args []Value) bool

// testArity is the number of arguments of the tests that take one.
var testArity = map[string]int{"divisibleby": 1, "sameas": 1, "in": 1, "eq": 1, "ne": 1, "lt": 1, "le": 1, "gt": 1, "ge": 1,
	"==": 1, "!=": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, "equalto": 1, "lessthan": 1, "greaterthan": 1}

func init() {
	tests = map[string]func(r *run, v Value, args []Value) bool{
		"defined":   func(_ *run, v Value, _ []Value) bool { return !is[*undefined](v) },
		"undefined": func(_ *run, v Value, _ []Value) bool { return is[*undefined](v) },
		"none":      func(_ *run, v Value, _ []Value) bool { return is[None](v) },
		"boolean":   func(_ *run, v Value, _ []Value) bool { return is[Bool](v) },
		"true":      func(_ *run, v Value, _ []Value) bool { return v == Bool(true) },
		"false":     func(_ *run, v Value, _ []Value) bool { return v == Bool(false) },
		"integer":   func(_ *run, v Value, _ []Value) bool { return is[Int](v) || is[wide](v) },
		"float":     func(_ *run, v Value, _ []Value) bool { return is[Float](v) },
		"number":    func(_ *run, v Value, _ []Value) bool { return isNumber(v) },
		"string":    func(_ *run, v Value, _ []Value) bool { return is[String](v) || is[markup](v) },
		"escaped":   func(_ *run, v Value, _ []Value) bool { return is[markup](v) },
		"mapping":   func(_ *run, v Value, _ []Value) bool { return is[*Dict](v) },
		"callable":  func(_ *run, v Value, _ []Value) bool { return callable(v) },
		"iterable":  func(_ *run, v Value, _ []Value) bool { return iterable(v) },
		"sequence": func(_ *run, v Value, _ []Value) bool {
			return iterable(v) && !is[*view](v) && !is[*iterator](v) || is[*undefined](v)
		},
		"filter": func(r *run, v Value, _ []Value) bool { return registered(r, filters, v) },
		"test":   func(r *run, v Value, _ []Value) bool { return registered(r, tests, v) },
		"lower": func(r *run, v Value, _ []Value) bool {
			return cased(r.str(v), unicode.IsLower, func(c rune) bool { return unicode.IsUpper(c) || unicode.IsTitle(c) })
		},
		"upper": func(r *run, v Value, _ []Value) bool {
			return cased(r.str(v), unicode.IsUpper, func(c rune) bool { return unicode.IsLower(c) || unicode.IsTitle(c) })
		},
		"odd":         func(r *run, v Value, _ []Value) bool { return r.equal(r.binary("%", v, Int(2)), Int(1)) },
		"even":        func(r *run, v Value, _ []Value) bool { return r.equal(r.binary("%", v, Int(2)), Int(0)) },
		"divisibleby": func(r *run, v Value, args []Value) bool { return r.equal(r.binary("%", v, args[0]), Int(0)) },
		"sameas":      func(_ *run, v Value, args []Value) bool { return identical(v, args[0]) },
		"in":          func(r *run, v Value, args []Value) bool { return r.contains(args[0], v) },
	}
	for op, aliases := range map[string]string{"==": "eq equalto", "!=": "ne", "<": "lt lessthan", "<=": "le", ">": "gt greaterthan", ">=": "ge"} {
		for _, id := range append(strings.Fields(aliases), op) {
			tests[id] = func(r *run, v Value, args []Value) bool { return r.compare(op, v, args[0]) }
		}
	}
}

func (r *run) test(id string, v Value, a arguments) bool {
	f, ok := tests[id]
	if !ok {
		r.fail("no test named '%s'", id)
	}
	if found := len(a.positional) + len(a.names); found != testArity[id] {
		r.fail("test '%s' wants %d arguments, found %d", id, testArity[id], found)
	}
	return f(r, v, append(a.positional, a.values...))
}

func is[T Value](v Value) bool {
	_, ok := v.(T)
	return ok
}

func registered[F any](r *run, table map[string]F, v Value) bool {
	r.key(v)
	id, _ := text(v)
	_, ok := table[id]
	return ok
}

func callable(v Value) bool {
	switch v := v.(type) {
	case *function, *macro, *loop, *undefined:
		return true
	case *stateful:
		return v.typ == "Joiner"
	}
	return false
}

func iterable(v Value) bool {
	switch v.(type) {
	case String, markup, *List, *tuple, *Dict, *view, *iterator, *span, *undefined:
		return true
	}
	return false
}

// cased is Python's islower or isupper: at least one character of the wanted case and none of the other.
func cased(s string, wanted, other func(rune) bool) bool {
	found := false
	for _, c := range s {
		if other(c) {
			return false
		}
		found = found || wanted(c)
	}
	return found
}

// whole is Python's int(f) of a float, false outside the range of Int.
func whole(f float64) (Int, bool) {
	f = math.Trunc(f)
	i, ok := exactInt(f)
	return Int(i), ok && !math.IsNaN(f)
}
