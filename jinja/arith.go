package jinja

import (
	"math"
	"math/bits"
	"strings"
)

// binary evaluates an arithmetic operator.
func (r *run) binary(op string, a, b Value) Value {
	r.defined(a)
	r.defined(b)
	if isNumber(a) && isNumber(b) {
		return r.arithmetic(op, a, b)
	}
	switch op {
	case "+":
		if v := r.join(a, b); v != nil {
			return v
		}
	case "*":
		if n, ok := small(b); ok {
			if v := r.repeat(a, n); v != nil {
				return v
			}
		}
		if n, ok := small(a); ok {
			if v := r.repeat(b, n); v != nil {
				return v
			}
		}
	case "%":
		if s, ok := a.(String); ok {
			return String(r.percent(string(s), b, r.str))
		}
		if s, ok := a.(markup); ok {
			return markup(r.percent(string(s), b, r.escaped))
		}
	}
	r.fail("unsupported operand type(s) for %s: '%s' and '%s'", op, a.pyType(), b.pyType())
	return nil
}

// defined fails the template when v is undefined, with what is missing.
func (r *run) defined(v Value) {
	if u, ok := v.(*undefined); ok {
		r.fail("%s", u.message)
	}
}

// join is a + b of two strings or sequences, nil for other types.
func (r *run) join(a, b Value) Value {
	x, isText := text(a)
	y, alsoText := text(b)
	if isText && alsoText {
		_, safe := a.(markup)
		_, alsoSafe := b.(markup)
		if safe || alsoSafe {
			return markup(r.concat(r.escaped(a), r.escaped(b)))
		}
		return String(r.concat(x, y))
	}
	xs, ok := sequence(a)
	ys, alsoOK := sequence(b)
	if !ok || !alsoOK || a.pyType() != b.pyType() {
		return nil
	}
	r.growTimes(16, len(xs)+len(ys))
	items := append(append(make([]Value, 0, len(xs)+len(ys)), xs...), ys...)
	if _, ok := a.(*tuple); ok {
		return &tuple{items: items}
	}
	return &List{items}
}

// repeat is v * n of a string or sequence, nil for other types.
func (r *run) repeat(v Value, n int64) Value {
	count := int(max(0, min(n, math.MaxInt32)))
	if s, ok := text(v); ok {
		r.growTimes(max(1, len(s)), count)
		return like(v, strings.Repeat(s, count))
	}
	items, ok := sequence(v)
	if !ok {
		return nil
	}
	r.growTimes(16*max(1, len(items)), count)
	repeated := make([]Value, 0, len(items)*count)
	for range count {
		repeated = append(repeated, items...)
	}
	if _, ok := v.(*tuple); ok {
		return &tuple{items: repeated}
	}
	return &List{repeated}
}

// like is s as a string of the kind that v is.
func like(v Value, s string) Value {
	if _, ok := v.(markup); ok {
		return markup(s)
	}
	return String(s)
}

func (r *run) arithmetic(op string, a, b Value) Value {
	x, xSmall := small(a)
	y, ySmall := small(b)
	if xSmall && ySmall {
		return r.integers(op, x, y)
	}
	_, isFloat := a.(Float)
	_, alsoFloat := b.(Float)
	if !isFloat && !alsoFloat {
		r.overflow()
	}
	return r.floats(op, float(a), float(b))
}

func (r *run) overflow() { r.fail("integer overflow: integers here have 64 bits") }

func (r *run) integers(op string, x, y int64) Value {
	switch op {
	case "+":
		sum := x + y
		if (sum > x) != (y > 0) {
			r.overflow()
		}
		return Int(sum)
	case "-":
		difference := x - y
		if (difference < x) != (y > 0) {
			r.overflow()
		}
		return Int(difference)
	case "*":
		return Int(r.multiply(x, y))
	case "**":
		return r.power(x, y)
	case "/":
		r.divisor(y == 0)
		return Float(float64(x) / float64(y))
	}
	r.divisor(y == 0)
	if x == math.MinInt64 && y == -1 {
		if op == "%" {
			return Int(0)
		}
		r.overflow()
	}
	quotient, rest := x/y, x%y
	if rest != 0 && (rest < 0) != (y < 0) { // Python rounds towards minus infinity
		quotient, rest = quotient-1, rest+y
	}
	if op == "%" {
		return Int(rest)
	}
	return Int(quotient)
}

func (r *run) divisor(zero bool) {
	if zero {
		r.fail("division by zero")
	}
}

func (r *run) multiply(x, y int64) int64 {
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	negative := (x < 0) != (y < 0)
	if hi != 0 || lo > 1<<63 || lo == 1<<63 && !negative {
		r.overflow()
	}
	if negative {
		return -int64(lo)
	}
	return int64(lo)
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func (r *run) power(x, y int64) Value {
	if y < 0 {
		r.divisor(x == 0)
		return Float(math.Pow(float64(x), float64(y)))
	}
	result := int64(1)
	for y > 0 {
		if y&1 == 1 {
			result = r.multiply(result, x)
		}
		if y >>= 1; y > 0 {
			x = r.multiply(x, x)
		}
	}
	return Int(result)
}

func (r *run) floats(op string, x, y float64) Value {
	switch op {
	case "+":
		return Float(x + y)
	case "-":
		return Float(x - y)
	case "*":
		return Float(x * y)
	case "**":
		r.divisor(x == 0 && y < 0)
		return Float(math.Pow(x, y))
	case "/":
		r.divisor(y == 0)
		return Float(x / y)
	}
	r.divisor(y == 0)
	rest := math.Mod(x, y)
	quotient := (x - rest) / y
	if rest != 0 && (rest < 0) != (y < 0) { // Python rounds towards minus infinity
		rest += y
		quotient--
	}
	if rest == 0 {
		rest = math.Copysign(0, y)
	}
	if op == "%" {
		return Float(rest)
	}
	return Float(nearest(quotient, x/y))
}

// nearest is a quotient that is whole but for rounding, made whole. Zero takes the sign of the true quotient.
func nearest(quotient, ratio float64) float64 {
	if quotient == 0 {
		return math.Copysign(0, ratio)
	}
	whole := math.Floor(quotient)
	if quotient-whole > 0.5 {
		whole++
	}
	return whole
}

// sign evaluates unary minus and plus.
func (r *run) sign(op string, v Value) Value {
	r.defined(v)
	if !isNumber(v) {
		r.fail("bad operand type for unary %s: '%s'", op, v.pyType())
	}
	if f, ok := v.(Float); ok {
		if op == "-" {
			return -f
		}
		return f
	}
	i, ok := small(v)
	if !ok || op == "-" && i == math.MinInt64 {
		r.overflow()
	}
	if op == "-" {
		return Int(-i)
	}
	return Int(i)
}
