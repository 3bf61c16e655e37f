package jinja

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// jsonStyle is how JSON is written.
type jsonStyle struct {
	ascii    bool   // whether other characters are written by number
	lines    bool   // whether each item has its own line
	indent   string // of one level
	comma    string
	colon    string
	sortKeys bool
}

// tojsonFilter is Hugging Face's tojson: Python's json.dumps, which does not escape for HTML.
func tojsonFilter(r *run, v Value, a arguments) Value {
	args := r.bind("tojson", a, "ensure_ascii", "indent", "separators", "sort_keys")
	style := jsonStyle{comma: ", ", colon: ": "}
	style.ascii = args[0] != nil && truth(args[0])
	style.sortKeys = args[3] != nil && truth(args[3])
	if args[1] != nil && !is[None](args[1]) {
		style.lines, style.comma = true, ","
		indent, ok := text(args[1])
		if !ok {
			width := max(0, r.intArg("tojson", args[1], 0))
			r.grow(width)
			indent = strings.Repeat(" ", width)
		}
		style.indent = indent
	}
	if args[2] != nil && !is[None](args[2]) {
		pair := r.iterate(args[2])
		if len(pair) != 2 {
			r.fail("tojson: found %d separators, want 2", len(pair))
		}
		style.comma, style.colon = r.textArg("tojson", pair[0]), r.textArg("tojson", pair[1])
	}
	w := &jsonWriter{writer{run: r}, style}
	w.value(v, 0)
	return String(w.String())
}

type jsonWriter struct {
	writer
	jsonStyle
}

func (w *jsonWriter) value(v Value, level int) {
	w.run.deeper(level)
	if s, ok := text(v); ok {
		w.quote(s)
		return
	}
	if items, ok := sequence(v); ok {
		w.enclose("[", "]", len(items), level, func(i int) { w.value(items[i], level+1) })
		return
	}
	d, ok := v.(*Dict)
	if !ok {
		w.add(w.scalar(v))
		return
	}
	order := make([]int, d.Len())
	for i := range order {
		order[i] = i
	}
	if w.sortKeys {
		slices.SortStableFunc(order, func(a, b int) int { return w.run.order(d.keys[a], d.keys[b], "<", 0) })
	}
	w.enclose("{", "}", d.Len(), level, func(i int) {
		w.quote(w.key(d.keys[order[i]]))
		w.add(w.colon)
		w.value(d.values[order[i]], level+1)
	})
}

// scalar is the JSON of a value without parts.
func (w *jsonWriter) scalar(v Value) string {
	switch v := v.(type) {
	case None:
		return "null"
	case Bool:
		return strings.ToLower(pyBool(v))
	case Int:
		return strconv.FormatInt(int64(v), 10)
	case wide:
		return v.String()
	case Float:
		switch f := float64(v); {
		case math.IsNaN(f):
			return "NaN"
		case math.IsInf(f, 1):
			return "Infinity"
		case math.IsInf(f, -1):
			return "-Infinity"
		}
		return pyFloat(float64(v))
	}
	w.run.fail("object of type %s is not JSON serializable", v.pyType())
	return ""
}

func (w *jsonWriter) key(v Value) string {
	if s, ok := text(v); ok {
		return s
	}
	if is[*tuple](v) {
		w.run.fail("keys must be str, int, float, bool or None, not tuple")
	}
	return w.scalar(v)
}

func (w *jsonWriter) enclose(open, end string, n, level int, item func(i int)) {
	w.add(open)
	for i := range n {
		if i > 0 {
			w.add(w.comma)
		}
		w.newline(level + 1)
		item(i)
	}
	if n > 0 {
		w.newline(level)
	}
	w.add(end)
}

func (w *jsonWriter) newline(level int) {
	if !w.lines {
		return
	}
	w.add("\n")
	for range level {
		w.add(w.indent)
	}
}

var jsonEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

func (w *jsonWriter) quote(s string) {
	w.add(`"`)
	from := 0
	for i, c := range s {
		if c >= ' ' && c != '"' && c != '\\' && (!w.ascii || c < 0x7f) {
			continue
		}
		w.add(s[from:i])
		from = i + runeLen(s[i:])
		switch escape := jsonEscapes[c]; {
		case escape != "":
			w.add(escape)
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			w.add(fmt.Sprintf(`\u%04x\u%04x`, high, low))
		default:
			w.add(fmt.Sprintf(`\u%04x`, c))
		}
	}
	w.add(s[from:])
	w.add(`"`)
}
