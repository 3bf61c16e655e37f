package tokenizer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nrt-go/nrt/gguf"
)

const (
	keyPrefix   = "tokenizer.ggml."
	templateKey = "tokenizer.chat_template"
)

// FromGGUF reads the vocabulary in a model file's metadata: tokenizer.ggml.model is llama (SPM), gpt2 (BPE) or bert
// (WordPiece).
func FromGGUF(f *gguf.File) (*Tokenizer, error) {
	r := &ggufReader{f: f}
	t := r.read()
	if r.err != nil {
		return nil, fmt.Errorf("tokenizer: %s: %w", f.Path(), r.err)
	}
	return t, nil
}

// ggufReader keeps the first error, so that reading goes straight on.
type ggufReader struct {
	f   *gguf.File
	err error
}

func (r *ggufReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// optional gives def where the key is missing; every other error counts.
func optional[T any](r *ggufReader, get func(string) (T, error), key string, def T) T {
	v, err := get(keyPrefix + key)
	switch {
	case errors.Is(err, gguf.ErrMissing):
		return def
	case err != nil:
		r.fail("%w", err)
		return def
	}
	return v
}

func (r *ggufReader) read() *Tokenizer {
	model, err := r.f.String(keyPrefix + "model")
	if err != nil {
		r.fail("%w", err)
		return nil
	}
	tokens, err := r.f.Strings(keyPrefix + "tokens")
	if err != nil {
		r.fail("%w", err)
		return nil
	}
	kinds := r.kinds(len(tokens))
	if r.err != nil {
		return nil
	}
	t, err := newTokenizer(tokens, kinds)
	if err != nil {
		r.fail("%w", err)
		return nil
	}
	r.specials(t)
	switch model {
	case "llama":
		r.spm(t)
	case "gpt2":
		r.bpe(t)
	case "bert":
		r.wordPiece(t)
	default:
		r.fail("%smodel is %q, want llama, gpt2 or bert", keyPrefix, model)
	}
	if r.err != nil {
		return nil
	}
	t.findSpecials()
	t.raw = newAddedSets(r.added(t))
	t.templates = r.templates()
	return t
}

func (r *ggufReader) kinds(n int) []kind {
	types := optional(r, r.f.Ints, "token_type", nil)
	kinds := make([]kind, n)
	if types != nil && len(types) != n {
		r.fail("%stoken_type has %d entries, want one for each of %d tokens", keyPrefix, len(types), n)
		return nil
	}
	for i := range kinds {
		kinds[i] = kindNormal
		if types != nil && types[i] >= int64(kindNormal) && types[i] <= int64(kindByte) {
			kinds[i] = kind(types[i])
		}
	}
	return kinds
}

// id reads a token's number, -1 for none; a number outside the vocabulary is an error.
func (r *ggufReader) id(t *Tokenizer, key string) int32 {
	id := optional(r, r.f.Int, key, -1)
	// 2^32-1 is how some writers spell "none" in an unsigned field.
	if id == -1 || id == 1<<32-1 {
		return -1
	}
	if id < 0 || id >= int64(t.VocabSize()) {
		r.fail("%s%s is %d, want a token below %d", keyPrefix, key, id, t.VocabSize())
		return -1
	}
	return int32(id)
}

func (r *ggufReader) specials(t *Tokenizer) {
	s := &t.special
	for key, id := range map[string]*int32{
		"bos_token_id": &s.bos, "eos_token_id": &s.eos, "eot_token_id": &s.eot, "eom_token_id": &s.eom,
		"unknown_token_id": &s.unk, "seperator_token_id": &s.sep, "padding_token_id": &s.pad, "mask_token_id": &s.mask,
		"fim_pre_token_id": &s.fim.Prefix, "fim_suf_token_id": &s.fim.Suffix, "fim_mid_token_id": &s.fim.Middle,
		"fim_pad_token_id": &s.fim.Pad, "fim_rep_token_id": &s.fim.Repo, "fim_sep_token_id": &s.fim.File,
	} {
		*id = r.id(t, key)
	}
	for key, id := range map[string]*int32{
		"prefix_token_id": &s.fim.Prefix, "suffix_token_id": &s.fim.Suffix, "middle_token_id": &s.fim.Middle,
	} {
		if *id < 0 {
			*id = r.id(t, key)
		}
	}
}

// around sets what AddSpecial puts around a text; bos and eos are the model's habits where the file does not say.
func (r *ggufReader) around(t *Tokenizer, bos, eos, sep bool) {
	for _, a := range []struct {
		key  string
		on   bool
		id   int32
		side *[]int32
	}{
		{"add_bos_token", bos, t.special.bos, &t.prefix},
		{"add_eos_token", eos, t.special.eos, &t.suffix},
		{"add_sep_token", sep, t.special.sep, &t.suffix},
	} {
		switch on := optional(r, r.f.Bool, a.key, a.on); {
		case on && a.id < 0:
			t.warn("%s asks for a token that the vocabulary does not name", a.key)
		case on:
			*a.side = append(*a.side, a.id)
		}
	}
}

func (r *ggufReader) spm(t *Tokenizer) {
	scores, err := r.f.Floats(keyPrefix + "scores")
	if err != nil {
		r.fail("%w", err)
		return
	}
	s := &t.special
	for i, id := range []*int32{&s.unk, &s.bos, &s.eos} {
		// SentencePiece's numbers, for files that do not give any.
		if *id < 0 && i < t.VocabSize() && (t.kinds[i] == kindControl || t.kinds[i] == kindUnknown) {
			*id = int32(i)
		}
	}
	if err := t.useSPM(scores); err != nil {
		r.fail("%w", err)
		return
	}
	if optional(r, r.f.Bool, "add_space_prefix", true) {
		t.normalize = append(t.normalize, prepend(metaspace, false))
		t.trimSpace = true
	}
	t.normalize = append(t.normalize, replace(" ", metaspace))
	r.around(t, true, false, false)
}

func (r *ggufReader) bpe(t *Tokenizer) {
	lines, err := r.f.Strings(keyPrefix + "merges")
	if err != nil {
		r.fail("%w", err)
		return
	}
	merges, err := parseMerges(lines)
	if err != nil {
		r.fail("%w", err)
		return
	}
	name := optional(r, r.f.String, "pre", "")
	row, ok := findPreTokenizer(name)
	switch {
	case name == "":
		t.warn("%spre is missing: words are cut by the default rules, with which the model may not have been trained", keyPrefix)
	case !ok:
		t.warn("%spre is %q, which is not known: words are cut by the default rules, with which the model was not trained",
			keyPrefix, name)
	}
	if err := t.useByteLevelBPE(merges, row.stages, row.whole); err != nil {
		r.fail("%w", err)
		return
	}
	if row.nfc {
		t.normalize = append(t.normalize, nfc)
	}
	r.around(t, row.bos, false, row.sep)
}

func (r *ggufReader) wordPiece(t *Tokenizer) {
	s := &t.special
	if s.bos < 0 {
		s.bos = r.id(t, "cls_token_id")
	}
	if s.unk < 0 {
		r.fail("%sunknown_token_id is missing, want it in a WordPiece vocabulary", keyPrefix)
		return
	}
	t.useWordPiece("")
	t.normalize = bertRules{clean: true, han: true, accents: true, lower: true}.normalizers()
	r.around(t, true, false, true)
}

// added are the tokens that are found in a text as they stand: the user's always, the model's own on demand.
func (r *ggufReader) added(t *Tokenizer) (list []addedToken) {
	rstrip := r.stripsRight()
	for id, k := range t.kinds {
		if k == kindUser || k == kindControl || k == kindUnknown {
			text := t.texts.at(int32(id))
			list = append(list, addedToken{text: text, id: int32(id), special: k != kindUser,
				rstrip: rstrip && !slices.Contains([]string{"<unk>", "<s>", "<|endoftext|>"}, text)})
		}
	}
	return list
}

// stripsRight says whether added tokens swallow the white space behind them. GGUF has no key for that; of the models it
// matters to, Phi-3 is known by its name only.
func (r *ggufReader) stripsRight() bool {
	name, err := r.f.String("general.name")
	name = strings.ToLower(name)
	return err == nil && (strings.Contains(name, "phi-3") || strings.Contains(name, "phi3"))
}

func (r *ggufReader) templates() map[string]string {
	m := make(map[string]string)
	for _, key := range r.f.Keys() {
		name, ok := strings.CutPrefix(key, templateKey)
		if !ok || name != "" && name[0] != '.' {
			continue
		}
		if s, err := r.f.String(key); err == nil {
			m[strings.TrimPrefix(name, ".")] = s
		}
	}
	return m
}
