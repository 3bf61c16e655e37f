package tokenizer

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/gguf"
)

// tinyMerges are the merges of the tiny byte-level vocabulary, best first.
var tinyMerges = []string{"a b", "ab c", "Ġ a", "Ġ Ġ", "ĠĠ ĠĠ", "l l", "h e", "he ll", "hell o", "Ã ©", "ð Ł", "ðŁ ĺ"}

// tinyTokens are all bytes and what the merges make; then come a control token and one of the user's.
func tinyTokens() (tokens []string) {
	for _, r := range byteRunes {
		tokens = append(tokens, string(r))
	}
	for _, m := range tinyMerges {
		tokens = append(tokens, strings.Replace(m, " ", "", 1))
	}
	return append(tokens, "<|im_end|>", "<tab>")
}

// tinyJSON is the tiny vocabulary as a tokenizer.json that a test may change.
func tinyJSON() map[string]any {
	vocab := make(map[string]int)
	for id, s := range tinyTokens() {
		vocab[s] = id
	}
	n := len(vocab)
	delete(vocab, "<|im_end|>")
	delete(vocab, "<tab>")
	return map[string]any{
		"model": map[string]any{"type": "BPE", "vocab": vocab, "merges": tinyMerges},
		"added_tokens": []any{
			map[string]any{"id": n - 2, "content": "<|im_end|>", "special": true},
			map[string]any{"id": n - 1, "content": "<tab>"},
		},
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false},
	}
}

func fromTinyJSON(file map[string]any) (*Tokenizer, error) {
	b, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	return FromJSON(b, nil)
}

func tinyBPE(tb testing.TB) *Tokenizer {
	tb.Helper()
	t, err := fromTinyJSON(tinyJSON())
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// tinyKeys is a small SPM vocabulary as GGUF metadata that a test may change.
func tinyKeys(byteTokens bool) map[string]any {
	tokens := []string{"<unk>", "<s>", "</s>", "▁", "a", "b", "c", "ab", "▁a", "▁ab", "abc", "é", "▁▁", "<keep>"}
	scores := []float32{0, 0, 0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, 0}
	types := []int32{2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4}
	if byteTokens {
		const hex = "0123456789ABCDEF"
		for b := range 256 {
			tokens = append(tokens, "<0x"+string(hex[b>>4])+string(hex[b&15])+">")
			scores, types = append(scores, 0), append(types, 6)
		}
	}
	return map[string]any{
		"general.architecture": "llama", "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": tokens,
		"tokenizer.ggml.scores": scores, "tokenizer.ggml.token_type": types,
		"tokenizer.chat_template": "default", "tokenizer.chat_template.tools": "with tools",
	}
}

// writeKeys writes metadata to a file and opens it.
func writeKeys(tb testing.TB, keys map[string]any) *gguf.File {
	tb.Helper()
	w := gguf.NewWriter()
	for key, value := range keys {
		w.Set(key, value)
	}
	path := filepath.Join(tb.TempDir(), "tiny.gguf")
	if err := w.WriteFile(path); err != nil {
		tb.Fatal(err)
	}
	f, err := gguf.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	return f
}

func tinySPM(tb testing.TB, byteTokens bool) *Tokenizer {
	tb.Helper()
	t, err := FromGGUF(writeKeys(tb, tinyKeys(byteTokens)))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// spelled lists the tokens' texts.
func spelled(t *Tokenizer, ids []int32) []string {
	list := []string{}
	for _, id := range ids {
		list = append(list, t.Token(id))
	}
	return list
}
