package tokenizer

import (
	"strings"
	"unicode/utf8"

	"github.com/nrt-go/nrt/chat"
)

// defused breaks up control tokens that stand in a conversation's own text. It is one of Unicode's noncharacters: no
// text contains it, and templates carry it along like a letter.
const defused = "\uFDD0"

// Prompt renders a conversation and encodes it. Only what the template writes becomes control tokens: a message that
// spells out <|im_end|> is encoded as this text, and cannot end its turn. The text returned is that of Render.
func (c *Template) Prompt(req *chat.Request) (text string, ids []int32, err error) {
	marked, err := c.render(req, c.vocab.defuse)
	if err != nil {
		return "", nil, err
	}
	return strings.ReplaceAll(marked, defused, ""), c.Encode(marked), nil
}

// Encode gives the tokens of a rendered prompt, with all control tokens that it spells out. BOS comes first exactly
// once where the vocabulary asks for it, whether the template writes it or not.
func (c *Template) Encode(text string) []int32 {
	t := c.vocab
	dst := make([]int32, 0, len(text)/3+8)
	if t.AddsBOS() && !strings.HasPrefix(text, c.bos) {
		dst = append(dst, t.BOS())
	}
	e := t.encoders.Get().(*encoder)
	defer t.encoders.Put(e)
	for first := true; text != ""; first = false {
		before, id, after := t.raw.all.cut(text)
		if before != "" {
			plain := strings.ReplaceAll(before, defused, "")
			dst = t.encodeText(dst, plain, first, Options{ParseSpecial: len(plain) == len(before)}, e)
		}
		if id < 0 {
			break
		}
		dst, text = append(dst, id), after
	}
	return dst
}

// defuse puts a defused behind the first character of every control token that s spells out. Marks of its own s loses.
func (t *Tokenizer) defuse(s string) string {
	s = strings.ReplaceAll(s, defused, "")
	var b strings.Builder
	from := 0
	for i := range s {
		if !t.controlAt(s[i:]) {
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		b.WriteString(s[from:i+n] + defused)
		from = i + n
	}
	return b.String() + s[from:]
}

// controlAt says whether s starts with a control token.
func (t *Tokenizer) controlAt(s string) bool {
	for _, set := range []*addedSet{t.raw.all, t.normalized.all} {
		if set == nil || set.starts[s[0]] == set.starts[int(s[0])+1] {
			continue
		}
		if found := set.at(s); found != nil && found.special {
			return true
		}
	}
	return false
}
