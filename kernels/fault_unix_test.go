//go:build unix

package kernels

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// cutMapping maps a file of n bytes and then empties the file under the mapping.
func cutMapping(t *testing.T, n int) []byte {
	t.Helper()
	f, err := os.Create(t.TempDir() + "/weights")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(int64(n)); err != nil {
		t.Fatal(err)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(data) })
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWeightsThatVanishAreAnError(t *testing.T) {
	testdata.RealFaults(t)
	for _, workers := range []int{1, 3} {
		pool := NewPool(workers)
		defer pool.Close()
		const rows, cols = 4096, 64
		w := &tensor.Tensor{Name: "w", Type: quant.F32, Shape: []int{cols, rows}, Data: cutMapping(t, 4*rows*cols)}
		in := NewInput(1, cols, workers, Int8)
		in.Set(tensor.Matrix{Rows: 1, Cols: cols, Data: randoms(1, cols)})
		var fault *tensor.FaultError
		if err := MatMul(pool, tensor.NewMatrix(1, rows), w, in); !errors.As(err, &fault) {
			t.Errorf("%d workers: %v, want a *tensor.FaultError", workers, err)
		}
		w.Data = make([]byte, 4*rows*cols)
		if err := MatMul(pool, tensor.NewMatrix(1, rows), w, in); err != nil {
			t.Errorf("%d workers, afterwards: %v", workers, err)
		}
	}
}
