package gguf

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nrt-go/nrt/internal/mapping"
	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// weights writes a model with a tensor of n float32 zeros and returns its path.
func weights(t *testing.T, n int) string {
	t.Helper()
	w := NewWriter()
	w.Set("general.name", "weights")
	w.AddTensor("w", quant.F32, []int{n}, fill(4*n))
	path := filepath.Join(t.TempDir(), "w.gguf")
	if err := w.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// fill writes n bytes that tell where they stand.
func fill(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i * 7)
		}
		_, err := w.Write(b)
		return err
	}
}

func open(t *testing.T, path string, opts ...Option) *File {
	t.Helper()
	f, err := Open(path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func sum(b []byte) (n int) {
	for _, x := range b {
		n += int(x)
	}
	return n
}

// TestTruncatedMapping cuts a mapped file and reads it from several goroutines, each under its own guard.
func TestTruncatedMapping(t *testing.T) {
	if !mapping.Available {
		t.Skip("no mmap on this system")
	}
	testdata.RealFaults(t)
	path := weights(t, 1<<18)
	f := open(t, path)
	if err := os.Truncate(path, 4096); err != nil {
		t.Skipf("a mapped file cannot be cut here: %v", err)
	}
	w, err := f.Tensor("w")
	if err != nil {
		t.Fatal(err)
	}
	var workers sync.WaitGroup
	faults, sums := make([]error, 8), make([]int, 8)
	for i := range faults {
		workers.Go(func() {
			faults[i] = tensor.Guard(func() error {
				sums[i] = sum(w.Data) // kept, or the compiler would not read
				return nil
			})
		})
	}
	workers.Wait()
	for i, err := range faults {
		var fault *tensor.FaultError
		if !errors.As(err, &fault) {
			t.Errorf("worker %d: found error %v, want a *tensor.FaultError", i, err)
		}
	}
	if err := f.Check(); !errors.Is(err, ErrChanged) {
		t.Errorf("Check: found %v, want ErrChanged", err)
	}
}

// TestTruncatedCopy cuts a file whose weights were copied: they stay.
func TestTruncatedCopy(t *testing.T) {
	path := weights(t, 1<<12)
	mapped := open(t, path)
	want := sum(mapped.Tensors()[0].Data)
	f := open(t, path, NoMap())
	if err := os.Truncate(path, 100); err != nil {
		t.Skipf("the file cannot be cut here: %v", err)
	}
	if got := sum(f.Tensors()[0].Data); got != want {
		t.Errorf("sum of the copied weights %d, want %d", got, want)
	}
	if err := f.Check(); !errors.Is(err, ErrChanged) {
		t.Errorf("Check: found %v, want ErrChanged", err)
	}
}

// shrinking is a file that is cut after a number of reads.
type shrinking struct {
	file  *os.File
	reads int
}

func (s *shrinking) ReadAt(b []byte, at int64) (int, error) {
	if s.reads--; s.reads < 0 {
		if err := s.file.Truncate(10); err != nil {
			return 0, err
		}
	}
	return s.file.ReadAt(b, at)
}

// TestTruncatedWhileOpening cuts a file before each of the reads that parsing makes.
func TestTruncatedWhileOpening(t *testing.T) {
	w := NewWriter()
	w.Set("a", make([]uint64, 3*chunkSize/8))
	w.Set("b", string(make([]byte, 2*chunkSize)))
	w.Set("c", "end")
	for reads := range 4 {
		path := filepath.Join(t.TempDir(), "m.gguf")
		if err := w.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		_, err = parse(&shrinking{file, reads}, info.Size(), path)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d reads: found %v, want io.ErrUnexpectedEOF", reads, err)
		}
		checkError(t, err, path, []string{"at byte", "unexpected EOF"})
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name string
		do   func(path string) error
		want error
	}{
		{"untouched", func(string) error { return nil }, nil},
		{"grown", func(path string) error { return os.Truncate(path, 1<<20) }, ErrChanged},
		{"cut", func(path string) error { return os.Truncate(path, 10) }, ErrChanged},
		{"written in place", func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte{1}, 200)
			return errors.Join(err, f.Close(), os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
		}, ErrChanged},
		{"cut, its time set back", func(path string) error {
			info, err := os.Stat(path)
			return errors.Join(err, os.Truncate(path, 10), os.Chtimes(path, time.Time{}, info.ModTime()))
		}, ErrChanged},
		{"removed", os.Remove, ErrReplaced},
		{"renamed over", func(path string) error {
			w := NewWriter()
			w.Set("general.name", "another")
			return w.WriteFile(path)
		}, ErrReplaced},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := weights(t, 1<<12)
			f := open(t, path)
			if err := tt.do(path); err != nil {
				t.Skipf("an open file cannot be %s here: %v", tt.name, err)
			}
			err := f.Check()
			if !errors.Is(err, tt.want) {
				t.Errorf("Check: found %v, want %v", err, tt.want)
			}
			if errors.Is(err, ErrReplaced) { // the mapping still has the old file
				if got := sum(f.Tensors()[0].Data[:4]); got != 0+7+14+21 {
					t.Errorf("first weights sum to %d after the path was %s", got, tt.name)
				}
			}
		})
	}
}

// TestClose closes twice, and reads afterwards: a fault, not the end of the process.
func TestClose(t *testing.T) {
	f, err := Open(weights(t, 1<<12))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if err := f.Check(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Check after Close: found %v, want os.ErrClosed", err)
	}
}

// TestOpenOddPaths opens what is no regular file.
func TestOpenOddPaths(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none.gguf")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: found %v, want os.ErrNotExist", err)
	}
	_, err := Open(dir)
	checkError(t, err, dir, []string{"want a regular file"})
}

// TestCopyOfCutFile copies from a file that was cut after its header was checked.
func TestCopyOfCutFile(t *testing.T) {
	f, err := os.Open(weights(t, 8))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := copyFile(f, 64, 1<<16); !errors.Is(err, io.EOF) {
		t.Errorf("found error %v, want io.EOF", err)
	}
}

// TestWeightsBackToFront opens a file whose first tensor has the last bytes.
func TestWeightsBackToFront(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	b := padded(36, head(2, 0), record("a", dims(1), 0, 32), record("b", dims(1), 0, 0))
	b[len(b)-4], b[len(b)-36] = 'a', 'b'
	save(t, path, b, 0)
	for _, opts := range [][]Option{nil, {NoMap()}} {
		for _, w := range open(t, path, opts...).Tensors() {
			if got := string(w.Data); got != w.Name+"\x00\x00\x00" {
				t.Errorf("tensor %s holds %q", w.Name, got)
			}
		}
	}
}
