package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// formatSpec is how a value is laid out: Python's format mini-language.
type formatSpec struct {
	fill      string // one character
	align     byte   // one of <>=^, 0 for the type's own
	sign      byte   // '+', ' ' or 0
	alternate bool
	grouping  string // "," or "_" between groups of digits
	width     int
	precision int // -1 where there is none
	digits    int // the least number of digits of an integer
	verb      byte
}

// parseSpec reads [[fill]align][sign][#][0][width][grouping][.precision][type].
func (r *run) parseSpec(s string) formatSpec {
	spec := formatSpec{fill: " ", precision: -1}
	whole := s
	if n := runeLen(s); s != "" && n < len(s) && strings.IndexByte("<>=^", s[n]) >= 0 {
		spec.fill, spec.align = s[:n], s[n]
		s = s[n+1:]
	} else if s != "" && strings.IndexByte("<>=^", s[0]) >= 0 {
		spec.align = s[0]
		s = s[1:]
	}
	if s != "" && strings.IndexByte("+- ", s[0]) >= 0 {
		if s[0] != '-' {
			spec.sign = s[0]
		}
		s = s[1:]
	}
	if strings.HasPrefix(s, "#") {
		spec.alternate = true
		s = s[1:]
	}
	if strings.HasPrefix(s, "0") && spec.align == 0 {
		spec.fill, spec.align = "0", '='
	}
	spec.width, s = r.digitsOf(s, 0)
	if s != "" && (s[0] == ',' || s[0] == '_') {
		spec.grouping = s[:1]
		s = s[1:]
	}
	if strings.HasPrefix(s, ".") {
		spec.precision, s = r.digitsOf(s[1:], -1)
	}
	if len(s) == 1 {
		spec.verb = s[0]
	} else if len(s) > 1 {
		r.fail("invalid format specifier '%s'", whole)
	}
	return spec
}

// format is Python's format(v, spec).
func (r *run) format(v Value, spec string) string {
	if spec == "" {
		return r.str(v)
	}
	s := r.parseSpec(spec)
	switch {
	case isNumber(v):
		if s.align == 0 {
			s.align = '>'
		}
		return r.formatNumber(v, s)
	case is[String](v) || is[markup](v):
		if s.verb != 0 && s.verb != 's' {
			r.fail("unknown format code '%c' for object of type '%s'", s.verb, v.pyType())
		}
		if s.align == '=' {
			if s.fill != "0" {
				r.fail("'=' alignment not allowed in string format specifier")
			}
			s.align = '<'
		}
		return r.pad(r.cut(r.str(v), s), s)
	}
	r.fail("unsupported format string passed to %s.__format__", v.pyType())
	return ""
}

// cut shortens a string to the precision.
func (r *run) cut(s string, spec formatSpec) string {
	if spec.precision < 0 || r.runes(s) <= spec.precision {
		return s
	}
	return s[:byteOffset(s, spec.precision)]
}

// pad fills a string up to the width.
func (r *run) pad(s string, spec formatSpec) string {
	room := spec.width - r.runes(s)
	if room <= 0 {
		return s
	}
	r.growTimes(len(spec.fill), room)
	left := 0
	switch spec.align {
	case '>', '=':
		left = room
	case '^':
		left = room / 2
	}
	return r.concat(strings.Repeat(spec.fill, left), s, strings.Repeat(spec.fill, room-left))
}

const maxPrecision = 1000

func (r *run) formatNumber(v Value, spec formatSpec) string {
	if spec.precision > maxPrecision || spec.digits > maxPrecision {
		r.fail("format: found a precision of %d, want at most %d", max(spec.precision, spec.digits), maxPrecision)
	}
	var sign, prefix, body string
	if _, ok := v.(Float); ok || strings.IndexByte("eEfFgG%", spec.verb) >= 0 && spec.verb != 0 {
		sign, body = r.floatBody(float(v), spec)
	} else {
		sign, prefix, body = r.intBody(v, spec)
	}
	if sign == "" && spec.sign != 0 {
		sign = string(spec.sign)
	}
	body = grouped(body, spec)
	if spec.align != '=' {
		return r.pad(sign+prefix+body, spec)
	}
	spec.width -= len(sign) + len(prefix)
	return sign + prefix + r.pad(body, spec)
}

func (r *run) intBody(v Value, spec formatSpec) (sign, prefix, body string) {
	var i *big.Int
	if w, ok := v.(wide); ok {
		i = w.Int
	} else {
		n, _ := small(v)
		i = big.NewInt(n)
	}
	if i.Sign() < 0 {
		sign = "-"
	}
	base := 10
	switch spec.verb {
	case 0, 'd', 'n':
	case 'x', 'X':
		base, prefix = 16, "0x"
	case 'o':
		base, prefix = 8, "0o"
	case 'b':
		base, prefix = 2, "0b"
	case 'c':
		if !i.IsInt64() || i.Int64() < 0 || i.Int64() > 0x10ffff {
			r.fail("character code %s is not in range(0x110000)", i)
		}
		return "", "", string(rune(i.Int64()))
	default:
		r.fail("unknown format code '%c' for object of type 'int'", spec.verb)
	}
	body = new(big.Int).Abs(i).Text(base)
	body = strings.Repeat("0", max(0, spec.digits-len(body))) + body
	if !spec.alternate {
		prefix = ""
	}
	if spec.verb == 'X' {
		body, prefix = strings.ToUpper(body), strings.ToUpper(prefix)
	}
	return sign, prefix, body
}

func (r *run) floatBody(f float64, spec formatSpec) (sign, body string) {
	if math.Signbit(f) && !math.IsNaN(f) {
		sign, f = "-", -f
	}
	precision := spec.precision
	if precision < 0 {
		precision = 6
	}
	switch spec.verb {
	case 'f', 'F':
		body = strconv.FormatFloat(f, 'f', precision, 64)
	case '%':
		body = strconv.FormatFloat(f*100, 'f', precision, 64) + "%"
	case 'e', 'E':
		body = strconv.FormatFloat(f, 'e', precision, 64)
	case 'g', 'G', 'n':
		body = general(f, precision, spec.alternate)
	case 0:
		if spec.precision < 0 {
			body = pyFloat(f)
		} else if body = general(f, precision, false); !strings.ContainsAny(body, ".e") {
			body += ".0"
		}
	default:
		r.fail("unknown format code '%c' for object of type 'float'", spec.verb)
	}
	switch {
	case math.IsInf(f, 0):
		body = "inf"
	case math.IsNaN(f):
		body = "nan"
	}
	if spec.verb == 'E' || spec.verb == 'G' || spec.verb == 'F' {
		body = strings.ToUpper(body)
	}
	return sign, body
}

// general is C's %g: significant digits, and an exponent where it is short.
func general(f float64, precision int, keepZeros bool) string {
	precision = max(precision, 1)
	s := strconv.FormatFloat(f, 'e', precision-1, 64)
	at := strings.IndexByte(s, 'e')
	if at < 0 {
		return s
	}
	exponent, _ := strconv.Atoi(s[at+1:]) // FormatFloat's own
	mantissa, tail := s[:at], s[at:]
	if exponent >= -4 && exponent < precision {
		mantissa, tail = strconv.FormatFloat(f, 'f', precision-1-exponent, 64), ""
	}
	if strings.Contains(mantissa, ".") && !keepZeros {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + tail
}

// grouped puts the grouping between groups of digits before the point.
func grouped(body string, spec formatSpec) string {
	if spec.grouping == "" {
		return body
	}
	end := len(body) - len(strings.TrimLeft(body, "0123456789abcdefABCDEF"))
	size := 3
	if spec.verb != 0 && strings.IndexByte("xXob", spec.verb) >= 0 {
		size = 4
	} else {
		end = len(body) - len(strings.TrimLeft(body, "0123456789"))
	}
	for at := end - size; at > 0; at -= size {
		body = body[:at] + spec.grouping + body[at:]
	}
	return body
}
