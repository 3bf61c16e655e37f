package gguf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nrt-go/nrt/quant"
)

// splitModel writes a model in three parts with two tensors each and returns the parts' paths. edit may spoil a part.
func splitModel(t *testing.T, edit func(part int, w *Writer)) []string {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "model")
	paths := make([]string, 3)
	for i := range paths {
		w := NewWriter()
		if i == 0 {
			w.Set("general.architecture", "llama")
		}
		w.Set(keySplitNo, uint16(i))
		w.Set(keySplitCount, uint16(len(paths)))
		w.Set(keySplitTensors, int32(2*len(paths)))
		for j := range 2 {
			w.AddTensor(fmt.Sprintf("blk.%d", 2*i+j), quant.F32, []int{4 + i}, fill(16+4*i))
		}
		if edit != nil {
			edit(i, w)
		}
		paths[i] = nameOfPart(prefix, i, len(paths))
		if err := w.WriteFile(paths[i]); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// TestSplit opens a split model by each of its parts.
func TestSplit(t *testing.T) {
	paths := splitModel(t, nil)
	var size int64
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	for _, path := range paths {
		for _, opts := range [][]Option{nil, {NoMap()}} {
			f := open(t, path, opts...)
			var names []string
			for i, w := range f.Tensors() {
				names = append(names, w.Name)
				if want := 16 + 4*(i/2); len(w.Data) != want || w.Data[1] != 7 {
					t.Errorf("%v: %d bytes, second %d, want %d and 7", w, len(w.Data), w.Data[1], want)
				}
			}
			if want := []string{"blk.0", "blk.1", "blk.2", "blk.3", "blk.4", "blk.5"}; !slices.Equal(names, want) {
				t.Errorf("tensors %v, want %v", names, want)
			}
			if arch, err := f.String("general.architecture"); err != nil || arch != "llama" {
				t.Errorf("architecture %q, %v: metadata are not those of the first part", arch, err)
			}
			if f.Size() != size || f.Path() != path {
				t.Errorf("size %d of %s, want %d of %s", f.Size(), f.Path(), size, path)
			}
		}
	}
	f := open(t, paths[0])
	if err := os.Truncate(paths[2], 10); err == nil && !errors.Is(f.Check(), ErrChanged) {
		t.Errorf("Check with the third part cut: found %v, want ErrChanged", f.Check())
	}
}

func TestSplitErrors(t *testing.T) {
	set := func(part int, key string, value any) func(int, *Writer) {
		return func(i int, w *Writer) {
			if i == part {
				w.Set(key, value)
			}
		}
	}
	tests := []struct {
		name string
		edit func(int, *Writer)
		open int
		bad  int // the part that the error names
		want []string
	}{
		{"count differs", set(1, keySplitCount, uint16(4)), 0, 1, []string{"split.count", "found 4", "want 3"}},
		{"count 0", set(0, keySplitCount, uint16(0)), 0, 0, []string{"split.count", "found 0", "want 1 to 1024"}},
		{"count 65535", set(0, keySplitCount, uint16(65535)), 0, 0, []string{"split.count", "65535", "want 1 to 1024"}},
		{"count a string", set(0, keySplitCount, "3"), 0, 0, []string{"split.count", "found string"}},
		{"number too large", set(0, keySplitNo, uint16(3)), 0, 0, []string{"split.no", "found 3", "want 0 to 2"}},
		{"number negative", set(2, keySplitNo, int32(-1)), 2, 2, []string{"split.no", "found -1"}},
		{"number of another part", set(0, keySplitNo, uint16(1)), 0, 0, []string{"file name", "part 2 of a model in 3 parts", "-00002-of-00003.gguf"}},
		{"numbers twice", set(2, keySplitNo, uint16(1)), 0, 2, []string{"split.no", "found 1", "want 2"}},
		{"tensor count differs", set(1, keySplitTensors, int32(5)), 0, 1, []string{"split.tensors.count", "found 5", "want 6"}},
		{"tensor count negative", set(0, keySplitTensors, int32(-6)), 0, 0, []string{"split.tensors.count", "found -6"}},
		{"a tensor too many", func(i int, w *Writer) {
			if i == 2 {
				w.AddTensor("extra", quant.F32, []int{1}, fill(4))
			}
		}, 0, 0, []string{"split.tensors.count", "found 6", "want 7"}},
		{"a tensor in two parts", func(i int, w *Writer) {
			if i == 2 {
				w.tensors[1].name = "blk.0"
			}
		}, 0, 2, []string{`tensor "blk.0"`, "earlier part"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			paths := splitModel(t, tt.edit)
			_, err := Open(paths[tt.open])
			checkError(t, err, paths[tt.bad], tt.want)
		})
	}
}

func TestSplitPartsMissing(t *testing.T) {
	paths := splitModel(t, nil)
	renamed := filepath.Join(filepath.Dir(paths[0]), "renamed.gguf")
	if err := os.Rename(paths[1], renamed); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(paths[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("second part missing: found %v, want os.ErrNotExist", err)
	}
	_, err := Open(renamed)
	checkError(t, err, renamed, []string{"file name", "part 2 of a model in 3 parts", "-00002-of-00003.gguf"})
}

// TestSplitKeysIncomplete has a file that says its number and not of how many.
func TestSplitKeysIncomplete(t *testing.T) {
	w := NewWriter()
	w.Set(keySplitNo, uint16(0))
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := w.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	_, err := Open(path)
	checkError(t, err, path, []string{"split.count", "found nothing"})
	if !errors.Is(err, ErrMissing) {
		t.Errorf("found %v, want ErrMissing", err)
	}
}
