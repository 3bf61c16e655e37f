package jinja

import (
	"cmp"
	"math"
	"math/big"
	"strings"
)

// equal is Python's a == b.
func (r *run) equal(a, b Value) bool { return r.equalAt(a, b, 0) }

func (r *run) equalAt(a, b Value, level int) bool {
	r.deeper(level)
	if x, ok := text(a); ok {
		y, ok := text(b)
		if ok && len(x) == len(y) {
			r.scan(len(x))
		}
		return ok && x == y
	}
	if isNumber(a) && isNumber(b) {
		order, ok := compareNumbers(a, b)
		return ok && order == 0
	}
	switch a := a.(type) {
	case None:
		_, ok := b.(None)
		return ok
	case *undefined:
		_, ok := b.(*undefined)
		return ok
	case *List:
		b, ok := b.(*List)
		return ok && r.equalItems(a.items, b.items, level)
	case *tuple:
		b, ok := b.(*tuple)
		return ok && r.equalItems(a.items, b.items, level)
	case *Dict:
		b, ok := b.(*Dict)
		return ok && r.equalDicts(a, b, level)
	case *span:
		b, ok := b.(*span)
		return ok && a.length == b.length && (a.length == 0 || a.start == b.start && (a.length == 1 || a.step == b.step))
	}
	return identical(a, b)
}

func (r *run) equalItems(a, b []Value, level int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !r.equalAt(a[i], b[i], level+1) {
			return false
		}
	}
	return true
}

func (r *run) equalDicts(a, b *Dict, level int) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i, key := range a.keys {
		other, ok := b.lookup(r.key(key))
		if !ok || !r.equalAt(a.values[i], other, level+1) {
			return false
		}
	}
	return true
}

// identical is Python's a is b. Scalars of one type are identical when equal.
func identical(a, b Value) bool {
	switch a := a.(type) {
	case wide:
		b, ok := b.(wide)
		return ok && a.Cmp(b.Int) == 0
	case None, Bool, Int, Float, String, markup, *undefined, *List, *tuple, *Dict, *iterator, *span, *view, *namespace, *function, *macro, *loop:
		return a == b
	}
	return false
}

func isNumber(v Value) bool {
	switch v.(type) {
	case Bool, Int, wide, Float:
		return true
	}
	return false
}

// small returns a number that is exact as an int64.
func small(v Value) (int64, bool) {
	switch v := v.(type) {
	case Int:
		return int64(v), true
	case Bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// compareNumbers orders two numbers by their exact values, false when one is not a number.
func compareNumbers(a, b Value) (int, bool) {
	x, xSmall := small(a)
	y, ySmall := small(b)
	if xSmall && ySmall {
		return cmp.Compare(x, y), true
	}
	f, g := float(a), float(b)
	if math.IsNaN(f) || math.IsNaN(g) {
		return 0, false
	}
	if math.IsInf(f, 0) || math.IsInf(g, 0) {
		return cmp.Compare(f, g), true
	}
	return exact(a).Cmp(exact(b)), true
}

// float is a number rounded to a float.
func float(v Value) float64 {
	switch v := v.(type) {
	case Float:
		return float64(v)
	case wide:
		f, _ := new(big.Float).SetInt(v.Int).Float64()
		return f
	}
	i, _ := small(v)
	return float64(i)
}

func exact(v Value) *big.Float {
	switch v := v.(type) {
	case Float:
		return big.NewFloat(float64(v))
	case wide:
		return new(big.Float).SetInt(v.Int)
	}
	i, _ := small(v)
	return new(big.Float).SetInt64(i)
}

// less is Python's a < b; op names the operator in the error for values without an order.
func (r *run) less(a, b Value, op string) bool { return r.order(a, b, op, 0) < 0 }

// unordered is the order of two numbers of which one is not a number.
const unordered = 2

// order is -1, 0, 1 or unordered.
func (r *run) order(a, b Value, op string, level int) int {
	r.deeper(level)
	x, isText := text(a)
	y, alsoText := text(b)
	if isText && alsoText {
		r.scan(min(len(x), len(y)))
		return strings.Compare(x, y)
	}
	if isNumber(a) && isNumber(b) {
		if order, ok := compareNumbers(a, b); ok {
			return order
		}
		return unordered
	}
	r.defined(a)
	r.defined(b)
	xs, isSequence := sequence(a)
	ys, _ := sequence(b)
	if !isSequence || a.pyType() != b.pyType() {
		r.fail("'%s' not supported between instances of '%s' and '%s'", op, a.pyType(), b.pyType())
	}
	for i := range min(len(xs), len(ys)) {
		if !r.equalAt(xs[i], ys[i], level+1) {
			return r.order(xs[i], ys[i], op, level+1)
		}
	}
	return cmp.Compare(len(xs), len(ys))
}

// compare evaluates one comparison operator.
func (r *run) compare(op string, a, b Value) bool {
	switch op {
	case "==":
		return r.equal(a, b)
	case "!=":
		return !r.equal(a, b)
	case "in":
		return r.contains(b, a)
	case "not in":
		return !r.contains(b, a)
	}
	order := r.order(a, b, op, 0)
	switch op {
	case "<":
		return order == -1
	case "<=":
		return order == -1 || order == 0
	case ">":
		return order == 1
	}
	return order == 1 || order == 0
}

// contains is Python's item in v.
func (r *run) contains(v, item Value) bool {
	switch v := v.(type) {
	case *Dict:
		_, ok := v.lookup(r.key(item))
		return ok
	case *span:
		i, ok := small(item)
		if f, isFloat := item.(Float); isFloat {
			i, ok = exactInt(float64(f))
		}
		return ok && v.holds(i)
	case *iterator:
		for len(v.items) > 0 {
			next := v.items[0]
			v.items = v.items[1:]
			if r.equal(next, item) {
				return true
			}
		}
		return false
	}
	if s, ok := text(v); ok {
		part, ok := text(item)
		if !ok {
			r.fail("'in <string>' requires string as left operand, not %s", item.pyType())
		}
		r.scan(len(s))
		return strings.Contains(s, part)
	}
	items, ok := r.items(v)
	if !ok {
		r.fail("argument of type '%s' is not iterable", v.pyType())
	}
	for _, other := range items {
		if identical(other, item) || r.equal(other, item) {
			return true
		}
	}
	return false
}

func (s *span) holds(i int64) bool {
	if s.length == 0 {
		return false
	}
	last := s.start + int64(s.length-1)*s.step
	return i >= min(s.start, last) && i <= max(s.start, last) && (i-s.start)%s.step == 0
}
