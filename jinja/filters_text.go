package jinja

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// viaString is a filter that maps the text of any value.
func viaString(callee string, f func(string) string) func(r *run, v Value, a arguments) Value {
	return func(r *run, v Value, a arguments) Value {
		r.bind(callee, a)
		s := r.str(v)
		r.grow(2 * len(s))
		return like(v, f(s))
	}
}

// titleFilter capitalises words, which begin behind blanks, hyphens and opening brackets.
func titleFilter(s string) string {
	var b strings.Builder
	start := true
	for _, c := range s {
		switch {
		case isSpace(c) || strings.ContainsRune("-({[<", c):
			start = true
			b.WriteRune(c)
		case start:
			start = false
			b.WriteString(toUpper(string(c)))
		default:
			b.WriteRune(unicode.ToLower(c))
		}
	}
	return b.String()
}

func trimFilter(r *run, v Value, a arguments) Value {
	s := r.str(v)
	r.scan(len(s))
	return like(v, r.strip(s, r.bind("trim", a, "chars")[0], true, true))
}

func replaceFilter(r *run, v Value, a arguments) Value {
	args := r.bind("replace", a, "*old", "*new", "count")
	count := -1
	if args[2] != nil && !is[None](args[2]) {
		count = r.intArg("replace", args[2], -1)
	}
	return String(r.replace(r.str(v), r.str(args[0]), r.str(args[1]), count))
}

// indentFilter puts white space before all lines but the first and the empty ones, unless told otherwise.
func indentFilter(r *run, v Value, a arguments) Value {
	args := r.bind("indent", a, "width", "first", "blank")
	indent, ok := text(either(args[0], None{}))
	if !ok {
		width := r.intArg("indent", args[0], 4)
		r.grow(max(0, width))
		indent = strings.Repeat(" ", max(0, width))
	}
	s := r.textArg("indent", v) + "\n" // an empty last line counts
	lines := r.splitLines(s, false)
	r.grow(len(s))
	r.growTimes(len(indent)+16, len(lines))
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		inner := i > 0 && (line != "" || args[2] != nil && truth(args[2]))
		if inner || i == 0 && args[1] != nil && truth(args[1]) {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return like(v, b.String())
}

func formatFilter(r *run, v Value, a arguments) Value {
	s := r.str(v)
	if len(a.names) > 0 {
		if len(a.positional) > 0 {
			r.fail("can't handle positional and keyword arguments at the same time")
		}
		d := NewDict()
		for i, id := range a.names {
			d.Set(id, a.values[i])
		}
		return like(v, r.percent(s, d, r.str))
	}
	return like(v, r.percent(s, &tuple{items: a.positional}, r.str))
}

func centerFilter(r *run, v Value, a arguments) Value {
	width := either(r.bind("center", a, "width")[0], Int(80))
	self := v
	if !is[markup](v) {
		self = String(r.str(v))
	}
	return stringMethods["center"](r, self, arguments{positional: []Value{width}})
}

func truncateFilter(r *run, v Value, a arguments) Value {
	args := r.bind("truncate", a, "length", "killwords", "end", "leeway")
	length, leeway := r.intArg("truncate", args[0], 255), r.intArg("truncate", args[3], 5)
	end := "..."
	if args[2] != nil {
		end = r.textArg("truncate", args[2])
	}
	if room := r.runes(end); length < room || leeway < 0 {
		r.fail("truncate: found length %d and leeway %d, want at least %d and 0", length, leeway, room)
	}
	if r.length(v) <= length+leeway {
		return v
	}
	s := r.textArg("truncate", v)
	kept := s[:byteOffset(s, length-r.runes(end))]
	if args[1] == nil || !truth(args[1]) {
		if at := strings.LastIndex(kept, " "); at >= 0 {
			kept = kept[:at]
		}
	}
	return like(v, r.concat(kept, end))
}

func wordcountFilter(r *run, v Value, a arguments) Value {
	r.bind("wordcount", a)
	s := r.str(v)
	r.growTimes(8, len(s))
	return Int(len(strings.FieldsFunc(s, func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsNumber(c)
	})))
}

func filesizeFilter(r *run, v Value, a arguments) Value {
	args := r.bind("filesizeformat", a, "binary")
	number, ok := floatFilter(r, v, arguments{positional: []Value{None{}}}).(Float)
	if !ok {
		r.fail("filesizeformat wants a number, found '%s'", v.pyType())
	}
	size := float64(number)
	base, units := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if args[0] != nil && truth(args[0]) {
		base, units = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	if size == 1 {
		return String("1 Byte")
	}
	if size < base {
		return String(fmt.Sprintf("%d Bytes", int64(size)))
	}
	for i, unit := range units {
		if above := math.Pow(base, float64(i+2)); size < above || i == len(units)-1 {
			return String(fmt.Sprintf("%.1f %s", base*size/above, unit))
		}
	}
	return nil
}
