package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/quant"
)

// TestWriterBytes compares a small file with its spelling by hand.
func TestWriterBytes(t *testing.T) {
	w := NewWriter()
	w.Set("name", "first")
	w.Set("layers", []int32{1, -2})
	w.Set("name", "x") // replaces, and stays in front
	w.AddTensor("a", quant.F32, []int{3}, fill(12))
	w.AddTensor("b", quant.Q8_0, []int{32, 2}, fill(68))
	var got bytes.Buffer
	n, err := w.WriteTo(&got)
	if err != nil {
		t.Fatal(err)
	}
	a, b := new(bytes.Buffer), new(bytes.Buffer)
	if err := errors.Join(fill(12)(a), fill(68)(b)); err != nil {
		t.Fatal(err)
	}
	want := cat(
		padded(0, head(2, 2), kv("name", KindString, str("x")), kv("layers", KindArray, array(KindInt32, 2, u32(1, math.MaxUint32-1))),
			record("a", dims(3), 0, 0), record("b", dims(32, 2), 8, 32)),
		a.Bytes(), zeros(20), b.Bytes(), zeros(28))
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("found\n%q, want\n%q", got.Bytes(), want)
	}
	if n != int64(len(want)) {
		t.Errorf("WriteTo says %d bytes, want %d", n, len(want))
	}
}

// TestWriterAlignment moves weights to multiples of other alignments.
func TestWriterAlignment(t *testing.T) {
	for _, align := range []uint32{8, 32, 64, 4096} {
		w := NewWriter()
		w.Set(keyAlignment, align)
		w.AddTensor("a", quant.F32, []int{3}, fill(12))
		w.AddTensor("b", quant.F32, []int{5}, fill(20))
		path := filepath.Join(t.TempDir(), "m.gguf")
		if err := w.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		f := open(t, path)
		if f.Size()%int64(align) != 0 {
			t.Errorf("alignment %d: file of %d bytes", align, f.Size())
		}
		for _, p := range f.parts[0].head.tensors {
			if p.offset%int64(align) != 0 {
				t.Errorf("alignment %d: tensor %s at %d", align, p.name, p.offset)
			}
		}
		if got := f.Tensors()[1].Data; len(got) != 20 || got[2] != 14 {
			t.Errorf("alignment %d: second tensor %v", align, got)
		}
	}
}

// TestWriterRefuses has what the reader would not accept, and sources that write the wrong number of bytes.
func TestWriterRefuses(t *testing.T) {
	deep := Value{KindArray, KindUint8, []uint8{}}
	for range maxNesting {
		deep = Value{KindArray, KindArray, []Value{deep}}
	}
	failed := errors.New("the source failed")
	tests := []struct {
		name string
		fill func(w *Writer)
		want []string
	}{
		{"int", func(w *Writer) { w.Set("a", 1) }, []string{`key "a"`, "Go type int"}},
		{"nil", func(w *Writer) { w.Set("a", nil) }, []string{`key "a"`, "Go type <nil>"}},
		{"zero Value", func(w *Writer) { w.Set("a", Value{}) }, []string{`key "a"`, "gguf.Value"}},
		{"struct", func(w *Writer) { w.Set("a", struct{}{}) }, []string{"Go type struct"}},
		{"slices of slices", func(w *Writer) { w.Set("a", [][]uint8{{1}}) }, []string{"Go type [][]uint8"}},
		{"named slice", func(w *Writer) { w.Set("a", binaryName{1}) }, []string{"binaryName"}},
		{"scalars in []Value", func(w *Writer) { w.Set("a", []Value{{KindUint8, 0, uint8(1)}}) }, []string{"element 0", "want an array"}},
		{"empty key", func(w *Writer) { w.Set("", true) }, []string{"key", "empty name"}},
		{"key with newline", func(w *Writer) { w.Set("a\n", true) }, []string{`key "a\n"`, "control character"}},
		{"long key", func(w *Writer) { w.Set(strings.Repeat("k", maxKey+1), true) }, []string{"key: name length", "65536"}},
		{"long string", func(w *Writer) { w.Set("a", strings.Repeat("k", maxString+1)) }, []string{`key "a": string length`}},
		{"long array", func(w *Writer) { w.Set("a", make([]bool, maxElements+1)) }, []string{"array length", "4194305"}},
		{"deep array", func(w *Writer) { w.Set("a", deep) }, []string{"17 arrays in each other"}},
		{"alignment 12", func(w *Writer) { w.Set(keyAlignment, uint32(12)) }, []string{"general.alignment", "found 12"}},
		{"alignment 4", func(w *Writer) { w.Set(keyAlignment, uint32(4)) }, []string{"general.alignment", "found 4"}},
		{"alignment uint64", func(w *Writer) { w.Set(keyAlignment, uint64(32)) }, []string{"general.alignment", "uint64"}},
		{"long tensor name", func(w *Writer) { w.AddTensor(strings.Repeat("n", 65), quant.F32, []int{1}, fill(4)) }, []string{"tensor: name length", "65"}},
		{"empty tensor name", func(w *Writer) { w.AddTensor("", quant.F32, []int{1}, fill(4)) }, []string{"tensor", "empty name"}},
		{"tensor twice", func(w *Writer) {
			w.AddTensor("a", quant.F32, []int{1}, fill(4))
			w.AddTensor("a", quant.F32, []int{1}, fill(4))
		}, []string{`tensor "a"`, "twice"}},
		{"no shape", func(w *Writer) { w.AddTensor("a", quant.F32, nil, fill(4)) }, []string{`tensor "a"`, "1 to 4 dimensions"}},
		{"five dimensions", func(w *Writer) { w.AddTensor("a", quant.F32, []int{1, 1, 1, 1, 1}, fill(4)) }, []string{"1 to 4 dimensions"}},
		{"dimension 0", func(w *Writer) { w.AddTensor("a", quant.F32, []int{4, 0}, fill(0)) }, []string{"[4 0]", "at least 1"}},
		{"half a block", func(w *Writer) { w.AddTensor("a", quant.Q4_0, []int{16, 2}, fill(18)) }, []string{"[16 2] of Q4_0", "multiple of 32"}},
		{"too large", func(w *Writer) { w.AddTensor("a", quant.F32, []int{1 << 40, 1 << 40}, nil) }, []string{"more bytes than can be counted"}},
		{"too large together", func(w *Writer) {
			for _, name := range []string{"a", "b", "c", "d"} {
				w.AddTensor(name, quant.F32, []int{1 << 60}, nil)
			}
		}, []string{"weights", "more bytes than can be counted"}},
		{"unknown type", func(w *Writer) { w.AddTensor("a", 4, []int{32}, nil) }, []string{`tensor "a"`, "4"}},
		{"a byte short", func(w *Writer) { w.AddTensor("a", quant.F32, []int{4}, fill(15)) }, []string{`tensor "a"`, "15 bytes written", "want 16"}},
		{"a byte long", func(w *Writer) { w.AddTensor("a", quant.F32, []int{4}, fill(17)) }, []string{`tensor "a"`, "more than 16 bytes"}},
		{"far too long", func(w *Writer) { w.AddTensor("a", quant.F32, []int{4}, fill(1<<20)) }, []string{`tensor "a"`, "more than 16 bytes"}},
		{"a failing source", func(w *Writer) {
			w.AddTensor("a", quant.F32, []int{4}, func(io.Writer) error { return failed })
		}, []string{`tensor "a"`, "the source failed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := NewWriter()
			tt.fill(w)
			_, err := w.WriteTo(io.Discard)
			checkError(t, err, "", tt.want)

			dir := t.TempDir()
			path := filepath.Join(dir, "m.gguf")
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			checkError(t, w.WriteFile(path), path, tt.want)
			onlyOld(t, dir)
		})
	}
}

type binaryName []uint8

// onlyOld checks that a failed WriteFile left the old m.gguf, and nothing beside it.
func onlyOld(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 || left[0].Name() != "m.gguf" {
		t.Errorf("found %v in the folder, want m.gguf alone", left)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "m.gguf")); err != nil || string(b) != "old" {
		t.Errorf("m.gguf holds %q, %v, want what it held before", b, err)
	}
}

// TestWriteFilePanic has a source that panics: the panic passes, the temporary file goes.
func TestWriteFilePanic(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "m.gguf"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := NewWriter()
	w.AddTensor("a", quant.F32, []int{4}, func(io.Writer) error { panic("source") })
	func() {
		defer func() {
			if r := recover(); r != "source" {
				t.Errorf("recovered %v, want the source's panic", r)
			}
		}()
		err := w.WriteFile(filepath.Join(dir, "m.gguf"))
		t.Errorf("WriteFile returned %v", err)
	}()
	onlyOld(t, dir)
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	w := NewWriter()
	w.Set("a", true)
	if err := w.WriteFile(filepath.Join(dir, "none", "m.gguf")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into a missing folder: found %v, want os.ErrNotExist", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "m.gguf"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteFile(filepath.Join(dir, "m.gguf")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	t.Chdir(dir)
	if err := w.WriteFile("here.gguf"); err != nil {
		t.Errorf("into the working folder: %v", err)
	}
	info, err := os.Stat("here.gguf")
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, want 0644", info.Mode())
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("found %v, %v, want here.gguf and the folder alone", left, err)
	}
}

// failing accepts n bytes.
type failing struct{ n int }

func (f *failing) Write(b []byte) (int, error) {
	if len(b) > f.n {
		n := f.n
		f.n = 0
		return n, io.ErrShortWrite
	}
	f.n -= len(b)
	return len(b), nil
}

// TestWriteToFails cuts the destination at every byte: the error comes through, and so does the count.
func TestWriteToFails(t *testing.T) {
	w := NewWriter()
	w.Set("a", "b")
	w.AddTensor("t", quant.F32, []int{5}, fill(20))
	total, err := w.WriteTo(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for n := range int(total) {
		got, err := w.WriteTo(&failing{n})
		if !errors.Is(err, io.ErrShortWrite) || got != int64(n) {
			t.Errorf("a destination of %d bytes: found %d, %v, want %d and io.ErrShortWrite", n, got, err, n)
		}
	}
}

// TestReadsVersion2 reads a v2 file, which has v3's layout.
func TestReadsVersion2(t *testing.T) {
	w := NewWriter()
	w.Set("a", []string{"b"})
	w.AddTensor("t", quant.F16, []int{2, 3}, fill(12))
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(b.Bytes()[4:], 2)
	path := filepath.Join(t.TempDir(), "v2.gguf")
	save(t, path, b.Bytes(), 0)
	f := open(t, path)
	if f.Version() != 2 || len(f.Tensors()) != 1 || f.Tensors()[0].String() != "t F16 [2 3]" {
		t.Errorf("found version %d, %v, want 2 and t F16 [2 3]", f.Version(), f.Tensors())
	}
}
