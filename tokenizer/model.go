package tokenizer

import "unicode/utf8"

// model turns one stretch of text without added tokens into tokens.
type model interface {
	encode(dst []int32, text string, e *encoder) []int32
}

// encoder is the working memory of one Encode call.
type encoder struct {
	merger
	cache cache
	word  []int32
}

// mergeModel is BPE and SPM: a word falls into symbols, which a table of pairs brings together again.
type mergeModel struct {
	stages    []scanner
	pairs     pairer
	index     *textIndex // of the tokens as they stand in a word; nil where neither whole nor characters needs it
	byteLevel bool       // symbols are bytes; else characters
	whole     bool       // a word that is a token is that token
	bytes     [256]int32 // byteLevel: each byte's token; else its byte token, -1 for none
	unk       int32      // for what has no token, -1 to leave it out
	fuseUnk   bool       // one unk for a run of them
}

func (m *mergeModel) encode(dst []int32, text string, e *encoder) []int32 {
	return m.split(dst, len(dst), text, m.stages, e)
}

// split carries the stages out one within another; from is where this text's tokens begin in dst.
func (m *mergeModel) split(dst []int32, from int, text string, stages []scanner, e *encoder) []int32 {
	switch len(stages) {
	case 0:
		return m.appendWord(dst, from, text, e)
	case 1:
		for len(text) > 0 {
			n := stages[0](text)
			dst = m.appendWord(dst, from, text[:n], e)
			text = text[n:]
		}
		return dst
	}
	for len(text) > 0 {
		n := stages[0](text)
		dst = m.split(dst, from, text[:n], stages[1:], e)
		text = text[n:]
	}
	return dst
}

func (m *mergeModel) appendWord(dst []int32, from int, word string, e *encoder) []int32 {
	if len(word) == 1 && m.byteLevel {
		if id := m.bytes[word[0]]; id >= 0 {
			return append(dst, id)
		}
	}
	ids := m.wordIDs(word, e)
	if m.fuseUnk && len(ids) > 0 && ids[0] == m.unk && len(dst) > from && dst[len(dst)-1] == m.unk {
		ids = ids[1:]
	}
	return append(dst, ids...)
}

// wordIDs gives the tokens of a word, which stay what they are until the next call.
func (m *mergeModel) wordIDs(word string, e *encoder) []int32 {
	if len(word) > cacheMaxBytes {
		e.word = m.encodeWord(e.word[:0], word, e)
		return e.word
	}
	slot := e.cache.slot(word)
	if ids := slot.get(word); ids != nil {
		return ids
	}
	e.word = m.encodeWord(e.word[:0], word, e)
	slot.put(word, e.word)
	return e.word
}

func (m *mergeModel) encodeWord(dst []int32, word string, e *encoder) []int32 {
	if m.whole {
		if id, ok := m.index.id(word); ok {
			return append(dst, id)
		}
	}
	m.symbols(word, e)
	e.merge(word, m.pairs)
	for i, id := range e.ids {
		if id >= 0 {
			dst = append(dst, id)
		} else {
			dst = m.spell(dst, word[e.starts[i]:e.starts[i+1]])
		}
	}
	return dst
}

// symbols splits the word into what merging starts from.
func (m *mergeModel) symbols(word string, e *encoder) {
	e.ids, e.starts = e.ids[:0], e.starts[:0]
	if m.byteLevel {
		for i := range len(word) {
			e.ids, e.starts = append(e.ids, m.bytes[word[i]]), append(e.starts, int32(i))
		}
	} else {
		for i := 0; i < len(word); {
			_, n := utf8.DecodeRuneInString(word[i:])
			id, _ := m.index.id(word[i : i+n])
			e.ids, e.starts = append(e.ids, id), append(e.starts, int32(i))
			i += n
		}
	}
	e.starts = append(e.starts, int32(len(word)))
}

// spell writes a symbol that is no token: as byte tokens where the vocabulary has them all, else as unk.
func (m *mergeModel) spell(dst []int32, symbol string) []int32 {
	from := len(dst)
	if !m.byteLevel {
		for i := range len(symbol) {
			if id := m.bytes[symbol[i]]; id >= 0 {
				dst = append(dst, id)
			}
		}
		if len(dst) == from+len(symbol) {
			return dst
		}
	}
	dst = dst[:from]
	if m.unk < 0 || m.fuseUnk && from > 0 && dst[from-1] == m.unk {
		return dst
	}
	return append(dst, m.unk)
}

// metaspace is the character that stands for a space in SPM vocabularies.
const metaspace = "▁"
