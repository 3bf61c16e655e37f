package tokenizer

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is a set of character classes. Every character belongs to exactly one, so that a negated set such as
// [^\s\p{L}\p{N}] is the complement of a mask.
type class uint16

const (
	lower       class = 1 << iota // \p{Ll}
	upper                         // \p{Lu} \p{Lt}
	otherLetter                   // \p{Lm} \p{Lo}
	number                        // \p{N}
	mark                          // \p{M}
	punct                         // \p{P}
	symbol                        // \p{S}
	space                         // \s, which is White_Space
	rest                          // controls, formats, private use, unassigned

	letter = lower | upper | otherLetter
)

var classTables = []struct {
	class class
	table *unicode.RangeTable
}{
	{lower, unicode.Ll}, {upper, unicode.Lu}, {upper, unicode.Lt}, {otherLetter, unicode.Lm}, {otherLetter, unicode.Lo},
	{number, unicode.N}, {mark, unicode.M}, {punct, unicode.P}, {symbol, unicode.S}, {space, unicode.White_Space},
}

// classBlock holds the classes of 256 successive code points.
type classBlock [256]class

// classMap is the two-level table behind classOf: most of Unicode's 4352 blocks are alike and shared.
type classMap struct {
	index  [(unicode.MaxRune + 1) / 256]uint16
	blocks []classBlock
}

var classes = sync.OnceValue(newClassMap)

func newClassMap() *classMap {
	flat := make([]class, unicode.MaxRune+1)
	for i := range flat {
		flat[i] = rest
	}
	for _, t := range classTables {
		for _, r := range t.table.R16 {
			for c := uint32(r.Lo); c <= uint32(r.Hi); c += uint32(r.Stride) {
				flat[c] = t.class
			}
		}
		for _, r := range t.table.R32 {
			for c := r.Lo; c <= r.Hi; c += r.Stride {
				flat[c] = t.class
			}
		}
	}
	m := new(classMap)
	seen := make(map[classBlock]uint16)
	for i := range m.index {
		block := classBlock(flat[i*256:])
		at, ok := seen[block]
		if !ok {
			at = uint16(len(m.blocks))
			m.blocks = append(m.blocks, block)
			seen[block] = at
		}
		m.index[i] = at
	}
	return m
}

// ascii holds the classes of single-byte characters; bytes from 0x80 on are not asked for.
var ascii = func() (t [256]class) {
	for c := range utf8.RuneSelf {
		t[c] = rest
		for _, ct := range classTables {
			if unicode.Is(ct.table, rune(c)) {
				t[c] = ct.class
			}
		}
	}
	return t
}()

func classOf(r rune) class {
	m := classes()
	return m.blocks[m.index[r>>8]][r&0xFF]
}

// classAt gives the class and the width in bytes of the character at s[i:]. A byte that is no UTF-8 counts as U+FFFD, a
// symbol of width one.
func classAt(s string, i int) (class, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return classOf(r), n
}

// run is the end of the longest run of characters from s[i:] whose class is in mask.
func run(s string, i int, mask class) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if ascii[c]&mask == 0 {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if classOf(r)&mask == 0 {
			return i
		}
		i += n
	}
	return i
}

// lastWidth is the width in bytes of the last character of s.
func lastWidth(s string) int {
	_, n := utf8.DecodeLastRuneInString(s)
	return n
}
