package jinja

import "strings"

// percent is Python's s % args. show turns a value into text for %s.
func (r *run) percent(s string, args Value, show func(Value) string) string {
	p := &percenter{run: r, args: args, show: show}
	if t, ok := args.(*tuple); ok {
		p.rest = t.items
	} else {
		p.rest = []Value{args}
	}
	w := &writer{run: r}
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			break
		}
		w.add(s[:at])
		var out string
		out, s = p.directive(s[at+1:])
		w.add(out)
	}
	w.add(s)
	if len(p.rest) > 0 && !p.mapped && !is[*Dict](args) && !is[*List](args) { // Python takes a list for a mapping
		r.fail("not all arguments converted during string formatting")
	}
	return w.String()
}

type percenter struct {
	run    *run
	args   Value
	rest   []Value
	mapped bool // whether a directive named a key
	show   func(Value) string
}

// directive renders one directive, whose text starts behind the percent sign, and returns what follows it.
func (p *percenter) directive(s string) (out, rest string) {
	var value Value
	if strings.HasPrefix(s, "(") {
		end := strings.IndexByte(s, ')')
		d, ok := p.args.(*Dict)
		if end < 0 || !ok {
			p.run.fail("format requires a mapping and a complete key")
		}
		if value, ok = d.Get(s[1:end]); !ok {
			p.run.fail("the mapping has no key %s", pyQuote(s[1:end]))
		}
		p.mapped = true
		s = s[end+1:]
	}
	spec := formatSpec{precision: -1}
	n := len(s) - len(strings.TrimLeft(s, "-+ #0"))
	flags := s[:n]
	s = s[n:]
	spec.width, s = p.count(s, 0)
	if strings.HasPrefix(s, ".") {
		spec.precision, s = p.count(s[1:], 0)
	}
	s = s[len(s)-len(strings.TrimLeft(s, "hlL")):]
	if s == "" {
		p.run.fail("incomplete format")
	}
	verb := s[0]
	if verb == '%' {
		return "%", s[1:]
	}
	if value == nil {
		value = p.next()
	}
	spec.flags(flags)
	return p.convert(verb, value, spec), s[1:]
}

func (p *percenter) next() Value {
	if len(p.rest) == 0 {
		p.run.fail("not enough arguments for format string")
	}
	v := p.rest[0]
	p.rest = p.rest[1:]
	return v
}

// count reads a width or precision, which may be the next argument.
func (p *percenter) count(s string, fallback int) (int, string) {
	if strings.HasPrefix(s, "*") {
		return p.run.intArg("*", p.next(), 0), s[1:]
	}
	return p.run.digitsOf(s, fallback)
}

// digitsOf reads a number at the start of s.
func (r *run) digitsOf(s string, fallback int) (int, string) {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n == 0 {
		return fallback, s
	}
	value := parseInt(s[:n], 10)
	return r.intArg("format", value, 0), s[n:]
}

func (p *percenter) convert(verb byte, v Value, spec formatSpec) string {
	r := p.run
	switch verb {
	case 's':
		return r.pad(r.cut(p.show(v), spec), spec)
	case 'r':
		return r.pad(r.cut(r.repr(v), spec), spec)
	case 'a':
		return r.pad(r.cut(r.ascii(v), spec), spec)
	case 'c':
		if s, ok := text(v); ok && r.runes(s) == 1 {
			return r.pad(s, spec)
		}
		spec.verb = 'c'
		return r.formatNumber(v, spec)
	case 'd', 'i', 'u':
		spec.verb = 'd'
		if f, ok := v.(Float); ok {
			if i, ok := whole(float64(f)); ok {
				v = i
			}
		}
	case 'e', 'E', 'f', 'F', 'g', 'G':
		spec.verb = verb
		if isNumber(v) {
			v = Float(float(v))
		}
	case 'x', 'X', 'o':
		spec.verb = verb
		if is[Float](v) {
			r.fail("%%%c format: an integer is required, not float", verb)
		}
	default:
		r.fail("unsupported format character '%c'", verb)
	}
	r.defined(v)
	if !isNumber(v) {
		r.fail("%%%c format: a real number is required, not %s", verb, v.pyType())
	}
	digits := spec.precision
	if spec.verb == 'd' || spec.verb == 'x' || spec.verb == 'X' || spec.verb == 'o' {
		spec.precision = -1
		spec.digits = digits
	}
	return r.formatNumber(v, spec)
}

// flags are those of the percent form.
func (spec *formatSpec) flags(flags string) {
	spec.align, spec.fill = '>', " "
	for _, c := range flags {
		switch c {
		case '+':
			spec.sign = '+'
		case ' ':
			if spec.sign == 0 {
				spec.sign = ' '
			}
		case '#':
			spec.alternate = true
		case '0':
			spec.align, spec.fill = '=', "0"
		}
	}
	if strings.Contains(flags, "-") {
		spec.align, spec.fill = '<', " "
	}
}
