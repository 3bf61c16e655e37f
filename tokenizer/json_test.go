package tokenizer

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/nrt-go/nrt/internal/testdata"
)

// opened are the shared tokenizers that some test has loaded.
var opened sync.Map

// openJSON opens one of the shared tokenizers.
func openJSON(tb testing.TB, name string) *Tokenizer {
	tb.Helper()
	path := testdata.Shared(tb, "tokenizers/"+name+"/tokenizer.json")
	if t, ok := opened.Load(name); ok {
		return t.(*Tokenizer)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(filepath.Dir(path), "tokenizer_config.json"))
	if err != nil && !os.IsNotExist(err) {
		tb.Fatal(err)
	}
	t, err := FromJSON(file, config)
	if err != nil {
		tb.Fatal(err)
	}
	opened.Store(name, t)
	return t
}

// golden is a line of a golden file: a text's tokens, or the digest of those of a text that is too long to keep.
type golden struct {
	Text, Dec string
	IDs       []int32
	File      string
	N         int
	Digest    string `json:"sha256_of_ids_joined_by_space"`
}

func readGolden(tb testing.TB, name string) (list []golden) {
	tb.Helper()
	b, err := os.ReadFile(testdata.Shared(tb, "golden/tok_"+name+".jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var g golden
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			tb.Fatal(err)
		}
		list = append(list, g)
	}
	if len(list) < 90 {
		tb.Fatalf("tok_%s.jsonl has only %d lines", name, len(list))
	}
	return list
}

var goldenNames = []string{"gpt2", "llama2_tinyllama", "llama3", "qwen2_5"}

func TestGoldenTokens(t *testing.T) {
	for _, name := range goldenNames {
		t.Run(name, func(t *testing.T) {
			tok := openJSON(t, name)
			for _, g := range readGolden(t, name) {
				if g.File != "" {
					continue // TestGoldenBook
				}
				got := tok.Encode(g.Text, Options{ParseSpecial: true})
				if !slices.Equal(got, g.IDs) {
					t.Errorf("Encode(%q)\n got %v\nwant %v", g.Text, got, g.IDs)
				}
				if dec := tok.Decode(g.IDs, true); dec != g.Dec {
					t.Errorf("Decode(%v)\n got %q\nwant %q", g.IDs, dec, g.Dec)
				}
			}
			if w := tok.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %q", w)
			}
		})
	}
}

// TestGoldenBook encodes the beginning of War and Peace in Project Gutenberg's edition with straight quotes, without its
// byte order mark: $NRT_WAR_AND_PEACE, or war-and-peace.txt in the test cache.
func TestGoldenBook(t *testing.T) {
	path := os.Getenv("NRT_WAR_AND_PEACE")
	if home, err := os.UserHomeDir(); path == "" && err == nil {
		path = filepath.Join(home, ".cache", "nrt-test", "war-and-peace.txt")
	}
	book, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("test material is not here: %v", err)
	}
	units := utf16.Encode([]rune(string(book)))[:200000]
	for _, name := range goldenNames {
		t.Run(name, func(t *testing.T) {
			tok := openJSON(t, name)
			for _, g := range readGolden(t, name) {
				if g.File == "" {
					continue
				}
				ids := tok.Encode(string(utf16.Decode(units)), Options{})
				joined := strings.Trim(fmt.Sprint(ids), "[]")
				if digest := fmt.Sprintf("%x", sha256.Sum256([]byte(joined))); len(ids) != g.N || digest != g.Digest {
					t.Errorf("%d tokens with the digest %s, want %d with %s", len(ids), digest, g.N, g.Digest)
				}
			}
		})
	}
}
