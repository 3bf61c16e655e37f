package jinja

import "strings"

// splitMethod is split or rsplit, which differ in the end they count from.
func splitMethod(split func(r *run, s, separator string, limit int) []string) method {
	return func(r *run, self Value, a arguments) Value {
		args := r.bind("split", a, "sep", "maxsplit")
		s := r.own(self)
		limit := r.intArg("split", args[1], -1)
		separator, given := r.optionalText("split", args[0])
		if given && separator == "" {
			r.fail("empty separator")
		}
		return r.strings(self, split(r, s, separator, limit))
	}
}

// strings makes a list of strings of the kind that self is. The parts share the memory of the whole.
func (r *run) strings(self Value, parts []string) Value {
	r.growTimes(48, len(parts))
	items := make([]Value, len(parts))
	for i, part := range parts {
		items[i] = like(self, part)
	}
	return &List{items}
}

// splitLeft cuts s at the first limit separators, at all where limit is negative, and at white space where separator
// is empty.
func (r *run) splitLeft(s, separator string, limit int) []string {
	var parts []string
	for separator != "" {
		r.grow(16)
		at := strings.Index(s, separator)
		if at < 0 || limit == 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:at])
		s = s[at+len(separator):]
		limit--
	}
	for {
		r.grow(16)
		s = strings.TrimLeftFunc(s, isSpace)
		if s == "" {
			return parts
		}
		end := strings.IndexFunc(s, isSpace)
		if limit == 0 || end < 0 {
			end = len(s)
		}
		parts = append(parts, s[:end])
		s = s[end:]
		limit--
	}
}

// splitRight is splitLeft from the other end.
func (r *run) splitRight(s, separator string, limit int) []string {
	var parts []string
	for {
		r.grow(16)
		if separator == "" {
			s = strings.TrimRightFunc(s, isSpace)
			if s == "" {
				break
			}
		}
		at, width := strings.LastIndex(s, separator), len(separator)
		if separator == "" {
			at = strings.LastIndexFunc(s, isSpace)
			width = 0
			if at >= 0 {
				width = runeLen(s[at:])
			}
		}
		if at < 0 || limit == 0 {
			parts = append(parts, s)
			break
		}
		parts = append(parts, s[at+width:])
		s = s[:at]
		limit--
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}

func splitlinesMethod(r *run, self Value, a arguments) Value {
	keep := r.bind("splitlines", a, "keepends")[0]
	return r.strings(self, r.splitLines(r.own(self), keep != nil && truth(keep)))
}

// splitLines cuts s behind Python's line ends, which are more than \n.
func (r *run) splitLines(s string, keepEnds bool) []string {
	var lines []string
	for s != "" {
		r.grow(16)
		at := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if at < 0 {
			return append(lines, s)
		}
		end := at + runeLen(s[at:])
		if strings.HasPrefix(s[at:], "\r\n") {
			end = at + 2
		}
		if keepEnds {
			at = end
		}
		lines = append(lines, s[:at])
		s = s[end:]
	}
	return lines
}

func partitioned(callee string, index func(s, separator string) int) method {
	return func(r *run, self Value, a arguments) Value {
		separator := r.textArg(callee, r.bind(callee, a, "*sep")[0])
		if separator == "" {
			r.fail("empty separator")
		}
		s := r.own(self)
		parts := []string{s, "", ""}
		if at := index(s, separator); at >= 0 {
			parts = []string{s[:at], separator, s[at+len(separator):]}
		} else if callee == "rpartition" {
			parts = []string{"", "", s}
		}
		return &tuple{items: r.strings(self, parts).(*List).items}
	}
}
