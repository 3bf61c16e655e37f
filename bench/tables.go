package bench

import (
	"fmt"
	"io"
	"strconv"
)

// WriteKernels writes kernels as a markdown table: medians, GEMV's share of the read bandwidth, and GEMM's of the
// fastest GEMM in the table, which is the best this machine was seen to compute.
func WriteKernels(w io.Writer, records []KernelRecord) error {
	var best float64
	for _, r := range records {
		best = max(best, r.GEMM64.Median(), r.GEMM512.Median())
	}
	t := markdown{}
	for i, name := range []string{"isa", "format", "threads", "read GB/s", "GEMV GB/s", "of read", "GEMM n=64 GOPS", "of best", "GEMM n=512 GOPS", "of best"} {
		t.head(name, i >= 2)
	}
	for i := range records {
		r := &records[i]
		t.row(r.ISA, r.Format, strconv.Itoa(r.Threads), fmt.Sprintf("%.1f", r.Bandwidth.Median()),
			about(r.GEMV), percent(r.Share()),
			about(r.GEMM64), percent(r.GEMM64.Median()/best), about(r.GEMM512), percent(r.GEMM512.Median()/best))
	}
	return t.write(w)
}

func about(s Samples) string { return fmt.Sprintf("%.1f [%.1f, %.1f]", s.Median(), s.Min(), s.Max()) }

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// WriteLoads writes load tests as a markdown table of medians in milliseconds.
func WriteLoads(w io.Writer, records []LoadRecord) error {
	t := markdown{}
	for i, name := range []string{"model", "size", "threads", "open ms", "vocabulary ms", "pack ms", fmt.Sprintf("pp%d ms", LoadPrompt), "first token ms", "peak memory"} {
		t.head(name, i >= 1)
	}
	for i := range records {
		r := &records[i]
		peak := "unknown"
		if r.PeakBytes > 0 {
			peak = mebibytes(r.PeakBytes)
		}
		t.row(r.ModelType, mebibytes(r.ModelSize), strconv.Itoa(r.Threads), about(r.Open), about(r.Vocabulary), about(r.Pack),
			about(r.Prefill), about(r.Total), peak)
	}
	return t.write(w)
}
