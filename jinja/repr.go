package jinja

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// str is Python's str(v): what a template prints.
func (r *run) str(v Value) string {
	switch v := v.(type) {
	case String:
		return string(v)
	case markup:
		return string(v)
	case Int:
		return strconv.FormatInt(int64(v), 10)
	case *undefined:
		return ""
	}
	return r.repr(v)
}

// repr is Python's repr(v).
func (r *run) repr(v Value) string {
	w := &writer{run: r}
	w.repr(v, 0)
	return w.String()
}

// writer builds a string within the memory limit.
type writer struct {
	run *run
	strings.Builder
}

func (w *writer) add(s string) {
	w.run.grow(len(s))
	w.WriteString(s)
}

func (w *writer) repr(v Value, level int) {
	w.run.deeper(level)
	switch v := v.(type) {
	case None:
		w.add("None")
	case Bool:
		w.add(pyBool(v))
	case Int:
		w.add(strconv.FormatInt(int64(v), 10))
	case wide:
		w.add(v.String())
	case Float:
		w.add(pyFloat(float64(v)))
	case String:
		w.add(pyQuote(string(v)))
	case markup:
		w.add("Markup(" + pyQuote(string(v)) + ")")
	case *Dict:
		w.dict(v, level)
	case *List:
		w.sequence("[", v.items, "]", level)
	case *tuple:
		if len(v.items) == 1 {
			w.sequence("(", v.items, ",)", level)
			return
		}
		w.sequence("(", v.items, ")", level)
	case *view:
		w.sequence(v.typ+"([", v.items, "])", level)
	case *namespace:
		w.add("<Namespace ")
		w.dict(v.attrs, level)
		w.add(">")
	default:
		w.add(describe(v))
	}
}

// describe is the repr of values that show no contents. Where Python prints an address, it prints none.
func describe(v Value) string {
	switch v := v.(type) {
	case *undefined:
		return "Undefined"
	case *span:
		if v.step != 1 {
			return fmt.Sprintf("range(%d, %d, %d)", v.start, v.stop, v.step)
		}
		return fmt.Sprintf("range(%d, %d)", v.start, v.stop)
	case *macro:
		return "<Macro " + pyQuote(v.def.name) + ">"
	case *loop:
		return fmt.Sprintf("<LoopContext %d/%d>", v.index+1, v.length())
	case *function:
		return "<function " + v.name + ">"
	}
	return "<" + v.pyType() + " object>"
}

func (w *writer) sequence(open string, items []Value, end string, level int) {
	w.add(open)
	for i, item := range items {
		if i > 0 {
			w.add(", ")
		}
		w.repr(item, level+1)
	}
	w.add(end)
}

func (w *writer) dict(d *Dict, level int) {
	w.add("{")
	for i, key := range d.keys {
		if i > 0 {
			w.add(", ")
		}
		w.repr(key, level+1)
		w.add(": ")
		w.repr(d.values[i], level+1)
	}
	w.add("}")
}

func pyBool(b Bool) string {
	if b {
		return "True"
	}
	return "False"
}

// pyFloat is the shortest text that reads back as f, in Python's form.
func pyFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// pyQuote is the repr of a string: in single quotes unless only these occur in it.
func pyQuote(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteByte(quote)
	for _, c := range s {
		switch {
		case c == rune(quote) || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case strconv.IsPrint(c):
			b.WriteRune(c)
		default:
			b.WriteString(numbered(c))
		}
	}
	b.WriteByte(quote)
	return b.String()
}

// numbered is the escape of a character by its number.
func numbered(c rune) string {
	switch {
	case c < 0x100:
		return fmt.Sprintf(`\x%02x`, c)
	case c < 0x10000:
		return fmt.Sprintf(`\u%04x`, c)
	}
	return fmt.Sprintf(`\U%08x`, c)
}

// ascii is Python's ascii(v): the repr with other characters by their numbers.
func (r *run) ascii(v Value) string {
	w := &writer{run: r}
	for _, c := range r.repr(v) {
		if c < utf8.RuneSelf {
			w.add(string(c))
		} else {
			w.add(numbered(c))
		}
	}
	return w.String()
}

// runes is the number of characters in s.
func (r *run) runes(s string) int {
	r.scan(len(s))
	return utf8.RuneCountInString(s)
}

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
