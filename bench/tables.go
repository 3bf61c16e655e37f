package bench

import (
	"fmt"
	"io"
	"strconv"
)

// WriteKernels writes kernels as a markdown table: medians, GEMV's share of the read bandwidth, and GEMM's of the peak.
func WriteKernels(w io.Writer, records []KernelRecord) error {
	t := markdown{}
	for i, name := range []string{"isa", "format", "threads", "read GB/s", "GEMV GB/s", "of read", "peak GOPS", "GEMM n=64 GOPS", "of peak", "GEMM n=512 GOPS", "of peak"} {
		t.head(name, i >= 2)
	}
	for i := range records {
		r := &records[i]
		peak := "unknown"
		if len(r.Peak) > 0 {
			peak = fmt.Sprintf("%.0f", r.Peak.Median())
		}
		t.row(r.ISA, r.Format, strconv.Itoa(r.Threads),
			fmt.Sprintf("%.1f", r.Bandwidth.Median()), about(r.GEMV), share(r.GEMV, r.Bandwidth),
			peak, about(r.GEMM64), share(r.GEMM64, r.Peak), about(r.GEMM512), share(r.GEMM512, r.Peak))
	}
	return t.write(w)
}

func about(s Samples) string { return fmt.Sprintf("%.1f [%.1f, %.1f]", s.Median(), s.Min(), s.Max()) }

// share is a part of what is possible, where that is known.
func share(part, whole Samples) string {
	if len(whole) == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.0f %%", 100*part.Median()/whole.Median())
}

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
