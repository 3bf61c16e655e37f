package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
)

// hfFile is a tokenizer.json; the fields are those of Hugging Face's tokenizers library.
type hfFile struct {
	Added      []hfAdded `json:"added_tokens"`
	Normalizer *hfStep   `json:"normalizer"`
	PreTok     *hfStep   `json:"pre_tokenizer"`
	Post       *hfStep   `json:"post_processor"`
	Decoder    *hfStep   `json:"decoder"`
	Model      hfModel   `json:"model"`
}

type hfAdded struct {
	ID         int64  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

type hfModel struct {
	Type         string           `json:"type"`
	Vocab        map[string]int64 `json:"vocab"`
	Merges       hfMerges         `json:"merges"`
	Unk          *string          `json:"unk_token"`
	Prefix       *string          `json:"continuing_subword_prefix"`
	Suffix       *string          `json:"end_of_word_suffix"`
	FuseUnk      bool             `json:"fuse_unk"`
	ByteFallback bool             `json:"byte_fallback"`
	IgnoreMerges bool             `json:"ignore_merges"`
}

// hfMerges is a list of "left right" or of ["left", "right"].
type hfMerges [][2]string

// UnmarshalJSON implements json.Unmarshaler.
func (m *hfMerges) UnmarshalJSON(b []byte) error {
	var lines []string
	if json.Unmarshal(b, &lines) == nil {
		merges, err := parseMerges(lines)
		*m = merges
		return err
	}
	var pairs [][]string
	if err := json.Unmarshal(b, &pairs); err != nil {
		return err
	}
	*m = make(hfMerges, len(pairs))
	for i, p := range pairs {
		if len(p) != 2 || p[0] == "" || p[1] == "" {
			return fmt.Errorf("merge %d is %q, want two tokens", i, p)
		}
		(*m)[i] = [2]string(p)
	}
	return nil
}

// hfConfig is a tokenizer_config.json.
type hfConfig struct {
	BOS          hfToken    `json:"bos_token"`
	EOS          hfToken    `json:"eos_token"`
	UNK          hfToken    `json:"unk_token"`
	SEP          hfToken    `json:"sep_token"`
	PAD          hfToken    `json:"pad_token"`
	CLS          hfToken    `json:"cls_token"`
	Mask         hfToken    `json:"mask_token"`
	AddBOS       *bool      `json:"add_bos_token"`
	AddEOS       *bool      `json:"add_eos_token"`
	ChatTemplate hfTemplate `json:"chat_template"`
}

// hfToken is a token's text, or an object with the text as its content.
type hfToken string

// UnmarshalJSON implements json.Unmarshaler.
func (t *hfToken) UnmarshalJSON(b []byte) error {
	var object struct{ Content string }
	if json.Unmarshal(b, &object) == nil {
		*t = hfToken(object.Content)
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// hfTemplate is one chat template, or a list of named ones; the default has the name "".
type hfTemplate map[string]string

// UnmarshalJSON implements json.Unmarshaler.
func (t *hfTemplate) UnmarshalJSON(b []byte) error {
	var one *string
	if json.Unmarshal(b, &one) == nil {
		if one != nil {
			*t = hfTemplate{"": *one}
		}
		return nil
	}
	var list []struct{ Name, Template string }
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*t = make(hfTemplate)
	for _, e := range list {
		if e.Name == "default" {
			e.Name = ""
		}
		(*t)[e.Name] = e.Template
	}
	return nil
}

// FromJSON reads a Hugging Face tokenizer.json of BPE or WordPiece, and the tokenizer_config.json that belongs to it, nil
// for none.
func FromJSON(tokenizerJSON, configJSON []byte) (*Tokenizer, error) {
	var file hfFile
	if err := json.Unmarshal(tokenizerJSON, &file); err != nil {
		return nil, fmt.Errorf("tokenizer: tokenizer.json: %w", err)
	}
	var config hfConfig
	if len(configJSON) > 0 {
		if err := json.Unmarshal(configJSON, &config); err != nil {
			return nil, fmt.Errorf("tokenizer: tokenizer_config.json: %w", err)
		}
	}
	t, err := file.build(&config)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: tokenizer.json: %w", err)
	}
	return t, nil
}

func (f *hfFile) build(config *hfConfig) (*Tokenizer, error) {
	tokens, kinds, err := f.vocabulary()
	if err != nil {
		return nil, err
	}
	t, err := newTokenizer(tokens, kinds)
	if err != nil {
		return nil, err
	}
	if err := f.around(t); err != nil {
		return nil, err
	}
	config.specials(t)
	if f.Model.Unk != nil {
		t.special.unk = t.named(*f.Model.Unk)
	}
	if err := f.rules(t); err != nil {
		return nil, err
	}
	config.around(t)
	t.findSpecials()
	f.addTokens(t)
	t.templates = config.ChatTemplate
	return t, nil
}

// vocabulary lists the tokens by id. Ids that no token has are left empty, but there may not be many of them.
func (f *hfFile) vocabulary() ([]string, []kind, error) {
	entries := len(f.Model.Vocab) + len(f.Added)
	limit := int64(2*entries + 4096)
	size := int64(0)
	check := func(text string, id int64) error {
		if id < 0 || id >= limit {
			return fmt.Errorf("token %q has the id %d, want one below %d for %d tokens", text, id, limit, entries)
		}
		size = max(size, id+1)
		return nil
	}
	for text, id := range f.Model.Vocab {
		if err := check(text, id); err != nil {
			return nil, nil, err
		}
	}
	for _, a := range f.Added {
		if err := check(a.Content, a.ID); err != nil {
			return nil, nil, err
		}
	}
	tokens, kinds := make([]string, size), make([]kind, size)
	for i := range kinds {
		kinds[i] = kindUnused
	}
	for text, id := range f.Model.Vocab {
		if kinds[id] != kindUnused {
			return nil, nil, fmt.Errorf("tokens %q and %q share the id %d, want one token each", tokens[id], text, id)
		}
		tokens[id], kinds[id] = text, kindNormal
		if _, ok := byteToken(text); ok && f.Model.ByteFallback {
			kinds[id] = kindByte
		}
	}
	for _, a := range f.Added {
		tokens[a.ID], kinds[a.ID] = a.Content, kindUser
		switch {
		case f.Model.Unk != nil && a.Content == *f.Model.Unk:
			kinds[a.ID] = kindUnknown
		case a.Special:
			kinds[a.ID] = kindControl
		}
	}
	return tokens, kinds, nil
}

// named is the id of a token's text, -1 for none.
func (t *Tokenizer) named(text string) int32 {
	id, ok := t.ids.id(text)
	if !ok || text == "" {
		return -1
	}
	return id
}

// specials sets the roles that the config names; for a missing config the usual names are looked for.
func (c *hfConfig) specials(t *Tokenizer) {
	s := &t.special
	s.bos, s.eos, s.unk = t.named(string(c.BOS)), t.named(string(c.EOS)), t.named(string(c.UNK))
	s.sep, s.pad, s.mask = t.named(string(c.SEP)), t.named(string(c.PAD)), t.named(string(c.Mask))
	if s.bos < 0 {
		s.bos = t.named(string(c.CLS))
	}
	if s.bos < 0 && c.EOS == "" {
		s.bos = t.marked([]string{"<s>", "<|begin_of_text|>", "<bos>", "<｜begin▁of▁sentence｜>", "[CLS]"})
	}
	if s.eos < 0 {
		s.eos = t.marked([]string{"</s>", "<|end_of_text|>", "<eos>", "<｜end▁of▁sentence｜>", "<|endoftext|>"})
	}
	if s.sep < 0 {
		s.sep = t.marked([]string{"[SEP]"})
	}
}

// around overrides the post-processor by the config's add_bos_token and add_eos_token.
func (c *hfConfig) around(t *Tokenizer) {
	apply := func(add *bool, id int32, side []int32) []int32 {
		has := slices.Contains(side, id)
		switch {
		case add == nil || id < 0 || *add == has:
			return side
		case *add:
			return append(side, id)
		}
		return slices.DeleteFunc(side, func(x int32) bool { return x == id })
	}
	t.prefix = apply(c.AddBOS, t.special.bos, t.prefix)
	t.suffix = apply(c.AddEOS, t.special.eos, t.suffix)
}

// rules sets the model and what is done to a text before it.
func (f *hfFile) rules(t *Tokenizer) error {
	var err error
	if t.normalize, err = f.Normalizer.normalizers(); err != nil {
		return err
	}
	switch f.Model.Type {
	case "BPE", "":
		return f.bpe(t)
	case "WordPiece":
		return f.wordPiece(t)
	}
	return fmt.Errorf("model type is %q, want BPE or WordPiece", f.Model.Type)
}

func (f *hfFile) bpe(t *Tokenizer) error {
	m := &f.Model
	if m.Prefix != nil && *m.Prefix != "" || m.Suffix != nil && *m.Suffix != "" {
		return fmt.Errorf("model has a continuing_subword_prefix or end_of_word_suffix, want none in BPE")
	}
	cuts, err := f.PreTok.cuts()
	if err != nil {
		return err
	}
	t.rewrite = cuts.rewrite
	t.trimSpace = f.Decoder.trimsSpace()
	if cuts.byteLevel {
		if err := t.useByteLevelBPE(m.Merges, cuts.stages, m.IgnoreMerges); err != nil {
			return err
		}
		if model := t.model.(*mergeModel); m.Unk != nil {
			model.unk, model.fuseUnk = t.special.unk, m.FuseUnk
		}
		return nil
	}
	model := t.characterModel()
	model.pairs, model.whole, model.fuseUnk = t.mergeTable(m.Merges), m.IgnoreMerges, m.FuseUnk
	model.stages = append(cuts.stages, model.stages...)
	t.model = model
	return nil
}

func (f *hfFile) wordPiece(t *Tokenizer) error {
	if f.PreTok == nil || f.PreTok.Type != "BertPreTokenizer" {
		return fmt.Errorf("WordPiece comes without BertPreTokenizer, want it")
	}
	if t.special.unk < 0 {
		return fmt.Errorf("WordPiece has no unk_token in its vocabulary, want one")
	}
	prefix := "##"
	if f.Model.Prefix != nil {
		prefix = *f.Model.Prefix
	}
	t.useWordPiece(prefix)
	return nil
}

// addTokens enters the added tokens, those that are found in normalized text apart from the others.
func (f *hfFile) addTokens(t *Tokenizer) {
	var raw, normalized []addedToken
	for _, a := range f.Added {
		special := t.kinds[a.ID] != kindUser
		token := addedToken{a.Content, int32(a.ID), special, a.LStrip, a.RStrip, a.SingleWord}
		if !a.Normalized || len(t.normalize) == 0 {
			raw = append(raw, token)
			continue
		}
		for _, normalize := range t.normalize {
			token.text = normalize(token.text, false)
		}
		normalized = append(normalized, token)
	}
	t.raw, t.normalized = newAddedSets(raw), newAddedSets(normalized)
}
