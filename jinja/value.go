package jinja

import (
	"math/big"
	"strings"
	"unicode"
)

// Value is a value of the template language. The types of this package that a caller makes are None, Bool, Int, Float,
// String, *List and *Dict; templates make more.
type Value interface {
	pyType() string // Python's name of the type
}

type (
	// None is Python's None and JSON's null.
	None struct{}
	// Bool is a truth value, which counts as 0 or 1 in arithmetic.
	Bool bool
	// Int is an integer.
	Int int64
	// Float is a floating-point number; 1.0 stays apart from 1.
	Float float64
	// String is text in UTF-8, indexed by character.
	String string
	// List is a sequence. It is not changed once made.
	List struct{ items []Value }

	wide   struct{ *big.Int } // an integer beyond 64 bits: for printing and comparing only
	markup string             // text marked safe: what is added to it gets escaped
	tuple  struct {
		items []Value
		names []string // of a group's items, which are attributes as well
	}
)

// NewList is a list of items, which it keeps.
func NewList(items ...Value) *List { return &List{items} }

// undefined stands for what is not there: it prints as nothing, and its use is an error that says what was missing.
type undefined struct {
	message string
}

// iterator is what Python computes lazily: it is always true, has no length, and can be walked once.
type iterator struct {
	typ   string
	items []Value // what is still to come
}

// span is Python's range.
type span struct {
	start, stop, step int64
	length            int
}

// view is what a dict's keys, values and items methods return.
type view struct {
	typ   string
	items []Value
}

// namespace is the one value whose attributes a template may set.
type namespace struct{ attrs *Dict }

// function is anything callable that is not a macro.
type function struct {
	name string
	call func(r *run, a arguments) Value
}

func (None) pyType() string       { return "NoneType" }
func (Bool) pyType() string       { return "bool" }
func (Int) pyType() string        { return "int" }
func (wide) pyType() string       { return "int" }
func (Float) pyType() string      { return "float" }
func (String) pyType() string     { return "str" }
func (markup) pyType() string     { return "Markup" }
func (*List) pyType() string      { return "list" }
func (*tuple) pyType() string     { return "tuple" }
func (*Dict) pyType() string      { return "dict" }
func (*undefined) pyType() string { return "Undefined" }
func (v *iterator) pyType() string {
	return v.typ
}
func (*span) pyType() string      { return "range" }
func (v *view) pyType() string    { return v.typ }
func (*namespace) pyType() string { return "Namespace" }
func (*function) pyType() string  { return "function" }

// integer is i as Int where it fits.
func integer(i *big.Int) Value {
	if i.IsInt64() {
		return Int(i.Int64())
	}
	return wide{i}
}

// text returns the contents of a string of either kind.
func text(v Value) (string, bool) {
	switch v := v.(type) {
	case String:
		return string(v), true
	case markup:
		return string(v), true
	}
	return "", false
}

// sequence returns the items of a list or tuple.
func sequence(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case *List:
		return v.items, true
	case *tuple:
		return v.items, true
	}
	return nil, false
}

// truth is Python's bool(v).
func truth(v Value) bool {
	switch v := v.(type) {
	case None, *undefined:
		return false
	case Bool:
		return bool(v)
	case Int:
		return v != 0
	case Float:
		return v != 0
	case String:
		return v != ""
	case markup:
		return v != ""
	case *List:
		return len(v.items) > 0
	case *tuple:
		return len(v.items) > 0
	case *Dict:
		return v.Len() > 0
	case *view:
		return len(v.items) > 0
	case *span:
		return v.length > 0
	}
	return true
}

// isSpace is Python's str.isspace for one character.
func isSpace(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f }

// characters cuts a string into strings of one character.
func (r *run) characters(s string) []Value {
	r.growTimes(32, len(s))
	items := make([]Value, 0, len(s))
	for len(s) > 0 {
		n := runeLen(s)
		items = append(items, String(s[:n]))
		s = s[n:]
	}
	return items
}

// iterate returns the items of v, which fails the template when v has none. An iterator is used up by it.
func (r *run) iterate(v Value) []Value {
	items, ok := r.items(v)
	if !ok {
		r.fail("'%s' object is not iterable", v.pyType())
	}
	return items
}

func (r *run) items(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case *List:
		return v.items, true
	case *tuple:
		return v.items, true
	case *Dict:
		return v.keys, true
	case *view:
		return v.items, true
	case *span:
		r.growTimes(24, v.length)
		items := make([]Value, v.length)
		for i := range items {
			items[i] = Int(v.start + int64(i)*v.step)
		}
		return items, true
	case *iterator:
		items := v.items
		v.items = nil
		return items, true
	case *undefined:
		return nil, true
	}
	if s, ok := text(v); ok {
		return r.characters(s), true
	}
	return nil, false
}

// length is Python's len(v).
func (r *run) length(v Value) int {
	switch v := v.(type) {
	case *List:
		return len(v.items)
	case *tuple:
		return len(v.items)
	case *Dict:
		return v.Len()
	case *view:
		return len(v.items)
	case *span:
		return v.length
	case *undefined:
		return 0
	}
	s, ok := text(v)
	if !ok {
		r.fail("object of type '%s' has no len()", v.pyType())
	}
	return r.runes(s)
}

func (r *run) list(items []Value) *List {
	r.growTimes(16, len(items))
	return &List{items}
}

func (r *run) concat(parts ...string) string {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	r.grow(n)
	return strings.Join(parts, "")
}

// bigInt reads digits of a base, nil where they are none.
func bigInt(negative bool, digits string, base int) Value {
	i, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return nil
	}
	if negative {
		i.Neg(i)
	}
	return integer(i)
}
