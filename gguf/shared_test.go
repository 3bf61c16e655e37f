package gguf_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/quant"
)

// realFiles is every model and vocabulary in the shared folder.
func realFiles(t *testing.T) (paths []string) {
	t.Helper()
	for _, dir := range []string{"models", "vocab"} {
		found, err := filepath.Glob(filepath.Join(testdata.Shared(t, dir), "*.gguf"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no GGUF files in %s: %v", dir, err)
		}
		paths = append(paths, found...)
	}
	return paths
}

// TestOpensRealFiles opens every file at hand, mapped and copied.
func TestOpensRealFiles(t *testing.T) {
	for _, path := range realFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) { checkRealFile(t, path) })
	}
}

// TestRewritesRealFiles writes what it read of files that llama.cpp's tools wrote, and gets their very bytes.
func TestRewritesRealFiles(t *testing.T) {
	for _, path := range realFiles(t) {
		f, err := gguf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		w := gguf.NewWriter()
		for _, key := range f.Keys() {
			v, _ := f.Value(key)
			w.Set(key, v)
		}
		for _, tensor := range f.Tensors() {
			w.AddTensor(tensor.Name, tensor.Type, tensor.Shape, func(dst io.Writer) error {
				_, err := dst.Write(tensor.Data)
				return err
			})
		}
		var b bytes.Buffer
		if _, err := w.WriteTo(&b); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s: %d bytes written differ from the file's %d", path, b.Len(), len(want))
		}
	}
}

func TestOpensSmolLM2(t *testing.T) {
	f := checkRealFile(t, testdata.SmolLM2(t))
	if arch, err := f.String("general.architecture"); err != nil || arch != "llama" {
		t.Errorf("architecture %q, %v, want llama", arch, err)
	}
	if n, err := f.Uint("llama.block_count"); err != nil || n != 30 {
		t.Errorf("block_count %d, %v, want 30", n, err)
	}
	w, err := f.Tensor("token_embd.weight")
	if err != nil {
		t.Fatal(err)
	}
	if w.Cols() != 576 || w.Rows() != 49152 {
		t.Errorf("%v, want [576 49152]", w)
	}
}

func checkRealFile(t *testing.T, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	copied, err := gguf.Open(path, gguf.NoMap())
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if err := f.Check(); err != nil {
		t.Errorf("Check on an untouched file: %v", err)
	}
	tokens, err := f.Strings("tokenizer.ggml.tokens")
	if err != nil && !errors.Is(err, gguf.ErrMissing) {
		t.Error(err)
	}
	t.Logf("v%d, %d keys, %d tensors, %d tokens, %d bytes", f.Version(), len(f.Keys()), len(f.Tensors()), len(tokens), f.Size())
	for i, w := range f.Tensors() {
		format, err := quant.Lookup(w.Type)
		if err != nil {
			t.Fatal(err)
		}
		if want := w.Rows() * format.RowBytes(w.Cols()); len(w.Data) != want {
			t.Errorf("%v holds %d bytes, want %d", w, len(w.Data), want)
		}
		if c := copied.Tensors()[i]; string(c.Data) != string(w.Data) || c.Name != w.Name {
			t.Errorf("%v differs between mapped and copied", w)
		}
	}
	return f
}

// BenchmarkOpen opens a vocabulary of 65,024 tokens and their merges.
func BenchmarkOpen(b *testing.B) {
	path := testdata.Shared(b, "vocab/ggml-vocab-falcon.gguf")
	b.ReportAllocs()
	for b.Loop() {
		f, err := gguf.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
