package tokenizer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/internal/testdata"
)

// openJSON opens one of the shared tokenizers.
func openJSON(tb testing.TB, name string) *Tokenizer {
	tb.Helper()
	path := testdata.Shared(tb, "tokenizers/"+name+"/tokenizer.json")
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
	return t
}

func TestGoldenTokens(t *testing.T) {
	for _, name := range []string{"gpt2", "llama2_tinyllama", "llama3", "qwen2_5"} {
		t.Run(name, func(t *testing.T) {
			golden, err := os.ReadFile(testdata.Shared(t, "golden/tok_"+name+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			tok := openJSON(t, name)
			n := 0
			for line := range strings.Lines(string(golden)) {
				var c struct {
					Text, Dec *string
					IDs       []int32
				}
				if err := json.Unmarshal([]byte(line), &c); err != nil {
					t.Fatal(err)
				}
				if c.Text == nil {
					continue // the digest of a text that is not here
				}
				n++
				got := tok.Encode(*c.Text, Options{ParseSpecial: true})
				if fmt.Sprint(got) != fmt.Sprint(c.IDs) {
					t.Errorf("Encode(%q)\n got %v\nwant %v", *c.Text, got, c.IDs)
				}
				if dec := tok.Decode(c.IDs, true); dec != *c.Dec {
					t.Errorf("Decode(%v)\n got %q\nwant %q", c.IDs, dec, *c.Dec)
				}
			}
			if n < 90 {
				t.Errorf("only %d cases", n)
			}
			if w := tok.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %q", w)
			}
		})
	}
}
