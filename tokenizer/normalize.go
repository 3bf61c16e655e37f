package tokenizer

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// normalizer rewrites a stretch of text before the model sees it; first says that nothing precedes the stretch.
type normalizer func(text string, first bool) string

// form brings text to a Unicode normal form.
func form(f norm.Form) normalizer {
	return func(text string, _ bool) string { return f.String(text) }
}

// prepend puts s before every stretch, or before the first only.
func prepend(s string, firstOnly bool) normalizer {
	return func(text string, first bool) string {
		if text == "" || firstOnly && !first {
			return text
		}
		return s + text
	}
}

// prependUnless puts s before a stretch that does not begin with it.
func prependUnless(s string, firstOnly bool) normalizer {
	put := prepend(s, firstOnly)
	return func(text string, first bool) string {
		if strings.HasPrefix(text, s) {
			return text
		}
		return put(text, first)
	}
}

func replace(old, with string) normalizer {
	return func(text string, _ bool) string { return strings.ReplaceAll(text, old, with) }
}

func lowercase(text string, _ bool) string { return strings.ToLower(text) }

func strip(left, right bool) normalizer {
	return func(text string, _ bool) string {
		if left {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
		}
		if right {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		}
		return text
	}
}

// stripAccents drops the nonspacing marks of a decomposed text.
func stripAccents(text string, _ bool) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
}

// bertRules are the options of BERT's normalizer.
type bertRules struct{ clean, han, accents, lower bool }

// normalizers carries the rules out in BERT's order.
func (b bertRules) normalizers() (list []normalizer) {
	if b.clean {
		list = append(list, func(text string, _ bool) string { return strings.Map(cleanRune, text) })
	}
	if b.han {
		list = append(list, spaceHan)
	}
	if b.accents {
		list = append(list, form(norm.NFD), stripAccents)
	}
	if b.lower {
		list = append(list, lowercase)
	}
	return list
}

func cleanRune(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == unicode.ReplacementChar || unicode.Is(unicode.C, r):
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// spaceHan puts spaces around Chinese characters.
func spaceHan(text string, _ bool) string {
	if strings.IndexFunc(text, isHan) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isHan(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hanRanges are the blocks BERT calls Chinese; 2B920 is the reference implementation's.
var hanRanges = &set{ranges: []rune{
	0x3400, 0x4DBF, 0x4E00, 0x9FFF, 0xF900, 0xFAFF, 0x20000, 0x2A6DF, 0x2A700, 0x2B73F, 0x2B740, 0x2B81F,
	0x2B920, 0x2CEAF, 0x2F800, 0x2FA1F}}

func isHan(r rune) bool { return hanRanges.has(r) }
