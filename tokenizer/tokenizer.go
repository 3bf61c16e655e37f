// Package tokenizer turns text into the tokens of a model and back: BPE over bytes or characters, SentencePiece's BPE
// (SPM), and WordPiece. A vocabulary comes from a GGUF file's metadata or a Hugging Face tokenizer.json.
//
// Pre-tokenizers, the rules by which a text falls into words before BPE, are hand-written scanners in one table; no
// regular expression is ever run.
package tokenizer

import (
	"fmt"
	"slices"
	"sync"
)

// Tokenizer is one vocabulary with its rules. It does not change after loading; any number of goroutines may use it.
type Tokenizer struct {
	texts  texts // of the vocabulary, as the file spells them
	pieces texts // the bytes each token stands for
	kinds  []kind
	ids    *textIndex

	model      model
	normalize  []normalizer
	rewrite    []normalizer // what the pre-tokenizer changes, behind the added tokens of the normalized text
	raw        addedSets    // found in the text as given
	normalized addedSets    // found in the normalized text

	special        specials
	eog            []bool
	prefix, suffix []int32 // what AddSpecial puts around a text
	trimSpace      bool    // the first piece of a text loses the space that the normalizer put there

	templates map[string]string
	warnings  []string
	encoders  sync.Pool
}

// Options say what Encode does besides the plain text.
type Options struct {
	AddSpecial   bool // put BOS, EOS and the like around the text where the vocabulary asks for it
	ParseSpecial bool // read control tokens that the text spells out, such as <|im_end|>, as these tokens
}

// kind is what a token is, by GGUF's numbers.
type kind uint8

const (
	kindNormal kind = 1 + iota
	kindUnknown
	kindControl
	kindUser // found as it stands in any text
	kindUnused
	kindByte
)

// newTokenizer starts a tokenizer with the vocabulary, len(kinds) == len(tokens).
func newTokenizer(tokens []string, kinds []kind) (*Tokenizer, error) {
	if len(tokens) == 0 {
		return nil, fmt.Errorf("tokenizer: the vocabulary is empty")
	}
	t := &Tokenizer{texts: newTexts(tokens), kinds: kinds, special: noSpecials()}
	t.ids = newTextIndex(&t.texts, func(int32) bool { return true })
	t.encoders.New = func() any { return new(encoder) }
	return t, nil
}

// Encode gives the tokens of text.
func (t *Tokenizer) Encode(text string, opt Options) []int32 {
	return t.AppendEncode(make([]int32, 0, len(text)/3+8), text, opt)
}

// AppendEncode appends the tokens of text to dst.
func (t *Tokenizer) AppendEncode(dst []int32, text string, opt Options) []int32 {
	e := t.encoders.Get().(*encoder)
	defer t.encoders.Put(e)
	if opt.AddSpecial {
		dst = append(dst, t.prefix...)
	}
	added := t.raw.pick(opt.ParseSpecial)
	for first := true; text != ""; first = false {
		before, id, after := added.cut(text)
		if before != "" {
			dst = t.encodeText(dst, before, first, opt, e)
		}
		if id < 0 {
			break
		}
		dst, text = append(dst, id), after
	}
	if opt.AddSpecial {
		dst = append(dst, t.suffix...)
	}
	return dst
}

// encodeText encodes a stretch between added tokens; first says that the text begins with it.
func (t *Tokenizer) encodeText(dst []int32, text string, first bool, opt Options, e *encoder) []int32 {
	for _, normalize := range t.normalize {
		text = normalize(text, first)
	}
	added := t.normalized.pick(opt.ParseSpecial)
	for ; text != ""; first = false {
		before, id, after := added.cut(text)
		if before != "" {
			for _, rewrite := range t.rewrite {
				before = rewrite(before, first)
			}
			dst = t.model.encode(dst, before, e)
		}
		if id < 0 {
			break
		}
		dst, text = append(dst, id), after
	}
	return dst
}

// Token is a token's text as the vocabulary spells it, "" for an id outside the vocabulary.
func (t *Tokenizer) Token(id int32) string {
	if !t.texts.has(id) {
		return ""
	}
	return t.texts.at(id)
}

// ID finds the token that the vocabulary spells so.
func (t *Tokenizer) ID(token string) (int32, bool) { return t.ids.id(token) }

// VocabSize is the number of tokens; ids run from 0 to one less.
func (t *Tokenizer) VocabSize() int { return t.texts.len() }

// AddsBOS says whether AddSpecial begins a text with BOS.
func (t *Tokenizer) AddsBOS() bool {
	return t.special.bos >= 0 && slices.Contains(t.prefix, t.special.bos)
}

// AddsEOS says whether AddSpecial ends a text with EOS.
func (t *Tokenizer) AddsEOS() bool {
	return t.special.eos >= 0 && slices.Contains(t.suffix, t.special.eos)
}

// ChatTemplate is the model's chat template of that name, the default one for "".
func (t *Tokenizer) ChatTemplate(name string) (string, bool) {
	s, ok := t.templates[name]
	return s, ok
}

// Warnings are what was odd about the vocabulary but did not keep it from loading, one line each.
func (t *Tokenizer) Warnings() []string { return slices.Clone(t.warnings) }

func (t *Tokenizer) warn(format string, args ...any) {
	t.warnings = append(t.warnings, fmt.Sprintf(format, args...))
}
