package tokenizer

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/internal/testdata"
)

// benchText is at least 1 MB of English and Go: the standard library's comments and code.
func benchText(b *testing.B) string {
	b.Helper()
	var text strings.Builder
	files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "net", "http", "*.go"))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		text.Write(src)
	}
	if text.Len() < 1<<20 {
		b.Skip("the Go source tree is not here")
	}
	return text.String()[:1<<20]
}

func BenchmarkEncode(b *testing.B) {
	for name, open := range map[string]func() *Tokenizer{
		"llama3": func() *Tokenizer { return openJSON(b, "llama3") },
		"qwen2":  func() *Tokenizer { return openJSON(b, "qwen2_5") },
		"gpt2":   func() *Tokenizer { return openJSON(b, "gpt2") },
		"llama2": func() *Tokenizer { return openJSON(b, "llama2_tinyllama") },
		"smollm": func() *Tokenizer { return openGGUF(b, testdata.SmolLM2(b)) },
		"spm":    func() *Tokenizer { return openGGUF(b, testdata.Shared(b, "vocab/ggml-vocab-llama-spm.gguf")) },
	} {
		b.Run(name, func(b *testing.B) {
			text := benchText(b)
			t := open()
			var ids []int32
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				ids = t.AppendEncode(ids[:0], text, Options{})
			}
			b.ReportMetric(float64(len(text))/float64(len(ids)), "bytes/token")
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	file, err := os.ReadFile(testdata.Shared(b, "tokenizers/llama3/tokenizer.json"))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("json/llama3", func(b *testing.B) {
		for b.Loop() {
			if _, err := FromJSON(file, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gguf/smollm", func(b *testing.B) {
		path := testdata.SmolLM2(b)
		for b.Loop() {
			openGGUF(b, path)
		}
	})
}
