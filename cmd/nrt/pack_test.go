package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nrt-go/nrt/hub"
	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/packed"
)

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"": packed.DefaultLimit, "off": 0, "OFF": 0, "0": 0, "12": 12, "3k": 3000, "20G": 20_000_000_000, "1tb": 1_000_000_000_000, "5MB": 5_000_000,
	} {
		if got, err := parseBytes(text); got != want || err != nil {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"much", "-1", "G", "B", "1.5G", "9999999999G", "20GiB"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("%q is %d, want an error", text, got)
		}
	}
}

// TestRemovingAModelRemovesItsPackedWeights puts a model into a store, packs it and removes it.
func TestRemovingAModelRemovesItsPackedWeights(t *testing.T) {
	data, err := os.ReadFile(testdata.Shared(t, "models/stories260K-q8_0.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("NRT_MODELS", dir)
	path := filepath.Join(dir, "tiny.gguf")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := newApp(os.Stdin, out, out).pack(t.Context(), &modelFlags{path: path, threads: 1}); err != nil {
		t.Fatal(err)
	}
	sizes, err := packedBytes()
	if err != nil || sizes[path] == 0 {
		t.Fatalf("packed sizes %v, %v, want one of %s", sizes, err, path)
	}
	store, err := hub.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := remove(store, "tiny"); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "packed")); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}
