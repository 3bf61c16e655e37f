package gguf

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

// TestRest gives every tensor's pages back and reads them again.
func TestRest(t *testing.T) {
	path := weights(t, 1<<16)
	for _, opts := range [][]Option{nil, {NoMap()}} {
		f := open(t, path, opts...)
		for _, w := range f.Tensors() {
			want := slices.Clone(w.Data)
			f.Rest(w)
			if !bytes.Equal(w.Data, want) {
				t.Errorf("%s: other bytes than before", w)
			}
		}
	}
}

func TestWholePages(t *testing.T) {
	page := os.Getpagesize()
	memory := make([]byte, 6*page)
	memory = memory[int(-address(memory)&uintptr(page-1)):]
	for _, tt := range []struct{ from, to, want int }{
		{0, page, page}, {0, 2*page + 5, 2 * page}, {1, 2 * page, page}, {1, page, 0}, {3, 7, 0}, {page - 1, 3*page + 1, 2 * page}, {0, 0, 0},
	} {
		got := wholePages(memory[tt.from:tt.to])
		if len(got) != tt.want || len(got) > 0 && address(got)&uintptr(page-1) != 0 {
			t.Errorf("bytes %d to %d: %d bytes at %#x, want %d at the start of a page", tt.from, tt.to, len(got), address(got), tt.want)
		}
	}
	if contains(memory[page:2*page], memory[:page]) || !contains(memory, memory[page:2*page]) || contains(nil, memory) {
		t.Error("contains mistakes what lies where")
	}
}
