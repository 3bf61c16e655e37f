package tokenizer

import "slices"

// specials are the tokens with a role, -1 where the vocabulary has none.
type specials struct {
	bos, eos, eot, eom, unk, sep, pad, mask int32
	fim                                     FIM
}

// FIM are the tokens of fill-in-the-middle prompts, -1 where the vocabulary has none.
type FIM struct{ Prefix, Suffix, Middle, Pad, Repo, File int32 }

func noSpecials() specials {
	return specials{-1, -1, -1, -1, -1, -1, -1, -1, FIM{-1, -1, -1, -1, -1, -1}}
}

// BOS is the token that begins a text, -1 for none.
func (t *Tokenizer) BOS() int32 { return t.special.bos }

// EOS is the token that ends a text, -1 for none.
func (t *Tokenizer) EOS() int32 { return t.special.eos }

// EOT is the token that ends a turn of a chat, -1 for none.
func (t *Tokenizer) EOT() int32 { return t.special.eot }

// EOM is the token that ends a message within a turn, -1 for none.
func (t *Tokenizer) EOM() int32 { return t.special.eom }

// UNK is the token for what cannot be spelled, -1 for none.
func (t *Tokenizer) UNK() int32 { return t.special.unk }

// SEP is the token between two texts, -1 for none.
func (t *Tokenizer) SEP() int32 { return t.special.sep }

// PAD is the token that fills a batch, -1 for none.
func (t *Tokenizer) PAD() int32 { return t.special.pad }

// Mask is the token for what a masked model shall guess, -1 for none.
func (t *Tokenizer) Mask() int32 { return t.special.mask }

// FIM are the fill-in-the-middle tokens.
func (t *Tokenizer) FIM() FIM { return t.special.fim }

// IsEOG says whether a model that gives this token has ended its answer.
func (t *Tokenizer) IsEOG(id int32) bool { return t.texts.has(id) && t.eog[id] }

// IsSpecial says whether a token is for the model's eyes only: a control token or the unknown one.
func (t *Tokenizer) IsSpecial(id int32) bool {
	return t.texts.has(id) && (t.kinds[id] == kindControl || t.kinds[id] == kindUnknown)
}

// role is how a token without a metadata key of its own is recognised: by the texts that model makers gave it.
type role struct {
	id    func(*specials) *int32
	names []string
}

var roles = []role{
	{func(s *specials) *int32 { return &s.eot }, []string{"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>",
		"<|end_of_turn|>", "<|endoftext|>", "<|end_of_text|>", "<EOT>", "< EOT >", "_<EOT>", "[EOT]", "<|EOT|>",
		"<｜end▁of▁sentence｜>", "<end_of_utterance>"}},
	{func(s *specials) *int32 { return &s.eom }, []string{"<|eom_id|>"}},
	{func(s *specials) *int32 { return &s.fim.Prefix }, []string{"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>",
		"<｜fim▁begin｜>", "<PRE>", "▁<PRE>", "<|code_prefix|>", "<|prefix|>"}},
	{func(s *specials) *int32 { return &s.fim.Suffix }, []string{"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>",
		"<｜fim▁hole｜>", "<SUF>", "▁<SUF>", "<|code_suffix|>", "<|suffix|>"}},
	{func(s *specials) *int32 { return &s.fim.Middle }, []string{"<|fim_middle|>", "<fim-middle>", "<fim_middle>",
		"<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>", "<|middle|>"}},
	{func(s *specials) *int32 { return &s.fim.Pad }, []string{"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>"}},
	{func(s *specials) *int32 { return &s.fim.Repo }, []string{"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>",
		"<reponame>"}},
	{func(s *specials) *int32 { return &s.fim.File }, []string{"<|file_sep|>"}},
}

// endings are the texts of tokens that end an answer.
var endings = []string{"<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<end_of_turn>", "<|end_of_turn|>",
	"<|endoftext|>", "<|end_of_text|>", "<|eom_id|>", "<EOT>", "< EOT >", "_<EOT>", "[EOT]", "<|EOT|>", "[EOS]", "<eos>",
	"</s>", "<end_of_utterance>", "<｜end▁of▁sentence｜>"}

// findSpecials fills the roles that the metadata left open and lists what ends an answer. Tokens of both kinds become
// control tokens: a file may call them the user's, but no text may end an answer without being asked to.
func (t *Tokenizer) findSpecials() {
	for _, r := range roles {
		if id := r.id(&t.special); *id < 0 {
			*id = t.control(r.names)
		}
	}
	t.eog = make([]bool, t.VocabSize())
	s := &t.special
	for _, id := range []int32{s.eos, s.eot, s.eom, s.fim.Pad, s.fim.Repo, s.fim.File} {
		if id >= 0 {
			t.eog[id] = true
		}
	}
	for _, name := range endings {
		if id := t.control([]string{name}); id >= 0 {
			t.eog[id] = true
		}
	}
	t.keepChannelsOpen()
}

// control makes the token that marked finds a control token.
func (t *Tokenizer) control(names []string) int32 {
	id := t.marked(names)
	if id >= 0 && t.kinds[id] == kindUser {
		t.kinds[id] = kindControl
	}
	return id
}

// keepChannelsOpen takes <|end|> off the list where it only ends one channel of an answer, as it does in vocabularies
// that have <|return|> and <|call|> for the answer's end.
func (t *Tokenizer) keepChannelsOpen() {
	if t.marked([]string{"<|return|>"}) < 0 || t.marked([]string{"<|call|>"}) < 0 {
		return
	}
	if id := t.marked([]string{"<|end|>"}); id >= 0 && id != t.special.eos {
		t.eog[id] = false
	}
}

// marked is the first of the names that is a token, and not one that plain text can make; -1 for none.
func (t *Tokenizer) marked(names []string) int32 {
	for _, name := range names {
		if id, ok := t.ids.id(name); ok && slices.Contains([]kind{kindControl, kindUser, kindUnknown}, t.kinds[id]) {
			return id
		}
	}
	return -1
}
