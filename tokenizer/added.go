package tokenizer

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is a token that is found in a text as it stands, before the model sees the rest.
type addedToken struct {
	text           string
	id             int32
	special        bool // found only where the caller asks for special tokens
	lstrip, rstrip bool // it swallows the white space on that side
	word           bool // it does not match inside a word
}

// addedSet finds added tokens: at the leftmost place the longest.
type addedSet struct {
	tokens []addedToken // sorted by text
	starts [257]int32   // tokens that begin with byte c: tokens[starts[c]:starts[c+1]]
}

// newAddedSet makes a set of the tokens with a text, nil for none.
func newAddedSet(tokens []addedToken) *addedSet {
	tokens = slices.DeleteFunc(slices.Clone(tokens), func(t addedToken) bool { return t.text == "" })
	if len(tokens) == 0 {
		return nil
	}
	slices.SortStableFunc(tokens, func(a, b addedToken) int { return strings.Compare(a.text, b.text) })
	tokens = slices.CompactFunc(tokens, func(a, b addedToken) bool { return a.text == b.text })
	s := &addedSet{tokens: tokens}
	for c := range 256 {
		s.starts[c+1] = int32(sort.Search(len(tokens), func(i int) bool { return int(tokens[i].text[0]) > c }))
	}
	return s
}

// cut splits text at its first added token: what is before it, its id, and what is after it. Without one the id is -1
// and all of the text is before it.
func (s *addedSet) cut(text string) (before string, id int32, after string) {
	if s == nil {
		return text, -1, ""
	}
	for i := range len(text) {
		c := text[i]
		if s.starts[c] == s.starts[int(c)+1] {
			continue
		}
		t := s.at(text[i:])
		if t == nil || t.word && !wholeWord(text, i, i+len(t.text)) {
			continue
		}
		before, after = text[:i], text[i+len(t.text):]
		if t.lstrip {
			before = strings.TrimRightFunc(before, unicode.IsSpace)
		}
		if t.rstrip {
			after = strings.TrimLeftFunc(after, unicode.IsSpace)
		}
		return before, t.id, after
	}
	return text, -1, ""
}

// at is the longest token at the start of text. It narrows the sorted tokens byte by byte.
func (s *addedSet) at(text string) *addedToken {
	lo, hi := int(s.starts[text[0]]), int(s.starts[int(text[0])+1])
	var best *addedToken
	for depth := 1; lo < hi; depth++ {
		if len(s.tokens[lo].text) == depth {
			best = &s.tokens[lo]
			lo++
		}
		if depth == len(text) {
			break
		}
		c, rest := text[depth], s.tokens[lo:hi]
		from := sort.Search(len(rest), func(i int) bool { return rest[i].text[depth] >= c })
		to := sort.Search(len(rest), func(i int) bool { return rest[i].text[depth] > c })
		lo, hi = lo+from, lo+to
	}
	return best
}

func wholeWord(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return (from == 0 || !isWordRune(before)) && (to == len(text) || !isWordRune(after))
}

func isWordRune(r rune) bool { return r == '_' || classOf(r)&(letter|mark|number) != 0 }

// addedSets holds the set for a text in which special tokens count and the one for a text in which they do not.
type addedSets struct{ all, plain *addedSet }

func newAddedSets(tokens []addedToken) addedSets {
	plain := slices.DeleteFunc(slices.Clone(tokens), func(t addedToken) bool { return t.special })
	return addedSets{newAddedSet(tokens), newAddedSet(plain)}
}

func (s *addedSets) pick(special bool) *addedSet {
	if special {
		return s.all
	}
	return s.plain
}
