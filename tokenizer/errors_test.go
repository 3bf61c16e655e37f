package tokenizer

import (
	"strings"
	"testing"
)

// tokenAt gives tiny files an id that no token has.
const tokenAt = 1 << 30

func TestBrokenGGUF(t *testing.T) {
	nan := []float32{0}
	nan[0] -= nan[0] / nan[0]
	tests := []struct {
		name string
		keys map[string]any // nil removes the key
		want string
	}{
		{"no model", map[string]any{"tokenizer.ggml.model": nil}, "tokenizer.ggml.model"},
		{"strange model", map[string]any{"tokenizer.ggml.model": "t5"}, `"t5", want llama, gpt2 or bert`},
		{"no tokens", map[string]any{"tokenizer.ggml.tokens": nil}, "tokenizer.ggml.tokens"},
		{"empty vocabulary", map[string]any{"tokenizer.ggml.tokens": []string{}, "tokenizer.ggml.token_type": nil}, "empty"},
		{"tokens of another type", map[string]any{"tokenizer.ggml.tokens": "x"}, "tokenizer.ggml.tokens"},
		{"few types", map[string]any{"tokenizer.ggml.token_type": []int32{1}}, "1 entries, want one for each of 14 tokens"},
		{"no scores", map[string]any{"tokenizer.ggml.scores": nil}, "tokenizer.ggml.scores"},
		{"few scores", map[string]any{"tokenizer.ggml.scores": []float32{1}}, "1 scores, want one for each of 14 tokens"},
		{"NaN score", map[string]any{"tokenizer.ggml.tokens": []string{"a"}, "tokenizer.ggml.token_type": nil,
			"tokenizer.ggml.scores": nan}, "the score of token 0 is NaN"},
		{"BOS out of range", map[string]any{"tokenizer.ggml.bos_token_id": uint32(14)}, "bos_token_id is 14, want a token below 14"},
		{"EOS out of range", map[string]any{"tokenizer.ggml.eos_token_id": int32(-2)}, "eos_token_id is -2"},
		{"BOS of another type", map[string]any{"tokenizer.ggml.bos_token_id": "x"}, "bos_token_id"},
		{"add_bos_token of another type", map[string]any{"tokenizer.ggml.add_bos_token": "x"}, "add_bos_token"},
		{"BPE without merges", map[string]any{"tokenizer.ggml.model": "gpt2"}, "tokenizer.ggml.merges"},
		{"merge of one token", map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.merges": []string{"ab"}},
			`merge 0 is "ab", want two tokens`},
		{"merge with an empty half", map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.merges": []string{"a b", "a "}},
			`merge 1 is "a ", want two tokens`},
		{"empty merge", map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.merges": []string{""}},
			`merge 0 is "", want two tokens`},
		{"BPE without bytes", map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.merges": []string{},
			"tokenizer.ggml.tokens": []string{"<unk>"}, "tokenizer.ggml.token_type": nil}, "no byte-level token"},
		{"WordPiece without unk", map[string]any{"tokenizer.ggml.model": "bert"}, "unknown_token_id is missing"},
	}
	for _, test := range tests {
		keys := tinyKeys(false)
		for key, value := range test.keys {
			keys[key] = value
			if value == nil {
				delete(keys, key)
			}
		}
		tok, err := FromGGUF(writeKeys(t, keys))
		if tok != nil || err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "tokenizer: ") {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func TestBrokenJSON(t *testing.T) {
	step := func(typ string) map[string]any { return map[string]any{"type": typ} }
	model := func(change string, value any) map[string]any {
		m := tinyJSON()["model"].(map[string]any)
		m[change] = value
		return map[string]any{"model": m}
	}
	tests := []struct {
		name   string
		change map[string]any
		want   string
	}{
		{"no vocabulary", map[string]any{"model": map[string]any{"type": "BPE"}, "added_tokens": nil}, "empty"},
		{"strange model", model("type", "Unigram"), `"Unigram", want BPE or WordPiece`},
		{"merge of one", model("merges", []string{"ab"}), `merge 0 is "ab"`},
		{"merge of three", model("merges", [][]string{{"a", "b", "c"}}), "merge 0 is"},
		{"merges of another type", model("merges", 7), "cannot unmarshal number"},
		{"huge id", model("vocab", map[string]int{"a": tokenAt}), "want one below"},
		{"negative id", model("vocab", map[string]int{"a": -1}), "want one below"},
		{"shared id", model("vocab", map[string]int{"a": 1, "b": 1}), "share the id 1"},
		{"no bytes", model("vocab", map[string]int{"ab": 1}), "no byte-level token"},
		{"word suffix", model("end_of_word_suffix", "</w>"), "end_of_word_suffix"},
		{"huge added id", map[string]any{"added_tokens": []any{map[string]any{"id": tokenAt, "content": "x"}}}, "want one below"},
		{"normalizer", map[string]any{"normalizer": step("Precompiled")}, `normalizer "Precompiled" is not known`},
		{"normalizer's pattern", map[string]any{"normalizer": map[string]any{"type": "Replace",
			"pattern": map[string]any{"Regex": " +"}}}, `Regex " +"`},
		{"pre-tokenizer", map[string]any{"pre_tokenizer": step("Whitespace")}, `pre-tokenizer "Whitespace" is not known`},
		{"expression", map[string]any{"pre_tokenizer": map[string]any{"type": "Split", "behavior": "Isolated",
			"pattern": map[string]any{"Regex": `\w+x`}}}, `Split of Regex "\\w+x"`},
		{"post-processor", map[string]any{"post_processor": step("X")}, `post-processor "X" is not known`},
		{"template", map[string]any{"post_processor": map[string]any{"type": "TemplateProcessing",
			"single": []any{map[string]any{"SpecialToken": map[string]any{"id": "<s>"}}}}}, `names "<s>"`},
		{"template's id", map[string]any{"post_processor": map[string]any{"type": "TemplateProcessing",
			"single":         []any{map[string]any{"SpecialToken": map[string]any{"id": "<s>"}}},
			"special_tokens": map[string]any{"<s>": map[string]any{"ids": []int{-1}}}}}, "adds the token -1"},
		{"WordPiece", map[string]any{"model": map[string]any{"type": "WordPiece", "vocab": map[string]int{"a": 0}}},
			"BertPreTokenizer"},
	}
	for _, test := range tests {
		file := tinyJSON()
		for key, value := range test.change {
			file[key] = value
		}
		tok, err := fromTinyJSON(file)
		if tok != nil || err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "tokenizer: ") {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
	for _, config := range []string{"{", `{"bos_token": 7}`, `{"chat_template": 7}`} {
		if _, err := FromJSON([]byte(`{"model": {"vocab": {"a": 0}}}`), []byte(config)); err == nil {
			t.Errorf("config %s: no error", config)
		}
	}
}

func TestWarnings(t *testing.T) {
	keys := tinyKeys(false)
	keys["tokenizer.ggml.model"] = "gpt2"
	keys["tokenizer.ggml.merges"] = []string{"a b", "b zz"}
	keys["tokenizer.ggml.pre"] = "never heard of"
	keys["tokenizer.ggml.add_bos_token"] = true
	tok, err := FromGGUF(writeKeys(t, keys))
	if err != nil {
		t.Fatal(err)
	}
	delete(keys, "tokenizer.ggml.pre")
	nameless, err := FromGGUF(writeKeys(t, keys))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(append(tok.Warnings(), nameless.Warnings()...), "\n")
	for _, want := range []string{`1 merges, such as "b zz"`, `tokenizer.ggml.pre is "never heard of"`, "add_bos_token asks",
		"tokenizer.ggml.pre is missing"} {
		if !strings.Contains(got, want) {
			t.Errorf("warnings are %q, want one with %q", got, want)
		}
	}
}
