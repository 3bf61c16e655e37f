package jinja

import (
	"html"
	"strings"
)

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;")

// escaped is the text of v for HTML: as it is where it is marked safe.
func (r *run) escaped(v Value) string {
	if m, ok := v.(markup); ok {
		return string(m)
	}
	return r.escape(r.str(v))
}

func (r *run) escape(s string) string {
	escaped := escaper.Replace(s)
	r.grow(len(escaped))
	return escaped
}

func escapeFilter(r *run, v Value, a arguments) Value {
	r.bind("escape", a)
	return markup(r.escaped(v))
}

func forceescapeFilter(r *run, v Value, a arguments) Value {
	r.bind("forceescape", a)
	return markup(r.escape(r.str(v)))
}

func safeFilter(r *run, v Value, a arguments) Value {
	r.bind("safe", a)
	return markup(r.str(v))
}

// striptagsFilter removes comments and tags and makes all white space one blank.
func striptagsFilter(r *run, v Value, a arguments) Value {
	r.bind("striptags", a)
	s := r.str(v)
	r.growTimes(10, len(s))
	s = without(without(s, "<!--", "-->"), "<", ">")
	return String(html.UnescapeString(strings.Join(strings.FieldsFunc(s, isSpace), " ")))
}

// without is s less everything from open to end; an open without an end stays.
func without(s, open, end string) string {
	var b strings.Builder
	for {
		from := strings.Index(s, open)
		if from < 0 {
			break
		}
		to := strings.Index(s[from:], end)
		if to < 0 {
			break
		}
		b.WriteString(s[:from])
		s = s[from+to+len(end):]
	}
	b.WriteString(s)
	return b.String()
}

// urlencodeFilter quotes a string, or makes a query of a mapping or of pairs.
func urlencodeFilter(r *run, v Value, a arguments) Value {
	r.bind("urlencode", a)
	if _, ok := text(v); ok || !iterable(v) {
		return String(r.urlQuote(r.str(v), "/", "%20"))
	}
	pairs := []Value(nil)
	if d, ok := v.(*Dict); ok {
		pairs = r.pairs(d)
	} else {
		pairs = r.iterate(v)
	}
	var parts []string
	for _, pair := range pairs {
		kv := r.iterate(pair)
		if len(kv) != 2 {
			r.fail("urlencode wants pairs, found %d values", len(kv))
		}
		parts = append(parts, r.urlQuote(r.str(kv[0]), "", "+")+"="+r.urlQuote(r.str(kv[1]), "", "+"))
	}
	return String(r.concat(strings.Join(parts, "&")))
}

// urlQuote writes all bytes but letters, digits, "_.-~" and those in keep by their number.
func (r *run) urlQuote(s, keep, blank string) string {
	const hex = "0123456789ABCDEF"
	r.growTimes(3, len(s))
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDecimal(c) || strings.IndexByte("_.-~"+keep, c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteString(blank)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

func xmlattrFilter(r *run, v Value, a arguments) Value {
	autospace := r.bind("xmlattr", a, "autospace")[0]
	d, ok := v.(*Dict)
	if !ok {
		r.fail("xmlattr wants a mapping, found '%s'", v.pyType())
	}
	var parts []string
	for i, key := range d.keys {
		value := d.values[i]
		if is[None](value) || is[*undefined](value) {
			continue
		}
		id := r.str(key)
		if strings.ContainsFunc(id, func(c rune) bool { return isSpace(c) || strings.ContainsRune("/>=", c) }) {
			r.fail("invalid character in attribute name: %s", pyQuote(id))
		}
		parts = append(parts, r.concat(r.escaped(key), `="`, r.escaped(value), `"`))
	}
	joined := strings.Join(parts, " ")
	if joined != "" && (autospace == nil || truth(autospace)) {
		joined = " " + joined
	}
	return String(r.concat(joined))
}
