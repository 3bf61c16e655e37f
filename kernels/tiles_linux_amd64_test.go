//go:build !purego && !race

package kernels

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// TestTilesOutliveSignals says that a thread gets its tiles back after a signal, which Go sends to stop goroutines.
func TestTilesOutliveSignals(t *testing.T) {
	if row, err := choose("amx"); err != nil {
		t.Skipf("%s is the best here", isas[0].name)
	} else {
		old := active
		defer func() { active = old }()
		active = row
	}
	const rows, cols, n = 16, 4096, 64
	pool := NewPool(1)
	defer pool.Close()
	w, err := Pack(pool, randomWeight(t, quant.Q4_K, rows, cols), &Arena{})
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.Matrix{Rows: n, Cols: cols, Data: randoms(9, n*cols)}
	in := NewInput(n, cols, 1, Int8)
	in.Set(x)
	want, got := tensor.NewMatrix(n, rows), tensor.NewMatrix(n, rows)
	if err := MatMul(pool, want, w, in); err != nil {
		t.Fatal(err)
	}

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sent, stop := signals(unix.Gettid())
	defer stop()
	for sent.Load() < 20 {
		clear(got.Data)
		if err := MatMul(pool, got, w, in); err != nil {
			t.Fatal(err)
		}
		for i, v := range want.Data {
			if got.Data[i] != v {
				t.Fatalf("element %d: got %g, want %g", i, got.Data[i], v)
			}
		}
	}
}

// signals interrupts a thread over and over until stop is called, and counts.
func signals(thread int) (sent *atomic.Int32, stop func()) {
	var enough atomic.Bool
	done := make(chan struct{})
	sent = new(atomic.Int32)
	go func() {
		defer close(done)
		for !enough.Load() {
			if unix.Tgkill(unix.Getpid(), thread, unix.SIGURG) == nil {
				sent.Add(1)
			}
			time.Sleep(20 * time.Microsecond)
		}
	}()
	return sent, func() {
		enough.Store(true)
		<-done
	}
}
