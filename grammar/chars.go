package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// chars is a set of characters, as ranges.
type chars []charRange

type charRange struct{ lo, hi rune }

// anyChar is every character there is; halves of UTF-16 pairs are none.
var anyChar = chars{{0, 0xd7ff}, {0xe000, utf8.MaxRune}}

// not is the characters that are not in c.
func (c chars) not() chars {
	var out chars
	next := rune(0)
	for _, r := range c.sorted() {
		if r.lo > next {
			out = append(out, charRange{next, r.lo - 1})
		}
		next = max(next, r.hi+1)
	}
	if next <= utf8.MaxRune {
		out = append(out, charRange{next, utf8.MaxRune})
	}
	return out
}

// and is the characters that are in both.
func (c chars) and(d chars) chars {
	var out chars
	for _, a := range c {
		for _, b := range d {
			if lo, hi := max(a.lo, b.lo), min(a.hi, b.hi); lo <= hi {
				out = append(out, charRange{lo, hi})
			}
		}
	}
	return out.sorted()
}

func (c chars) sorted() chars {
	out := slices.Clone(c)
	slices.SortFunc(out, func(a, b charRange) int { return cmp.Compare(a.lo, b.lo) })
	return out
}

// utf8Lengths are the characters of one, two, three and four bytes.
var utf8Lengths = []charRange{{0, 0x7f}, {0x80, 0x7ff}, {0x800, 0xd7ff}, {0xe000, 0xffff}, {0x10000, utf8.MaxRune}}

// raw is one of the characters as UTF-8. An error says that there is none.
func (c chars) raw() (*expr, error) {
	single, out := set{}, alt()
	for _, length := range utf8Lengths {
		for _, r := range c.and(chars{length}) {
			if r.hi < utf8.RuneSelf {
				single.add(byte(r.lo), byte(r.hi))
				continue
			}
			out.subs = append(out.subs, between(utf8.AppendRune(nil, r.lo), utf8.AppendRune(nil, r.hi)))
		}
	}
	if single != (set{}) {
		out.subs = append(out.subs, &expr{kind: isSet, set: single})
	}
	if len(out.subs) == 0 {
		return nil, fmt.Errorf("grammar: a set of no characters; want at least one")
	}
	return out, nil
}

// between is the byte strings from lo to hi, of the same length, whose bytes behind the first are from 0x80 to 0xbf.
func between(lo, hi []byte) *expr {
	if len(lo) == 1 {
		return oneByte(lo[0], hi[0])
	}
	if lo[0] == hi[0] {
		return seq(oneByte(lo[0], lo[0]), between(lo[1:], hi[1:]))
	}
	least, most := slices.Repeat([]byte{0x80}, len(lo)-1), slices.Repeat([]byte{0xbf}, len(lo)-1)
	out := alt()
	from, to := lo[0], hi[0]
	if !slices.Equal(lo[1:], least) {
		out.subs = append(out.subs, seq(oneByte(from, from), between(lo[1:], most)))
		from++
	}
	if !slices.Equal(hi[1:], most) {
		out.subs = append(out.subs, seq(oneByte(to, to), between(least, hi[1:])))
		to--
	}
	if from <= to {
		out.subs = append(out.subs, seq(oneByte(from, to), between(least, most)))
	}
	return out
}
