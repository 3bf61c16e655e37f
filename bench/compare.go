package bench

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
)

// WriteComparison writes a markdown table of earlier results beside later ones: medians, their ratio, and whether the
// runs of one reach into those of the other, in which case the difference may be nothing. Results without a partner are
// left out; without any pair it is an error.
func WriteComparison(w io.Writer, before, after []Record) error {
	t := markdown{}
	for i, name := range []string{"model", "threads", "test", "before t/s", "now t/s", "ratio", "spreads"} {
		t.head(name, i == 1 || i >= 3 && i <= 5)
	}
	for i := range after {
		now := &after[i]
		old := partner(before, now)
		if old == nil {
			continue
		}
		verdict := "apart"
		if old.SamplesTS.Overlaps(now.SamplesTS) {
			verdict = "overlap"
		}
		t.row(now.Model(), strconv.Itoa(now.Threads), now.Test().Name(), spread(old.SamplesTS), spread(now.SamplesTS),
			fmt.Sprintf("%.3f", now.SamplesTS.Median()/old.SamplesTS.Median()), verdict)
	}
	if len(t.rows) == 0 {
		return fmt.Errorf("bench: none of %d earlier results has the model, threads and test of one of these %d", len(before), len(after))
	}
	return t.write(w)
}

func spread(s Samples) string { return fmt.Sprintf("%.2f [%.2f, %.2f]", s.Median(), s.Min(), s.Max()) }

// partner is the earlier result of the same model and test; of several, that with the same batch and KV type. Another
// program's batch may differ: it is that program's way, not the question.
func partner(before []Record, now *Record) *Record {
	var found *Record
	for i := range before {
		old := &before[i]
		if old.Model() != now.Model() || old.Threads != now.Threads || old.Test().Name() != now.Test().Name() {
			continue
		}
		if old.Batch == now.Batch && old.TypeK == now.TypeK {
			return old
		}
		if found == nil {
			found = old
		}
	}
	return found
}

// WriteBenchstat writes each run as a line of Go's benchmark format, which benchstat reads.
func WriteBenchstat(w io.Writer, records []Record) error {
	var b strings.Builder
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: github.com/nrt-go/nrt/bench\ncpu: %s\n", runtime.GOOS, runtime.GOARCH, CPU())
	for i := range records {
		r := &records[i]
		for n, ns := range r.SamplesNS {
			fmt.Fprintf(&b, "%s 1 %.0f ns/op %.3f t/s\n", benchmarkName(r), ns, r.SamplesTS[n])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// benchmarkName is such as BenchmarkPrefill/pp512/d=0/t=2/b=64/kv=f16/model=tiny.gguf.
func benchmarkName(r *Record) string {
	kind := "Mixed"
	switch {
	case r.Gen == 0:
		kind = "Prefill"
	case r.Prompt == 0:
		kind = "Decode"
	}
	t := r.Test()
	t.Depth, t.Parallel = 0, 1
	name := fmt.Sprintf("Benchmark%s/%s/d=%d/t=%d/b=%d/kv=%s/model=%s", kind, t.Name(), r.Depth, r.Threads, r.Batch, r.TypeK, r.Model())
	if r.Parallel > 1 {
		name += fmt.Sprintf("/seqs=%d", r.Parallel)
	}
	return strings.Join(strings.Fields(name), "_")
}
