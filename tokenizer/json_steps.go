package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// hfStep is any normalizer, pre-tokenizer, post-processor or decoder: the fields of all of them.
type hfStep struct {
	Type string `json:"type"`

	Normalizers   []hfStep `json:"normalizers"`
	Pretokenizers []hfStep `json:"pretokenizers"`
	Processors    []hfStep `json:"processors"`
	Decoders      []hfStep `json:"decoders"`

	Prepend       string    `json:"prepend"`
	Pattern       hfPattern `json:"pattern"`
	Content       string    `json:"content"`
	Behavior      string    `json:"behavior"`
	Invert        bool      `json:"invert"`
	AddPrefix     *bool     `json:"add_prefix_space"`
	UseRegex      *bool     `json:"use_regex"`
	Individual    bool      `json:"individual_digits"`
	Replacement   string    `json:"replacement"`
	PrependScheme string    `json:"prepend_scheme"`
	Split         *bool     `json:"split"`
	StripLeft     bool      `json:"strip_left"`
	StripRight    bool      `json:"strip_right"`
	Lowercase     *bool     `json:"lowercase"`
	CleanText     *bool     `json:"clean_text"`
	Chinese       *bool     `json:"handle_chinese_chars"`
	StripAccents  *bool     `json:"strip_accents"`
	Start         int       `json:"start"`

	Single  []hfPart                         `json:"single"`
	Special map[string]struct{ IDs []int64 } `json:"special_tokens"`
	Sep     hfNamed                          `json:"sep"`
	Cls     hfNamed                          `json:"cls"`
}

// hfPattern is {"String": ...} or {"Regex": ...}.
type hfPattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

// UnmarshalJSON implements json.Unmarshaler; a bare string is a String.
func (p *hfPattern) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		p.String = &s
		return nil
	}
	type plain hfPattern
	return json.Unmarshal(b, (*plain)(p))
}

// hfPart is a part of a template: a special token, or the text.
type hfPart struct {
	SpecialToken *struct{ ID string }
	Sequence     *struct{ ID string }
}

// hfNamed is ["[SEP]", 102].
type hfNamed struct{ id int64 }

// UnmarshalJSON implements json.Unmarshaler.
func (n *hfNamed) UnmarshalJSON(b []byte) error {
	var name string
	return json.Unmarshal(b, &[]any{&name, &n.id})
}

// orElse is a field that may be missing.
func orElse(p *bool, def bool) bool {
	if p == nil {
		return def
	}
	return *p
}

// plainNormalizers are those without settings.
var plainNormalizers = map[string]normalizer{
	"NFC": nfc, "NFD": form(norm.NFD), "NFKC": form(norm.NFKC), "NFKD": form(norm.NFKD),
	"Lowercase": lowercase, "StripAccents": stripAccents,
}

// normalizers lists what the step does to a text.
func (s *hfStep) normalizers() (list []normalizer, err error) {
	if s == nil {
		return nil, nil
	}
	if n, ok := plainNormalizers[s.Type]; ok {
		return []normalizer{n}, nil
	}
	switch s.Type {
	case "Sequence":
		for i := range s.Normalizers {
			more, err := s.Normalizers[i].normalizers()
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		return list, nil
	case "Strip":
		return []normalizer{strip(s.StripLeft, s.StripRight)}, nil
	case "Prepend":
		return []normalizer{prepend(s.Prepend, false)}, nil
	case "Replace":
		if s.Pattern.String == nil || *s.Pattern.String == "" {
			return nil, fmt.Errorf("normalizer Replace has the pattern %s, want a String", s.Pattern)
		}
		return []normalizer{replace(*s.Pattern.String, s.Content)}, nil
	case "BertNormalizer":
		lower := orElse(s.Lowercase, true)
		rules := bertRules{clean: orElse(s.CleanText, true), han: orElse(s.Chinese, true), lower: lower,
			accents: orElse(s.StripAccents, lower)}
		return rules.normalizers(), nil
	}
	return nil, fmt.Errorf("normalizer %q is not known", s.Type)
}

// Format writes the pattern for an error.
func (p hfPattern) Format(f fmt.State, _ rune) {
	switch {
	case p.Regex != nil:
		fmt.Fprintf(f, "Regex %q", *p.Regex)
	case p.String != nil:
		fmt.Fprintf(f, "String %q", *p.String)
	default:
		fmt.Fprint(f, "nothing")
	}
}

// cutting is what the pre-tokenizers come to.
type cutting struct {
	rewrite   []normalizer
	stages    []scanner
	byteLevel bool
}

func (s *hfStep) cuts() (*cutting, error) {
	c := new(cutting)
	if s == nil {
		return c, nil
	}
	return c, s.cut(c)
}

// cut adds the step to c.
func (s *hfStep) cut(c *cutting) error {
	switch s.Type {
	case "Sequence":
		for i := range s.Pretokenizers {
			if err := s.Pretokenizers[i].cut(c); err != nil {
				return err
			}
		}
	case "ByteLevel":
		return s.cutBytes(c)
	case "Metaspace":
		return s.cutMetaspace(c)
	case "Digits":
		c.stages = append(c.stages, s.digits(c.byteLevel))
	case "Punctuation":
		each := scanner(isolate(punctuationMark))
		if s.Behavior == "Contiguous" {
			each = isolate(bertPunct.run)
		}
		c.stages = append(c.stages, each)
	case "Split":
		cut, err := s.split()
		if err != nil {
			return err
		}
		c.stages = append(c.stages, cut)
	default:
		return fmt.Errorf("pre-tokenizer %q is not known", s.Type)
	}
	return nil
}

func (s *hfStep) cutBytes(c *cutting) error {
	if orElse(s.AddPrefix, true) {
		if len(c.stages) > 0 {
			return fmt.Errorf("pre-tokenizer ByteLevel adds a space to every piece, want that only for whole texts")
		}
		c.rewrite = append(c.rewrite, prependUnless(" ", false))
	}
	if orElse(s.UseRegex, true) {
		c.stages = append(c.stages, gpt2)
	}
	c.byteLevel = true
	return nil
}

func (s *hfStep) cutMetaspace(c *cutting) error {
	if len(c.stages) > 0 {
		return fmt.Errorf("pre-tokenizer Metaspace follows another, want it first")
	}
	c.rewrite = append(c.rewrite, replace(" ", s.Replacement))
	if s.metaspacePrefix() {
		c.rewrite = append(c.rewrite, prependUnless(s.Replacement, s.PrependScheme == "first"))
	}
	if orElse(s.Split, true) {
		c.stages = append(c.stages, beforeEach(s.Replacement))
	}
	return nil
}

// metaspacePrefix says whether Metaspace puts a space before a text, which older files say with another field.
func (s *hfStep) metaspacePrefix() bool {
	if s.PrependScheme != "" {
		return s.PrependScheme != "never"
	}
	return orElse(s.AddPrefix, true)
}

// digits cuts numbers; behind ByteLevel it sees the characters that spell bytes, some of which are numbers too.
func (s *hfStep) digits(spelled bool) scanner {
	switch {
	case spelled:
		return spelledDigits(s.Individual)
	case s.Individual:
		return singles(number)
	}
	return runs(number)
}

func (s *hfStep) split() (scanner, error) {
	if p := s.Pattern.String; p != nil && *p != "" && !s.Invert {
		switch s.Behavior {
		case "Isolated":
			return isolate(func(text string) int {
				if strings.HasPrefix(text, *p) {
					return len(*p)
				}
				return 0
			}), nil
		case "MergedWithPrevious":
			return afterEach(*p), nil
		case "MergedWithNext":
			return beforeEach(*p), nil
		}
	}
	// Expressions that leave nothing between their matches say the same with "Removed" and "invert".
	if p := s.Pattern.Regex; p != nil && (s.Behavior == "Isolated" && !s.Invert || s.Behavior == "Removed" && s.Invert) {
		if cut := patternScanner(*p); cut != nil {
			return cut, nil
		}
	}
	return nil, fmt.Errorf("pre-tokenizer Split of %s, behavior %s, is not known", s.Pattern, s.Behavior)
}

// around reads what the post-processor puts before and behind a text.
func (f *hfFile) around(t *Tokenizer) error {
	if f.Post == nil {
		return nil
	}
	return f.Post.around(t)
}

func (s *hfStep) around(t *Tokenizer) error {
	switch s.Type {
	case "Sequence":
		for i := range s.Processors {
			if err := s.Processors[i].around(t); err != nil {
				return err
			}
		}
		return nil
	case "ByteLevel":
		return nil
	case "BertProcessing", "RobertaProcessing":
		if err := t.put(&t.prefix, s.Cls.id); err != nil {
			return err
		}
		return t.put(&t.suffix, s.Sep.id)
	case "TemplateProcessing":
		return s.template(t)
	}
	return fmt.Errorf("post-processor %q is not known", s.Type)
}

func (s *hfStep) template(t *Tokenizer) error {
	side := &t.prefix
	for _, part := range s.Single {
		if part.Sequence != nil {
			side = &t.suffix
			continue
		}
		if part.SpecialToken == nil {
			return fmt.Errorf("post-processor has an empty part, want SpecialToken or Sequence")
		}
		token, ok := s.Special[part.SpecialToken.ID]
		if !ok {
			return fmt.Errorf("post-processor names %q, want one of its special_tokens", part.SpecialToken.ID)
		}
		for _, id := range token.IDs {
			if err := t.put(side, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// put appends a token to a side if the vocabulary has it.
func (t *Tokenizer) put(side *[]int32, id int64) error {
	if id < 0 || id >= int64(t.VocabSize()) {
		return fmt.Errorf("post-processor adds the token %d, want one below %d", id, t.VocabSize())
	}
	*side = append(*side, int32(id))
	return nil
}

// trimsSpace says whether decoding takes a leading space off.
func (s *hfStep) trimsSpace() bool {
	if s == nil {
		return false
	}
	for i := range s.Decoders {
		if s.Decoders[i].trimsSpace() {
			return true
		}
	}
	return s.Type == "Strip" && s.Content == " " && s.Start > 0 || s.Type == "Metaspace" && s.metaspacePrefix()
}
