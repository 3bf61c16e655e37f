package bench

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/quant"
)

// With a clock on which each look is leastTime later than the last, a sample is one pass, and figures follow from sizes.
func TestMeasureKernels(t *testing.T) {
	var formats []*quant.Format
	for _, name := range []string{"Q4_0", "MXFP4"} {
		f, err := quant.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		formats = append(formats, f)
	}
	run := KernelRun{Threads: 2, Reps: 1, WorkingSet: 10 << 20, Clock: (&fakeClock{tick: leastTime}).now}
	var got []KernelRecord
	err := MeasureKernels(t.Context(), formats, run, func(r KernelRecord) error {
		got = append(got, r)
		return nil
	})
	if err != nil || len(got) != len(formats) {
		t.Fatalf("%d records, %v", len(got), err)
	}
	for i, r := range got {
		if r.Format != formats[i].Name || r.WorkingSet < run.WorkingSet || len(r.Bandwidth) != 2 {
			t.Errorf("record %+v", r)
		}
		second := float64(time.Second / leastTime)
		near(t, r.Format+" bandwidth", r.Bandwidth.Median(), second*10*(1<<20)/1e9, 1e-6)
		if _, ops := peakLoop(); ops > 0 {
			near(t, r.Format+" peak", r.Peak.Median(), second*2*(1<<14)*ops/1e9, 1e-6)
		}
		near(t, r.Format+" GEMV", r.GEMV.Median(), second*float64(r.WorkingSet)/1e9, 1e-6)
		near(t, r.Format+" GEMM", r.GEMM64.Median(), second*2*64*gemmLeast*weightCols/1e9, 1e-6)
		near(t, r.Format+" GEMM", r.GEMM512.Median(), second*2*512*gemmLeast*weightCols/1e9, 1e-6)
	}
	stop := errors.New("enough")
	if err := MeasureKernels(t.Context(), formats[:1], run, func(KernelRecord) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("who takes the records failed: %v", err)
	}
}

// Blocks made up for measuring decode to numbers, in every format.
func TestRandomWeightsAreFinite(t *testing.T) {
	for _, f := range quant.Formats() {
		w := randomWeights(f, 40, 512)
		row := make([]float32, 512)
		for i := range w.Rows() {
			if err := w.DecodeRow(row, i); err != nil {
				t.Fatal(err)
			}
			for _, v := range row {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("%s: row %d holds %v", f.Name, i, v)
				}
			}
		}
	}
}

func TestSumWords(t *testing.T) {
	for n := range 40 {
		x, want := make([]uint64, n), uint64(0)
		for i := range x {
			x[i] = uint64(i * i)
			want += x[i]
		}
		if got := sumWords(x); got != want {
			t.Errorf("sum of %d words = %d, want %d", n, got, want)
		}
	}
}

func TestMemoryReadsEverything(t *testing.T) {
	pool := kernels.NewPool(2)
	defer pool.Close()
	m, err := newMemory(pool, 3*memoryChunk)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.arena.Free(); err != nil {
			t.Error(err)
		}
	}()
	seen := make([]int, 3)
	run := KernelRun{Reps: 1, Clock: (&fakeClock{tick: leastTime}).now}
	if _, err := m.loop(t.Context(), run, func(chunk int) uint64 { return 1 << (20 * chunk) }); err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		if got := m.sum.Load() >> (20 * i) & (1<<20 - 1); got != 2 { // the warm-up and the sample
			t.Errorf("chunk %d was read %d times, want 2", i, got)
		}
	}
	if n := DefaultWorkingSet(); n < leastSet || n > mostSet {
		t.Errorf("working set of %d bytes", n)
	}
}
