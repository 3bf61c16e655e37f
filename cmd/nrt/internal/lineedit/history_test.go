package lineedit

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestHistoryFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nrt", "history")
	h, err := LoadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two\nlines", `back\slash\n`, `back\slash\n`, " secret", "  ", ""} {
		if err := h.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	again, err := LoadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"one", "two\nlines", `back\slash\n`}
	if !slices.Equal(again.Entries(), want) {
		t.Errorf("history = %q, want %q", again.Entries(), want)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, want 0600", info.Mode().Perm())
	}
}

func TestHistoryIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var file strings.Builder
	for i := range maxHistory + 500 {
		fmt.Fprintln(&file, "message", i)
	}
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := LoadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Add("last"); err != nil {
		t.Fatal(err)
	}
	if n := len(h.Entries()); n != maxHistory || h.Entries()[n-1] != "last" || h.Entries()[0] != "message 501" {
		t.Errorf("%d entries from %q to %q, want %d from message 501 to last", n, h.Entries()[0], h.Entries()[n-1], maxHistory)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n != maxHistory+1 {
		t.Errorf("the file has %d lines, want those kept and the new one", n)
	}
}

func TestHistoryOfAHugeFileReadsItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	data := strings.Repeat("x", maxHistoryBytes) + "\nlast\n"
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := LoadHistory(path)
	if err != nil || !slices.Equal(h.Entries(), []string{"last"}) {
		t.Errorf("LoadHistory = %d entries, %v, want the last line", len(h.Entries()), err)
	}
}
