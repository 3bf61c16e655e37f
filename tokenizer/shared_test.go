package tokenizer

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/internal/testdata"
)

func openGGUF(tb testing.TB, path string) *Tokenizer {
	tb.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	t, err := FromGGUF(f)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// openVocab finds the vocabulary that a pair of .inp and .out files is for.
func openVocab(tb testing.TB, name string) *Tokenizer {
	tb.Helper()
	switch name {
	case "llama-bpe":
		return openJSON(tb, "llama3")
	case "qwen2", "deepseek-r1-qwen":
		return openJSON(tb, "qwen2_5")
	}
	return openGGUF(tb, testdata.Shared(tb, "vocab/ggml-vocab-"+name+".gguf"))
}

func TestReferenceVocabularies(t *testing.T) {
	for _, name := range []string{"bert-bge", "deepseek-coder", "deepseek-llm", "deepseek-r1-qwen", "falcon", "gpt-2",
		"llama-bpe", "llama-spm", "mpt", "phi-3", "qwen2", "refact", "starcoder"} {
		t.Run(name, func(t *testing.T) {
			path := testdata.Shared(t, "vocab/ggml-vocab-"+name+".gguf.inp")
			inputs, wants := readCases(t, path)
			tok := openVocab(t, name)
			for i, text := range inputs {
				got := fmt.Sprint(tok.Encode(text, Options{}))
				if want := fmt.Sprint(wants[i]); got != want {
					t.Errorf("Encode(%q)\n got %s\nwant %s", text, got, want)
				}
			}
			if w := tok.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %q", w)
			}
		})
	}
}

// readCases reads the texts of an .inp file and the tokens in the .out file beside it.
func readCases(tb testing.TB, path string) (texts []string, ids [][]int32) {
	tb.Helper()
	in, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	const end = "\n__ggml_vocab_test__\n"
	texts = strings.Split(strings.TrimSuffix(string(in), end), end)
	out, err := os.ReadFile(strings.TrimSuffix(path, ".inp") + ".out")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		list := []int32{}
		for _, field := range strings.Fields(line) {
			var id int32
			if _, err := fmt.Sscan(field, &id); err != nil {
				tb.Fatalf("%s: %v", path, err)
			}
			list = append(list, id)
		}
		ids = append(ids, list)
	}
	if len(texts) != len(ids) || len(texts) < 40 {
		tb.Fatalf("%s: %d texts and %d lists of tokens", path, len(texts), len(ids))
	}
	return texts, ids
}

func TestSmolLM2(t *testing.T) {
	tok := openGGUF(t, testdata.SmolLM2(t))
	got := tok.Encode("<|im_start|>user\nHi there, 123!<|im_end|>\n", Options{ParseSpecial: true})
	want := []int32{1, 4093, 198, 26843, 665, 28, 216, 33, 34, 35, 17, 2, 198}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if s := tok.Decode(got, true); s != "<|im_start|>user\nHi there, 123!<|im_end|>\n" {
		t.Errorf("Decode gives %q", s)
	}
}
