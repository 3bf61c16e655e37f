package tokenizer

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTinyBPE(t *testing.T) {
	tok := tinyBPE(t)
	tests := []struct {
		text string
		opt  Options
		want string
	}{
		{"", Options{}, ""},
		{"abc ab", Options{}, "abc Ġ ab"},
		{"hello", Options{}, "hello"},
		{"helloo", Options{}, "hello o"},
		{"    é", Options{}, "ĠĠ Ġ Ġ Ã©"},
		{"😀", Options{}, "ðŁĺ Ģ"},
		{"\xff", Options{}, "ÿ"},
		{"a<|im_end|>b", Options{}, "a < | i m _ e n d | > b"},
		{"a<|im_end|>b", Options{ParseSpecial: true}, "a <|im_end|> b"},
		{"a<tab>b<tab", Options{}, "a <tab> b < t ab"},
	}
	for _, test := range tests {
		got := strings.Join(spelled(tok, tok.Encode(test.text, test.opt)), " ")
		if got != test.want {
			t.Errorf("Encode(%q, %+v) = %s, want %s", test.text, test.opt, got, test.want)
		}
	}
}

func TestTinySPM(t *testing.T) {
	tests := []struct {
		bytes bool
		text  string
		opt   Options
		want  string
	}{
		{true, "", Options{AddSpecial: true}, "<s>"},
		{true, "ab", Options{AddSpecial: true}, "<s> ▁ab"},
		{true, "abc", Options{}, "▁ab c"},
		{true, "  ab", Options{}, "▁▁ ▁ab"},
		{true, "x", Options{}, "▁ <0x78>"},
		{true, "é\n", Options{}, "▁ é <0x0A>"},
		{true, "ü", Options{}, "▁ <0xC3> <0xBC>"},
		{true, "a</s>b", Options{ParseSpecial: true}, "▁a </s> ▁ b"},
		{true, "a<keep>b", Options{}, "▁a <keep> ▁ b"},
		{false, "xyz", Options{}, "▁ <unk>"},
		{false, "x y", Options{}, "▁ <unk> ▁ <unk>"},
		{false, "ab</s>", Options{}, "▁ab <unk>"},
	}
	for _, test := range tests {
		tok := tinySPM(t, test.bytes)
		if got := strings.Join(spelled(tok, tok.Encode(test.text, test.opt)), " "); got != test.want {
			t.Errorf("byte tokens %v: Encode(%q, %+v) = %s, want %s", test.bytes, test.text, test.opt, got, test.want)
		}
	}
}

func TestSpecials(t *testing.T) {
	tok := tinySPM(t, true)
	if tok.BOS() != 1 || tok.EOS() != 2 || tok.UNK() != 0 || tok.EOT() != -1 || tok.EOM() != -1 || tok.SEP() != -1 ||
		tok.PAD() != -1 || tok.Mask() != -1 {
		t.Errorf("specials are %+v", tok.special)
	}
	if !tok.AddsBOS() || tok.AddsEOS() {
		t.Errorf("AddsBOS %v, AddsEOS %v, want true, false", tok.AddsBOS(), tok.AddsEOS())
	}
	for id, want := range map[int32]bool{-1: false, 0: false, 1: false, 2: true, 3: false, 1 << 30: false} {
		if got := tok.IsEOG(id); got != want {
			t.Errorf("IsEOG(%d) = %v", id, got)
		}
	}
	for id, want := range map[int32]bool{-1: false, 0: true, 1: true, 3: false, 13: false, 1 << 30: false} {
		if got := tok.IsSpecial(id); got != want {
			t.Errorf("IsSpecial(%d) = %v", id, got)
		}
	}
	for name, want := range map[string]string{"": "default", "tools": "with tools"} {
		if got, ok := tok.ChatTemplate(name); got != want || !ok {
			t.Errorf("ChatTemplate(%q) = %q, %v", name, got, ok)
		}
	}
	if _, ok := tok.ChatTemplate("none"); ok {
		t.Error("there is a template of a name that the file does not have")
	}
}

func TestSpecialsByName(t *testing.T) {
	keys := tinyKeys(false)
	keys["tokenizer.ggml.tokens"] = []string{"<unk>", "<s>", "</s>", "▁", "<|im_end|>", "<|eom_id|>", "<|fim_prefix|>",
		"<|fim_suffix|>", "<|fim_middle|>", "<|fim_pad|>", "<|end|>", "<|return|>", "<|call|>", "<|eot_id|>"}
	keys["tokenizer.ggml.token_type"] = []int32{2, 3, 3, 1, 4, 3, 3, 3, 3, 3, 3, 3, 3, 1}
	tok, err := FromGGUF(writeKeys(t, keys))
	if err != nil {
		t.Fatal(err)
	}
	if want := (FIM{6, 7, 8, 9, -1, -1}); tok.FIM() != want || tok.EOT() != 4 || tok.EOM() != 5 {
		t.Errorf("FIM %+v, EOT %d, EOM %d", tok.FIM(), tok.EOT(), tok.EOM())
	}
	var eog []int32
	for id := range int32(tok.VocabSize()) {
		if tok.IsEOG(id) {
			eog = append(eog, id)
		}
	}
	// Not <|end|>, which only ends a channel here, nor <|eot_id|>, which is ordinary text.
	if want := []int32{2, 4, 5, 9, 11, 12}; !slices.Equal(eog, want) {
		t.Errorf("EOG %v, want %v", eog, want)
	}
	if !tok.IsSpecial(4) {
		t.Error("an ending that the file calls the user's is not a control token")
	}
}

func TestAddedTokenFlags(t *testing.T) {
	file := tinyJSON()
	n := len(tinyTokens())
	file["added_tokens"] = append(file["added_tokens"].([]any),
		map[string]any{"id": n, "content": "<l>", "lstrip": true},
		map[string]any{"id": n + 1, "content": "<r>", "rstrip": true},
		map[string]any{"id": n + 2, "content": "word", "single_word": true},
		map[string]any{"id": n + 3, "content": "<l><r>"})
	tok, err := fromTinyJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"b  <l>  b":   "b <l> Ġ Ġ b",
		"b <r> \n b":  "b Ġ <r> b",
		"word":        "word",
		"b word b":    "b Ġ word Ġ b",
		"sword words": "s w o r d Ġ w o r d s",
		"<l><r><l>":   "<l><r> <l>",
	} {
		got := strings.Join(spelled(tok, tok.Encode(text, Options{})), " ")
		if got != want {
			t.Errorf("Encode(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestJSONParts(t *testing.T) {
	str := func(s string) map[string]any { return map[string]any{"String": s} }
	tests := []struct {
		name   string
		change map[string]any
		config string
		text   string
		want   string
	}{
		{"template", map[string]any{"post_processor": map[string]any{"type": "TemplateProcessing",
			"single": []any{map[string]any{"SpecialToken": map[string]any{"id": "E"}}, map[string]any{"Sequence": map[string]any{"id": "A"}},
				map[string]any{"SpecialToken": map[string]any{"id": "E"}}},
			"special_tokens": map[string]any{"E": map[string]any{"ids": []int{268}}}}},
			"", "ab", "<|im_end|> ab <|im_end|>"},
		{"config", nil, `{"bos_token": {"content": "<|im_end|>"}, "add_bos_token": true}`, "ab", "<|im_end|> ab"},
		{"roberta", map[string]any{"post_processor": map[string]any{"type": "RobertaProcessing",
			"cls": []any{"x", 268}, "sep": []any{"y", 269}}}, "", "ab", "<|im_end|> ab <tab>"},
		{"normalizers", map[string]any{"normalizer": map[string]any{"type": "Sequence", "normalizers": []any{
			map[string]any{"type": "NFC"}, map[string]any{"type": "Lowercase"},
			map[string]any{"type": "Replace", "pattern": str("b"), "content": "c"},
			map[string]any{"type": "Strip", "strip_left": true, "strip_right": true},
			map[string]any{"type": "Prepend", "prepend": "x"}}}}, "", " ABe\u0301 ", "x a c Ã©"},
		{"digits and prefix", map[string]any{"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{
			map[string]any{"type": "ByteLevel", "add_prefix_space": true, "use_regex": false},
			map[string]any{"type": "Digits", "individual_digits": true}}}}, "", "ab1", "Ġ ab 1"},
		{"split", map[string]any{"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{
			map[string]any{"type": "Split", "pattern": str("b"), "behavior": "Isolated"},
			map[string]any{"type": "ByteLevel", "add_prefix_space": false}}}}, "", "aabc", "a a b c"},
	}
	for _, test := range tests {
		file := tinyJSON()
		for key, value := range test.change {
			file[key] = value
		}
		b, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := FromJSON(b, []byte(test.config))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := strings.Join(spelled(tok, tok.Encode(test.text, Options{AddSpecial: true})), " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestChatTemplates(t *testing.T) {
	b, err := json.Marshal(tinyJSON())
	if err != nil {
		t.Fatal(err)
	}
	for config, want := range map[string]map[string]string{
		`{}`:                       nil,
		`{"chat_template": null}`:  nil,
		`{"chat_template": "one"}`: {"": "one"},
		`{"chat_template": [{"name": "default", "template": "a"}, {"name": "rag", "template": "b"}]}`: {"": "a", "rag": "b"},
	} {
		tok, err := FromJSON(b, []byte(config))
		if err != nil {
			t.Errorf("%s: %v", config, err)
			continue
		}
		if diff := cmp.Diff(want, map[string]string(tok.templates)); diff != "" {
			t.Errorf("%s: -want +got\n%s", config, diff)
		}
	}
}

func TestConcurrentEncode(t *testing.T) {
	tok := tinySPM(t, true)
	text := strings.Repeat("ab abc é ü x  ", 200)
	want := tok.Encode(text, Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if !slices.Equal(tok.Encode(text, Options{}), want) {
					t.Error("two goroutines disturb each other")
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestAppendEncodeKeepsWhatIsThere(t *testing.T) {
	tok := tinySPM(t, false)
	got := tok.AppendEncode([]int32{0}, "x", Options{})
	if want := []int32{0, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestEncodeAllocatesNothingPerPiece allows for a normalized copy of the text and for a pool that was emptied.
func TestEncodeAllocatesNothingPerPiece(t *testing.T) {
	text := strings.Repeat("hello abc é 12 x\n", 2000)
	for name, tok := range map[string]*Tokenizer{"BPE": tinyBPE(t), "SPM": tinySPM(t, true)} {
		dst := tok.Encode(text, Options{})
		allocs := testing.AllocsPerRun(20, func() { dst = tok.AppendEncode(dst[:0], text, Options{}) })
		if allocs > 8 {
			t.Errorf("%s: %v allocations for %d tokens", name, allocs, len(dst))
		}
	}
}
