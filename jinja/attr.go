package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// attr is v.id: an attribute or method first, then an entry.
func (r *run) attr(v Value, id string) Value {
	r.defined(v)
	if a := r.ownAttr(v, id); a != nil {
		return a
	}
	return r.entry(v, String(id))
}

// item is v[key]: an entry first, then an attribute or method.
func (r *run) item(v, key Value) Value {
	r.defined(v)
	if found := r.subscript(v, key); found != nil {
		return found
	}
	if id, ok := text(key); ok {
		if a := r.ownAttr(v, id); a != nil {
			return a
		}
	}
	return missing(v, key)
}

// entry is v[key], undefined where there is none.
func (r *run) entry(v, key Value) Value {
	if found := r.subscript(v, key); found != nil {
		return found
	}
	return missing(v, key)
}

func missing(v, key Value) Value {
	owner := v.pyType() + " object"
	if _, ok := v.(None); ok {
		owner = "None"
	}
	if id, ok := text(key); ok {
		return &undefined{message: fmt.Sprintf("'%s' has no attribute %s", owner, pyQuote(id))}
	}
	element := "of type " + key.pyType()
	if isNumber(key) {
		element = fmt.Sprint(key)
	}
	return &undefined{message: fmt.Sprintf("%s has no element %s", owner, element)}
}

// subscript is Python's v[key], nil where it would raise.
func (r *run) subscript(v, key Value) Value {
	if d, ok := v.(*Dict); ok {
		k, ok := keyOf(key, 0)
		if !ok {
			return nil
		}
		r.scan(len(k.text))
		found, _ := d.lookup(k)
		return found
	}
	i, ok := small(key)
	if !ok {
		return nil
	}
	if s, ok := text(v); ok {
		return r.character(v, s, i)
	}
	if s, ok := v.(*span); ok {
		if i < 0 {
			i += int64(s.length)
		}
		if i < 0 || i >= int64(s.length) {
			return nil
		}
		return Int(s.start + i*s.step)
	}
	items, _ := sequence(v)
	if i < 0 {
		i += int64(len(items))
	}
	if i < 0 || i >= int64(len(items)) {
		return nil
	}
	return items[i]
}

// character is the i-th character of s, nil outside of it.
func (r *run) character(v Value, s string, i int64) Value {
	n := int64(r.runes(s))
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return nil
	}
	from := byteOffset(s, int(i))
	return like(v, s[from:from+runeLen(s[from:])])
}

// byteOffset is where the i-th character of s starts; i is at most the number of characters.
func byteOffset(s string, i int) int {
	at := 0
	for ; i > 0; i-- {
		if s[at] < utf8.RuneSelf {
			at++
		} else {
			at += runeLen(s[at:])
		}
	}
	return at
}

// ownAttr is an attribute or method that every value of v's type has, nil for a name without one. As in jinja2's
// sandbox, Python's internals and methods that change their object cannot be used, only named.
func (r *run) ownAttr(v Value, id string) Value {
	if strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__") || mutators[v.pyType()+"."+id] {
		return &undefined{message: fmt.Sprintf("access to attribute '%s' of '%s' object is unsafe", id, v.pyType())}
	}
	switch v := v.(type) {
	case *namespace:
		a, _ := v.attrs.Get(id)
		return a
	case *loop:
		return v.attr(id)
	case *macro:
		return v.attr(id)
	case *tuple:
		for i, n := range v.names {
			if n == id {
				return v.items[i]
			}
		}
	}
	methods := methodsOf(v)
	if m, ok := methods[id]; ok {
		return &function{id, func(r *run, a arguments) Value { return m(r, v, a) }}
	}
	if state, ok := v.(*stateful); ok {
		return state.attr(id)
	}
	return nil
}

func (m *macro) attr(id string) Value {
	switch id {
	case "name":
		return String(m.def.name)
	case "arguments":
		names := &tuple{}
		for _, p := range m.def.params {
			names.items = append(names.items, String(p))
		}
		return names
	case "catch_varargs":
		return Bool(m.def.varargs)
	case "catch_kwargs":
		return Bool(m.def.kwargs)
	case "caller":
		return Bool(m.def.caller)
	}
	return nil
}

// mutators are the methods that would change a value.
var mutators = map[string]bool{
	"list.append": true, "list.clear": true, "list.extend": true, "list.insert": true, "list.pop": true,
	"list.remove": true, "list.reverse": true, "list.sort": true,
	"dict.clear": true, "dict.pop": true, "dict.popitem": true, "dict.setdefault": true, "dict.update": true,
}

// slice is v[start:stop:step].
func (r *run) slice(v Value, bounds [3]Value) Value {
	r.defined(v)
	var given [3]*int64
	for i, b := range bounds {
		if _, ok := b.(None); ok {
			continue
		}
		n, ok := small(b)
		if !ok {
			r.fail("slice indices must be integers or None, found '%s'", b.pyType())
		}
		given[i] = &n
	}
	step := int64(1)
	if given[2] != nil {
		step = *given[2]
	}
	if step == 0 {
		r.fail("slice step cannot be zero")
	}
	if s, ok := text(v); ok {
		return like(v, r.sliceString(s, given[0], given[1], step))
	}
	if s, ok := v.(*span); ok {
		from, count := sliceRange(s.length, given[0], given[1], step)
		start := s.start + int64(from)*s.step
		return &span{start, start + int64(count)*step*s.step, step * s.step, count}
	}
	items, ok := sequence(v)
	if !ok {
		r.fail("'%s' object cannot be sliced", v.pyType())
	}
	from, count := sliceRange(len(items), given[0], given[1], step)
	r.growTimes(16, count)
	picked := make([]Value, count)
	for i := range picked {
		picked[i] = items[from+i*int(step)]
	}
	if _, ok := v.(*tuple); ok {
		return &tuple{items: picked}
	}
	return &List{picked}
}

// sliceRange is the first index and the number of items that a slice picks out of n.
func sliceRange(n int, start, stop *int64, step int64) (from, count int) {
	low, high := int64(0), int64(n)
	if step < 0 {
		low, high = -1, int64(n)-1
	}
	clamp := func(bound *int64, fallback int64) int64 {
		if bound == nil {
			return fallback
		}
		at := *bound
		if at < 0 {
			at = max(at, -int64(n)-1) + int64(n)
		}
		return max(low, min(high, at))
	}
	if step > 0 {
		first, last := clamp(start, low), clamp(stop, high)
		if first < last {
			return int(first), int((last-first-1)/step + 1)
		}
		return 0, 0
	}
	first, last := clamp(start, high), clamp(stop, low)
	if first > last {
		return int(first), int((first-last-1)/magnitudeOf(step) + 1)
	}
	return 0, 0
}

// magnitudeOf is -step, for the one step whose negation overflows the largest int.
func magnitudeOf(step int64) int64 { return int64(min(magnitude(step), 1<<62)) }

func (r *run) sliceString(s string, start, stop *int64, step int64) string {
	from, count := sliceRange(r.runes(s), start, stop, step)
	if step == 1 {
		begin := byteOffset(s, from)
		return s[begin : begin+byteOffset(s[begin:], count)]
	}
	r.growTimes(4, len(s))
	all := []rune(s)
	var b strings.Builder
	for i := range count {
		b.WriteRune(all[from+i*int(step)])
	}
	return b.String()
}
