package tokenizer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

var nfc = form(norm.NFC)

// findPreTokenizer is the row of a tokenizer.ggml.pre; for an unknown name it is the default's, and ok is false.
func findPreTokenizer(name string) (row *preTokenizer, ok bool) {
	for i := range preTokenizers {
		if slices.Contains(preTokenizers[i].names, name) {
			return &preTokenizers[i], true
		}
	}
	row, _ = findPreTokenizer(defaultPre)
	return row, false
}

// parseMerges splits lines "left right".
func parseMerges(lines []string) ([][2]string, error) {
	merges := make([][2]string, len(lines))
	for i, line := range lines {
		at := strings.IndexByte(line[min(1, len(line)):], ' ') + 1
		if at < 1 || at+1 >= len(line) {
			return nil, fmt.Errorf("merge %d is %q, want two tokens with a space between them", i, line)
		}
		merges[i] = [2]string{line[:at], line[at+1:]}
	}
	return merges, nil
}

// mergeTable looks the merges' tokens up.
func (t *Tokenizer) mergeTable(merges [][2]string) *pairTable {
	table := newPairTable(len(merges))
	missing, example := 0, ""
	last := int32(-1) // vocabularies are in the order of their merges: mostly the next token is what the next merge makes
	for rank, m := range merges {
		left, ok1 := t.ids.id(m[0])
		right, ok2 := t.ids.id(m[1])
		made, ok3 := t.ids.joined(m[0], m[1], last+1)
		last = made
		if !ok1 || !ok2 || !ok3 {
			missing++
			example = m[0] + " " + m[1]
			continue
		}
		table.add(left, right, int32(rank), made)
	}
	if missing > 0 {
		t.warn("%d merges, such as %q, are of tokens that the vocabulary does not have; they are left out", missing, example)
	}
	return table
}

// useByteLevelBPE makes the tokenizer one of byte-level BPE.
func (t *Tokenizer) useByteLevelBPE(merges [][2]string, stages []scanner, whole bool) error {
	t.setPieces(byteSpelling)
	m := &mergeModel{stages: stages, pairs: t.mergeTable(merges), byteLevel: true, whole: whole, unk: -1}
	found := 0
	for b, r := range byteRunes {
		id, ok := t.ids.id(string(r))
		if ok {
			found++
		}
		m.bytes[b] = id
	}
	if found == 0 {
		return fmt.Errorf("the vocabulary has no byte-level token, want one for each byte")
	}
	if whole {
		m.index = newTextIndex(&t.pieces, t.plain)
	}
	t.model = m
	return nil
}

// plain says whether ordinary text can become the token.
func (t *Tokenizer) plain(id int32) bool {
	return t.kinds[id] == kindNormal || t.kinds[id] == kindUser || t.kinds[id] == kindUnused
}

// characterModel is what BPE over characters and SPM share; the pairs are still missing.
func (t *Tokenizer) characterModel() *mergeModel {
	t.setPieces(metaspaceSpelling)
	m := &mergeModel{index: newTextIndex(&t.texts, t.plain), unk: t.special.unk, fuseUnk: true}
	for i := range m.bytes {
		m.bytes[i] = -1
	}
	for id, k := range t.kinds {
		if b, ok := byteToken(t.texts.at(int32(id))); ok && k == kindByte {
			m.bytes[b] = int32(id)
		}
	}
	m.stages = []scanner{newSeams(&t.texts, t.kinds).scan}
	return m
}

// useSPM makes the tokenizer one of SentencePiece's BPE, whose merges are ordered by the scores of what they make.
func (t *Tokenizer) useSPM(scores []float32) error {
	n := t.VocabSize()
	if len(scores) != n {
		return fmt.Errorf("there are %d scores, want one for each of %d tokens", len(scores), n)
	}
	order := make([]int32, n)
	for i, s := range scores {
		if math.IsNaN(float64(s)) {
			return fmt.Errorf("the score of token %d is NaN, want a number", i)
		}
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	ranks := make([]int32, n)
	rank := int32(0)
	for i, id := range order {
		if i > 0 && scores[id] != scores[order[i-1]] {
			rank++
		}
		ranks[id] = rank
	}
	m := t.characterModel()
	m.pairs = &scoreTable{m.index, ranks}
	t.model = m
	return nil
}

// useWordPiece makes the tokenizer BERT's. Words begin with a metaspace in the vocabulary, as GGUF spells it, or else
// their continuations begin with prefix.
func (t *Tokenizer) useWordPiece(prefix string) {
	if prefix != "" {
		t.respell(prefix)
	}
	t.setPieces(metaspaceSpelling)
	longest := 0
	for id := range int32(t.VocabSize()) {
		longest = max(longest, len(t.texts.at(id)))
	}
	t.model = &wordPiece{newTextIndex(&t.texts, t.plain), longest, t.special.unk}
	t.trimSpace = true
}

// respell takes prefix off continuations and puts a metaspace before other words.
func (t *Tokenizer) respell(prefix string) {
	list := make([]string, t.VocabSize())
	for id := range list {
		text := t.texts.at(int32(id))
		list[id] = text
		if t.kinds[id] != kindNormal {
			continue
		}
		bare, ok := strings.CutPrefix(text, prefix)
		if !ok {
			bare = metaspace + text
		}
		list[id] = bare
	}
	t.texts = newTexts(list)
	t.ids = newTextIndex(&t.texts, func(int32) bool { return true })
}
