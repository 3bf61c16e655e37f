package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// A scanner gives the length in bytes of the first piece of s: at least 1 for a non-empty s. Pre-tokenizers are sequences
// of scanners: each cuts the pieces of the one before it, and so sees a piece's end as the end of the text, as the
// regular expressions do that these scanners stand for.
type scanner func(s string) int

// A matcher gives the length of an expression's match at the very start of s, 0 for none.
type matcher func(s string) int

// isolate makes a scanner of a matcher: what lies between matches is a piece of its own.
func isolate(match matcher) scanner {
	return func(s string) int {
		if n := match(s); n > 0 {
			return n
		}
		_, i := classAt(s, 0)
		for i < len(s) && match(s[i:]) == 0 {
			_, n := classAt(s, i)
			i += n
		}
		return i
	}
}

// singles cuts every character of mask off by itself.
func singles(mask class) scanner {
	return func(s string) int {
		c, n := classAt(s, 0)
		if c&mask != 0 {
			return n
		}
		return run(s, n, ^mask)
	}
}

// runs cuts between characters in and out of mask.
func runs(mask class) scanner {
	return func(s string) int {
		c, n := classAt(s, 0)
		if c&mask != 0 {
			return run(s, n, mask)
		}
		return run(s, n, ^mask)
	}
}

// groups cuts runs of mask into groups of at most limit characters, counted from the left.
func groups(mask class, limit int) scanner {
	return func(s string) int {
		if n := upTo(s, mask, limit); n > 0 {
			return n
		}
		return run(s, 0, ^mask)
	}
}

// upTo is the length of the run of mask at the start of s, of at most limit characters.
func upTo(s string, mask class, limit int) int {
	i := 0
	for ; limit > 0 && i < len(s); limit-- {
		c, n := classAt(s, i)
		if c&mask == 0 {
			break
		}
		i += n
	}
	return i
}

// whitespace is \s+(?!\S)|\s+ : a run of white space leaves its last character to the word that follows it.
func whitespace(s string) int {
	end := run(s, 0, space)
	if end == len(s) {
		return end
	}
	if last := end - lastWidth(s[:end]); last > 0 {
		return last
	}
	return end
}

// newlines is \s*[\r\n]+ : white space up to the last line end in it.
func newlines(s string) int {
	for i := run(s, 0, space) - 1; i >= 0; i-- {
		if s[i] == '\n' || s[i] == '\r' {
			return i + 1
		}
	}
	return 0
}

// contraction matches 's 't 're 've 'm 'll 'd at an apostrophe; fold is (?i:), to which U+017F is an s as well.
func contraction(s string, fold bool) int {
	if len(s) < 2 {
		return 0
	}
	second := func(want byte) int {
		if len(s) > 2 && foldByte(s[2], fold) == want {
			return 3
		}
		return 0
	}
	switch foldByte(s[1], fold) {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		return second('e')
	case 'l':
		return second('l')
	}
	if fold && len(s) > 2 && s[1:3] == "ſ" {
		return 3
	}
	return 0
}

func foldByte(c byte, fold bool) byte {
	if fold && 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// set is a bracket expression: classes, further ASCII characters, and ranges lo, hi, lo, hi, ...
type set struct {
	mask   class
	ascii  string
	ranges []rune
}

func (t *set) has(r rune) bool {
	if t.mask != 0 && classOf(r)&t.mask != 0 {
		return true
	}
	for i := range len(t.ascii) {
		if rune(t.ascii[i]) == r {
			return true
		}
	}
	lo, hi := 0, len(t.ranges)/2
	for lo < hi {
		if mid := (lo + hi) / 2; t.ranges[2*mid+1] < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return 2*lo < len(t.ranges) && t.ranges[2*lo] <= r
}

// run is the length of the run of the set's characters at the start of s.
func (t *set) run(s string) int {
	for i, r := range s {
		if !t.has(r) {
			return i
		}
	}
	return len(s)
}

// afterSpace is \s?X+ : a run of the set with one white space before it or none.
func (t *set) afterSpace(s string) int {
	if c, n := classAt(s, 0); c&space != 0 {
		if m := t.run(s[n:]); m > 0 {
			return n + m
		}
	}
	return t.run(s)
}

// digitTriples is [0-9][0-9][0-9].
func digitTriples(s string) int {
	if len(s) >= 3 && isDigit(s[0]) && isDigit(s[1]) && isDigit(s[2]) {
		return 3
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// lineBreak is [\r\n].
func lineBreak(s string) int {
	if s[0] == '\n' || s[0] == '\r' {
		return 1
	}
	return 0
}

// trailingSpace cuts \s+$ off.
func trailingSpace(s string) int {
	end := len(s)
	for end > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:end])
		if classOf(r)&space == 0 {
			break
		}
		end -= n
	}
	if end == 0 {
		return len(s)
	}
	return end
}

// beforeEach cuts before every mark.
func beforeEach(mark string) scanner {
	return func(s string) int {
		_, n := classAt(s, 0)
		if i := strings.Index(s[n:], mark); i >= 0 {
			return n + i
		}
		return len(s)
	}
}

// afterEach cuts behind every mark.
func afterEach(mark string) scanner {
	return func(s string) int {
		if i := strings.Index(s, mark); i >= 0 {
			return i + len(mark)
		}
		return len(s)
	}
}

// bertPunct is what BERT calls punctuation: all of ASCII's symbols belong to it.
var bertPunct = &set{mask: punct, ascii: "$+<=>^`|~"}

// punctuationMark is one character of bertPunct.
func punctuationMark(s string) int {
	if c, n := classAt(s, 0); isBertPunct(c, s[0]) {
		return n
	}
	return 0
}

func isBertPunct(c class, first byte) bool {
	return c&punct != 0 || c&symbol != 0 && first < utf8.RuneSelf
}

// spelledDigits cuts between bytes whose spelling is a number and others: 0 to 9, and those that Latin-1 has as ²³¹¼½¾.
func spelledDigits(individual bool) scanner {
	isNumber := func(c byte) bool { return classOf(byteRunes[c])&number != 0 }
	return func(s string) int {
		first := isNumber(s[0])
		i := 1
		for i < len(s) && isNumber(s[i]) == first && !(first && individual) {
			i++
		}
		return i
	}
}
