package jinja

import (
	"strings"
	"unicode"
)

func init() {
	stringMethods = map[string]method{
		"upper":      mapped("upper", toUpper),
		"lower":      mapped("lower", strings.ToLower),
		"casefold":   mapped("casefold", strings.ToLower),
		"title":      mapped("title", titleWords),
		"capitalize": mapped("capitalize", capitalize),
		"swapcase":   mapped("swapcase", swapCase),

		"strip":  stripped("strip", true, true),
		"lstrip": stripped("lstrip", true, false),
		"rstrip": stripped("rstrip", false, true),

		"isdigit":   checked("isdigit", unicode.IsDigit),
		"isdecimal": checked("isdecimal", unicode.IsDigit),
		"isnumeric": checked("isnumeric", unicode.IsNumber),
		"isalpha":   checked("isalpha", unicode.IsLetter),
		"isalnum":   checked("isalnum", func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }),
		"isspace":   checked("isspace", isSpace),
		"isascii":   isASCII,
		"isupper":   viaTest("upper"),
		"islower":   viaTest("lower"),

		"startswith":   affixed("startswith", strings.HasPrefix),
		"endswith":     affixed("endswith", strings.HasSuffix),
		"removeprefix": trimmed("removeprefix", strings.TrimPrefix),
		"removesuffix": trimmed("removesuffix", strings.TrimSuffix),

		"find":   located("find", strings.Index, false),
		"rfind":  located("rfind", strings.LastIndex, false),
		"index":  located("index", strings.Index, true),
		"rindex": located("rindex", strings.LastIndex, true),
		"count":  countMethod,

		"split":      splitMethod((*run).splitLeft),
		"rsplit":     splitMethod((*run).splitRight),
		"splitlines": splitlinesMethod,
		"partition":  partitioned("partition", strings.Index),
		"rpartition": partitioned("rpartition", strings.LastIndex),
		"join":       joinMethod,
		"replace":    replaceMethod,
		"format":     formatMethod,

		"center":     padded("center", func(room int) int { return room / 2 }),
		"ljust":      padded("ljust", func(int) int { return 0 }),
		"rjust":      padded("rjust", func(room int) int { return room }),
		"zfill":      zfillMethod,
		"expandtabs": expandtabsMethod,
	}
}

// own is the string a method belongs to, accounted for as read.
func (r *run) own(self Value) string {
	s, _ := text(self)
	r.scan(len(s))
	return s
}

func mapped(callee string, f func(string) string) method {
	return func(r *run, self Value, a arguments) Value {
		r.bind(callee, a)
		s := r.own(self)
		r.grow(2 * len(s))
		return like(self, f(s))
	}
}

// toUpper differs from Go's in the letters that become two.
func toUpper(s string) string {
	if strings.ContainsRune(s, 'ß') {
		s = strings.ReplaceAll(s, "ß", "SS")
	}
	return strings.ToUpper(s)
}

// titleWords gives every letter behind a non-letter its title case, and others lower case.
func titleWords(s string) string {
	inWord := false
	return strings.Map(func(c rune) rune {
		isCased := unicode.IsUpper(c) || unicode.IsLower(c) || unicode.IsTitle(c)
		start := isCased && !inWord
		inWord = isCased
		if start {
			return unicode.ToTitle(c)
		}
		return unicode.ToLower(c)
	}, s)
}

func capitalize(s string) string {
	if s == "" {
		return s
	}
	n := runeLen(s)
	return strings.ToTitle(s[:n]) + strings.ToLower(s[n:])
}

func swapCase(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, s)
}

func stripped(callee string, left, right bool) method {
	return func(r *run, self Value, a arguments) Value {
		s := r.own(self)
		return like(self, r.strip(s, r.bind(callee, positionalOnly(r, callee, a), "chars")[0], left, right))
	}
}

// strip removes the characters of chars from the ends of s; without chars, white space.
func (r *run) strip(s string, chars Value, left, right bool) string {
	set, given := r.optionalText("strip", chars)
	out := isSpace
	if given {
		r.charge(len(set) * (1 + len(s)/64))
		out = func(c rune) bool { return strings.ContainsRune(set, c) }
	}
	if left {
		s = strings.TrimLeftFunc(s, out)
	}
	if right {
		s = strings.TrimRightFunc(s, out)
	}
	return s
}

func checked(callee string, f func(rune) bool) method {
	return func(r *run, self Value, a arguments) Value {
		r.bind(callee, a)
		s := r.own(self)
		return Bool(s != "" && strings.IndexFunc(s, func(c rune) bool { return !f(c) }) < 0)
	}
}

func isASCII(r *run, self Value, a arguments) Value {
	r.bind("isascii", a)
	return Bool(strings.IndexFunc(r.own(self), func(c rune) bool { return c > unicode.MaxASCII }) < 0)
}

func viaTest(id string) method {
	return func(r *run, self Value, a arguments) Value { return Bool(r.test(id, self, a)) }
}

// window is the part of s that optional start and end arguments, in characters, pick; false when start is beyond s.
func (r *run) window(callee, s string, start, end Value) (part string, from int, ok bool) {
	n := r.runes(s)
	bound := func(v Value, fallback int) int {
		if v == nil || is[None](v) {
			return fallback
		}
		at := r.intArg(callee, v, 0)
		if at < 0 {
			at = max(0, at+n)
		}
		return at
	}
	from, to := bound(start, 0), min(n, bound(end, n))
	if from > to {
		return "", 0, false
	}
	return s[byteOffset(s, from):byteOffset(s, to)], from, true
}

func affixed(callee string, has func(s, affix string) bool) method {
	return func(r *run, self Value, a arguments) Value {
		args := r.bind(callee, positionalOnly(r, callee, a), "*affix", "start", "end")
		s, _ := text(self)
		if args[1] != nil {
			part, _, ok := r.window(callee, s, args[1], args[2])
			if !ok {
				return Bool(false)
			}
			s = part
		}
		if options, ok := args[0].(*tuple); ok {
			for _, affix := range options.items {
				if has(s, r.textArg(callee, affix)) {
					return Bool(true)
				}
			}
			return Bool(false)
		}
		r.defined(args[0])
		return Bool(has(s, r.textArg(callee, args[0])))
	}
}

func trimmed(callee string, trim func(s, affix string) string) method {
	return func(r *run, self Value, a arguments) Value {
		s, _ := text(self)
		return like(self, trim(s, r.textArg(callee, r.bind(callee, positionalOnly(r, callee, a), "*affix")[0])))
	}
}

func located(callee string, index func(s, part string) int, must bool) method {
	return func(r *run, self Value, a arguments) Value {
		args := r.bind(callee, positionalOnly(r, callee, a), "*sub", "start", "end")
		wanted := r.textArg(callee, args[0])
		part, from, ok := r.window(callee, r.own(self), args[1], args[2])
		at := -1
		if ok {
			at = index(part, wanted)
		}
		if at >= 0 {
			return Int(from + r.runes(part[:at]))
		}
		if must {
			r.fail("substring not found")
		}
		return Int(-1)
	}
}

func countMethod(r *run, self Value, a arguments) Value {
	args := r.bind("count", positionalOnly(r, "count", a), "*sub", "start", "end")
	part, _, ok := r.window("count", r.own(self), args[1], args[2])
	if !ok {
		return Int(0)
	}
	return Int(strings.Count(part, r.textArg("count", args[0])))
}

func joinMethod(r *run, self Value, a arguments) Value {
	separator, _ := text(self)
	items := r.iterate(r.bind("join", a, "*iterable")[0])
	parts := make([]string, len(items))
	n := len(separator) * max(0, len(items)-1)
	for i, item := range items {
		s, ok := text(item)
		if !ok {
			r.fail("sequence item %d: expected str instance, %s found", i, item.pyType())
		}
		if is[markup](self) {
			s = r.escaped(item)
		}
		parts[i] = s
		n += len(s)
	}
	r.growTimes(16, len(parts))
	r.grow(n)
	return like(self, strings.Join(parts, separator))
}

func replaceMethod(r *run, self Value, a arguments) Value {
	args := r.bind("replace", positionalOnly(r, "replace", a), "*old", "*new", "count")
	s := r.own(self)
	old, replacement := r.textArg("replace", args[0]), r.textArg("replace", args[1])
	if is[markup](self) {
		replacement = r.escaped(args[1])
	}
	return like(self, r.replace(s, old, replacement, r.intArg("replace", args[2], -1)))
}

// replace puts replacement for the first count occurrences of old, for all where count is negative.
func (r *run) replace(s, old, replacement string, count int) string {
	n := strings.Count(s, old)
	if count >= 0 {
		n = min(n, count)
	}
	r.grow(len(s))
	r.growTimes(len(replacement), n)
	return strings.Replace(s, old, replacement, count)
}

func padded(callee string, before func(room int) int) method {
	return func(r *run, self Value, a arguments) Value {
		args := r.bind(callee, positionalOnly(r, callee, a), "*width", "fillchar")
		fill := " "
		if args[1] != nil {
			fill = r.textArg(callee, args[1])
		}
		if r.runes(fill) != 1 {
			r.fail("%s wants a fill character, found %d characters", callee, r.runes(fill))
		}
		s := r.own(self)
		width := r.intArg(callee, args[0], 0)
		room := width - r.runes(s)
		if room <= 0 {
			return self
		}
		r.growTimes(len(fill), room)
		left := before(room)
		if callee == "center" {
			left += room & width & 1 // as CPython rounds
		}
		return like(self, r.concat(strings.Repeat(fill, left), s, strings.Repeat(fill, room-left)))
	}
}

func zfillMethod(r *run, self Value, a arguments) Value {
	width := r.intArg("zfill", r.bind("zfill", a, "*width")[0], 0)
	s := r.own(self)
	room := width - r.runes(s)
	if room <= 0 {
		return self
	}
	r.grow(room)
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	return like(self, r.concat(sign, strings.Repeat("0", room), s))
}

func expandtabsMethod(r *run, self Value, a arguments) Value {
	size := r.intArg("expandtabs", r.bind("expandtabs", a, "tabsize")[0], 8)
	s := r.own(self)
	r.growTimes(max(0, size), strings.Count(s, "\t"))
	var b strings.Builder
	column := 0
	for _, c := range s {
		switch {
		case c == '\t' && size > 0:
			room := size - column%size
			b.WriteString(strings.Repeat(" ", room))
			column += room
		case c == '\t':
		default:
			b.WriteRune(c)
			column++
			if c == '\n' || c == '\r' {
				column = 0
			}
		}
	}
	return like(self, r.concat(b.String()))
}
