package mapping

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPagesComeBack maps a file of a few huge pages and reads it before and after its pages rested and were brought.
func TestPagesComeBack(t *testing.T) {
	if !Available {
		t.Skip("this system maps no files")
	}
	want := bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := len(want) - 100
	data, release, err := Map(f, n)
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	for _, step := range []struct {
		name string
		do   func([]byte)
	}{{"Map", func([]byte) {}}, {"Rest", Rest}, {"Bring", Bring}, {"Rest after Bring", Rest}} {
		step.do(data[page : 3*page])
		step.do(nil)
		if !bytes.Equal(data, want[:n]) {
			t.Errorf("after %s the mapping does not hold the file", step.name)
		}
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
