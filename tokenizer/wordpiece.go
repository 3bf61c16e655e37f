package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// wordPiece is BERT's model: a word is the longest token at its start, then the longest that continues it, and so on; a
// word that cannot be spelled so is unk as a whole.
type wordPiece struct {
	index   *textIndex // of the tokens as GGUF spells them: words begin with a metaspace, continuations stand bare
	longest int        // in bytes, of any token
	unk     int32
}

// maxWordRunes is BERT's limit: a longer word is unk.
const maxWordRunes = 100

func (m *wordPiece) encode(dst []int32, text string, _ *encoder) []int32 {
	for text != "" {
		n := bertWord(text)
		word := text[:n]
		text = text[n:]
		if c, _ := classAt(word, 0); c&space != 0 {
			continue
		}
		if utf8.RuneCountInString(word) > maxWordRunes || strings.Contains(word, metaspace) {
			dst = append(dst, m.unk)
			continue
		}
		dst = m.word(dst, metaspace+word)
	}
	return dst
}

// word appends the tokens of one word, which begins with a metaspace.
func (m *wordPiece) word(dst []int32, word string) []int32 {
	from := len(dst)
	for i := 0; i < len(word); {
		id, n := m.prefix(word[i:])
		if n == 0 {
			return append(dst[:from], m.unk)
		}
		dst = append(dst, id)
		i += n
	}
	return dst
}

// prefix is the longest token that s begins with.
func (m *wordPiece) prefix(s string) (id int32, n int) {
	for n = min(len(s), m.longest); n > 0; n-- {
		if id, ok := m.index.id(s[:n]); ok {
			return id, n
		}
	}
	return -1, 0
}

// bertWord cuts at white space and isolates punctuation.
func bertWord(s string) int {
	c, n := classAt(s, 0)
	if c&space != 0 {
		return run(s, n, space)
	}
	if isBertPunct(c, s[0]) {
		return n
	}
	for i := n; i < len(s); i += n {
		c, n = classAt(s, i)
		if c&space != 0 || isBertPunct(c, s[i]) {
			return i
		}
	}
	return len(s)
}
