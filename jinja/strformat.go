package jinja

import "strings"

// formatMethod is Python's str.format, whose fields reach attributes and entries under the sandbox's rules.
func formatMethod(r *run, self Value, a arguments) Value {
	f := &formatter{run: r, args: a, safe: is[markup](self)}
	s, _ := text(self)
	return like(self, f.format(s, 0))
}

type formatter struct {
	run    *run
	args   arguments
	next   int  // the next field without a name
	manual bool // whether fields have numbers
	safe   bool // whether what is inserted gets escaped
}

func (f *formatter) format(s string, level int) string {
	if level > 1 {
		f.run.fail("max string recursion exceeded")
	}
	w := &writer{run: f.run}
	for s != "" {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			break
		}
		w.add(s[:at])
		brace := s[at : at+1]
		s = s[at+1:]
		switch {
		case strings.HasPrefix(s, brace):
			w.add(brace)
			s = s[1:]
		case brace == "}":
			f.run.fail("single '}' encountered in format string")
		default:
			end := fieldEnd(s)
			if end < 0 {
				f.run.fail("single '{' encountered in format string")
			}
			w.add(f.field(s[:end], level))
			s = s[end+1:]
		}
	}
	w.add(s)
	return w.String()
}

// fieldEnd is the offset of the brace that closes a field, -1 where there is none.
func fieldEnd(s string) int {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// field renders name!conversion:spec.
func (f *formatter) field(s string, level int) string {
	field, spec, _ := strings.Cut(s, ":")
	field, conversion, converted := strings.Cut(field, "!")
	v := f.value(field)
	if converted {
		switch conversion {
		case "s":
			v = String(f.run.str(v))
		case "r":
			v = String(f.run.repr(v))
		case "a":
			v = String(f.run.ascii(v))
		default:
			f.run.fail("unknown conversion specifier '%s'", conversion)
		}
	}
	if strings.ContainsAny(spec, "{}") {
		spec = f.format(spec, level+1)
	}
	if f.safe && spec == "" {
		return f.run.escaped(v)
	}
	return f.run.format(v, spec)
}

// value follows a field's name: an argument, then attributes and entries of it.
func (f *formatter) value(field string) Value {
	r := f.run
	end := strings.IndexAny(field, ".[")
	if end < 0 {
		end = len(field)
	}
	v := f.argument(field[:end])
	for rest := field[end:]; rest != ""; {
		r.charge(1)
		if rest[0] == '.' {
			n := strings.IndexAny(rest[1:], ".[")
			if n < 0 {
				n = len(rest) - 1
			}
			v, rest = r.attr(v, rest[1:1+n]), rest[1+n:]
			continue
		}
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end < 0 {
			r.fail("only '.' or '[' may follow ']' in format field specifier")
		}
		key := Value(String(rest[1:end]))
		if i := parseInt(rest[1:end], 10); i != nil {
			key = i
		}
		v, rest = r.item(v, key), rest[end+1:]
	}
	return v
}

func (f *formatter) argument(id string) Value {
	r := f.run
	index, ok := int64(f.next), true
	if id == "" {
		if f.manual {
			r.fail("cannot switch from manual field specification to automatic field numbering")
		}
		f.next++
	} else if i, isInt := parseInt(id, 10).(Int); isInt {
		if f.next > 0 {
			r.fail("cannot switch from automatic field numbering to manual field specification")
		}
		f.manual, index = true, int64(i)
	} else {
		ok = false
	}
	if ok {
		if index < 0 || index >= int64(len(f.args.positional)) {
			r.fail("replacement index %d out of range for positional args tuple", index)
		}
		return f.args.positional[index]
	}
	for i, n := range f.args.names {
		if n == id {
			return f.args.values[i]
		}
	}
	r.fail("format: no argument %s", pyQuote(id))
	return nil
}
