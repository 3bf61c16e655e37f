package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// result is a record of two runs at these speeds.
func result(test Test, speeds ...float64) Record {
	r := Record{
		Backends: "CPU", ISA: "avx2", ModelFile: "dir/a.gguf", ModelType: "llama 1.1B Q4_0", ModelSize: 600 << 20, ModelParams: 1100e6,
		Batch: test.Batch, Threads: test.Threads, TypeK: "f16", TypeV: "f16", FlashAttn: true, Prompt: test.Prompt, Gen: test.Gen,
		Depth: test.Depth, Parallel: test.Parallel, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), SamplesTS: speeds,
	}
	for _, s := range speeds {
		r.SamplesNS = append(r.SamplesNS, 1e9*float64(test.Tokens())/s)
	}
	r.AvgNS, r.StdDevNS = r.SamplesNS.Mean(), r.SamplesNS.StdDev()
	r.AvgTS, r.StdDevTS = r.SamplesTS.Mean(), r.SamplesTS.StdDev()
	r.MedianTS, r.MinTS, r.MaxTS = r.SamplesTS.Median(), r.SamplesTS.Min(), r.SamplesTS.Max()
	return r
}

func results() []Record {
	return []Record{
		result(Test{Prompt: 512, Threads: 2, Batch: 64, Parallel: 1}, 100, 102, 110),
		result(Test{Gen: 128, Depth: 2048, Threads: 2, Batch: 64, Parallel: 4}, 8, 16),
	}
}

func TestSamples(t *testing.T) {
	s := Samples{4, 1, 3, 2}
	if s.Mean() != 2.5 || s.Median() != 2.5 || s.Min() != 1 || s.Max() != 4 || (Samples{1, 3}).StdDev() != 1.4142135623730951 {
		t.Errorf("mean %v, median %v, from %v to %v", s.Mean(), s.Median(), s.Min(), s.Max())
	}
	if none := (Samples{}); none.Mean() != 0 || none.Median() != 0 || none.StdDev() != 0 || none.Min() != 0 || none.Max() != 0 {
		t.Error("no samples have figures")
	}
	if !(Samples{1, 3}).Overlaps(Samples{3, 4}) || (Samples{1, 3}).Overlaps(Samples{3.1, 4}) || (Samples{5, 6}).Overlaps(Samples{3, 4}) {
		t.Error("Overlaps is wrong")
	}
}

func TestMarkdown(t *testing.T) {
	const want = `
| model           |       size |    params | backend  | threads |             test |           t/s |       median [min, max] |
| --------------- | ----------:| ---------:| -------- | -------:| ----------------:| -------------:| -----------------------:|
| llama 1.1B Q4_0 | 600.00 MiB | 1100.00 M | CPU avx2 |       2 |            pp512 | 104.00 ± 5.29 | 102.00 [100.00, 110.00] |
| llama 1.1B Q4_0 | 600.00 MiB | 1100.00 M | CPU avx2 |       2 | tg128 x4 @ d2048 |  12.00 ± 5.66 |     12.00 [8.00, 16.00] |
`
	var got strings.Builder
	if err := WriteMarkdown(&got, results()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got.String()); diff != "" {
		t.Error(diff)
	}
	other := result(Test{Gen: 1, Threads: 1, Batch: 512, Parallel: 1}, 1)
	other.TypeK = "f32"
	got.Reset()
	if err := WriteMarkdown(&got, []Record{other}); err != nil || !strings.Contains(got.String(), "n_batch | type_k") {
		t.Errorf("%v: what is not the default has no column:\n%s", err, got.String())
	}
}

// What is written as JSON or as lines of it reads back the same.
func TestJSONRoundTrip(t *testing.T) {
	for _, format := range []string{"json", "jsonl"} {
		var doc bytes.Buffer
		if err := Write(&doc, format, results()); err != nil {
			t.Fatal(err)
		}
		got, err := ReadRecords(&doc)
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if diff := cmp.Diff(results(), got); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
}

// The names that the issue and llama-bench's readers know.
func TestJSONNames(t *testing.T) {
	var doc bytes.Buffer
	if err := WriteJSONLines(&doc, results()[:1]); err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(doc.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"build_commit", "cpu_info", "model_filename", "model_type", "model_size", "model_n_params", "n_batch", "n_threads",
		"type_k", "type_v", "flash_attn", "n_prompt", "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts",
		"stddev_ts", "median_ts", "samples_ns", "samples_ts",
	} {
		if _, ok := fields[name]; !ok {
			t.Errorf("no field %q", name)
		}
	}
}

func TestCSV(t *testing.T) {
	var doc bytes.Buffer
	if err := WriteCSV(&doc, results()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&doc).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for name, want := range map[string]string{"n_depth": "2048", "avg_ts": "12.000000", "test_time": "2026-01-02T03:04:05Z", "flash_attn": "true"} {
		if i := slices.Index(rows[0], name); i < 0 || rows[2][i] != want {
			t.Errorf("%s is not %s: %q", name, want, rows)
		}
	}
}

// llama-bench's own lines have fewer fields.
func TestReadLlamaBench(t *testing.T) {
	const line = `{"build_commit":"b1","model_filename":"/m/a.gguf","n_batch":2048,"n_threads":2,"type_k":"f16","n_prompt":512,"n_gen":0,
		"n_depth":0,"avg_ns":1,"avg_ts":51,"stddev_ts":1,"samples_ns":[1,2],"samples_ts":[50,52],"tensor_buft_overrides":"none"}`
	old, err := ReadRecords(strings.NewReader(line + "\n" + line))
	if err != nil || len(old) != 2 {
		t.Fatalf("%d records, %v", len(old), err)
	}
	var got strings.Builder
	if err := WriteComparison(&got, old, results()); err != nil {
		t.Fatal(err)
	}
	const want = `
| model  | threads | test  |           before t/s |                 now t/s | ratio | spreads |
| ------ | -------:| ----- | --------------------:| -----------------------:| -----:| ------- |
| a.gguf |       2 | pp512 | 51.00 [50.00, 52.00] | 102.00 [100.00, 110.00] | 2.000 | apart   |
`
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestReadRecordsRefuses(t *testing.T) {
	for _, doc := range []string{"x", "[", `{"n_prompt":1}`, `[{"n_gen":1,"samples_ts":[0]}]`, `{"samples_ts":[1]}`, `{"n_prompt":"1"}`} {
		if got, err := ReadRecords(strings.NewReader(doc)); err == nil {
			t.Errorf("ReadRecords(%q) = %v, want an error", doc, got)
		}
	}
}

func FuzzReadRecords(f *testing.F) {
	f.Add([]byte(`[{"n_prompt":1,"samples_ts":[1]}]`))
	f.Add([]byte(`{"n_gen":1,"samples_ts":[1e308]} {}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		records, err := ReadRecords(bytes.NewReader(doc))
		if err != nil || len(records) == 0 {
			return
		}
		if err := WriteComparison(io.Discard, records, records); err != nil {
			t.Errorf("a result has no partner in itself: %v", err)
		}
		if err := WriteChart(io.Discard, records); err != nil {
			t.Error(err)
		}
	})
}

func TestComparisonPrefersTheSameBatch(t *testing.T) {
	now := result(Test{Prompt: 8, Threads: 1, Batch: 64, Parallel: 1}, 30)
	other, same := now, now
	other.Batch, other.SamplesTS = 512, Samples{10}
	same.SamplesTS = Samples{29, 31}
	for _, before := range [][]Record{{other, same}, {same, other}} {
		var got strings.Builder
		if err := WriteComparison(&got, before, []Record{now}); err != nil || !strings.Contains(got.String(), "1.000 | overlap") {
			t.Errorf("%v\n%s", err, got.String())
		}
	}
	now.Threads = 2
	if err := WriteComparison(io.Discard, []Record{other}, []Record{now}); err == nil {
		t.Error("other threads were compared")
	}
}

func TestBenchstat(t *testing.T) {
	var got strings.Builder
	if err := WriteBenchstat(&got, results()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nBenchmarkPrefill/pp512/d=0/t=2/b=64/kv=f16/model=a.gguf 1 5120000000 ns/op 100.000 t/s\n",
		"\nBenchmarkDecode/tg128/d=2048/t=2/b=64/kv=f16/model=a.gguf/seqs=4 1 64000000000 ns/op 8.000 t/s\n",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("no line %q in\n%s", want, got.String())
		}
	}
}

func TestChart(t *testing.T) {
	var all []Record
	for depth := range 8 {
		for threads := 1; threads <= 7; threads++ {
			r := result(Test{Gen: 8, Depth: depth * 512, Threads: threads, Batch: 64, Parallel: 1}, float64(100-10*depth), 90)
			r.ModelFile = "<a&b>.gguf"
			all = append(all, r)
		}
	}
	all = append(all, result(Test{Prompt: 8, Threads: 1, Batch: 64, Parallel: 1}, 5))
	var doc bytes.Buffer
	if err := WriteChart(&doc, all); err != nil {
		t.Fatal(err)
	}
	elements := map[string]int{}
	for dec := xml.NewDecoder(bytes.NewReader(doc.Bytes())); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the chart is no XML: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
	// A line for each series, and a mark for each point and in each legend.
	if elements["polyline"] != 8 || elements["circle"] != 57+8 {
		t.Errorf("elements %v", elements)
	}
	if !bytes.Contains(doc.Bytes(), []byte("prefers-color-scheme:dark")) {
		t.Error("no dark colours")
	}
	if err := WriteChart(io.Discard, nil); err == nil {
		t.Error("a chart of nothing was drawn")
	}
}

func TestRoundStep(t *testing.T) {
	for x, want := range map[float64]float64{0.3: 0.5, 1: 1, 1.1: 2, 20: 20, 21: 50, 51: 100, 900: 1000} {
		if got := roundStep(x); got != want {
			t.Errorf("roundStep(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestMachineName(t *testing.T) {
	for cpu, want := range map[string]string{
		"Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz": "intel-xeon-e5-2686-v4-2.30ghz-",
		"../../etc/passwd":                          "..-..-etc-passwd-",
		"AMD Ryzen 9 (TM) 日本":                       "amd-ryzen-9-",
	} {
		if got := machineName(cpu, 8); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "-8-cores") {
			t.Errorf("machineName(%q) = %q, want %s…", cpu, got, want)
		}
	}
}

func TestSaveReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 5, 6, 0, 0, 0, 0, time.UTC)
	var names []string
	for range 3 {
		path, err := Save(dir, at, results())
		if err != nil {
			t.Fatal(err)
		}
		if rel, err := filepath.Rel(dir, path); err != nil || filepath.Dir(rel) != MachineName() {
			t.Errorf("%s is not under %s", path, MachineName())
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ReadRecords(bytes.NewReader(data)); err != nil || len(got) != 2 {
			t.Errorf("%s: %d records, %v", path, len(got), err)
		}
		names = append(names, filepath.Base(path))
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 3 || !strings.HasPrefix(names[0], "2026-05-06-") {
		t.Errorf("files are %q", names)
	}
}

func TestTablesOfKernelsAndLoads(t *testing.T) {
	var got strings.Builder
	kernels := []KernelRecord{{ISA: "avx2", Format: "Q4_0", Threads: 2, Bandwidth: Samples{10, 20, 30}, GEMV: Samples{5}, Peak: Samples{400}, GEMM64: Samples{100}, GEMM512: Samples{50}},
		{ISA: "neon", Bandwidth: Samples{1}}}
	if err := WriteKernels(&got, kernels); err != nil || !strings.Contains(got.String(), "| 5.0 [5.0, 5.0] |    25 % |       400 | 100.0 [100.0, 100.0] |    25 % |") ||
		!strings.Contains(got.String(), "unknown") {
		t.Errorf("%v\n%s", err, got.String())
	}
	got.Reset()
	loads := []LoadRecord{{ModelType: "llama 1B", Threads: 2, Total: Samples{3, 1, 2}, PeakBytes: 2 << 30}, {ModelType: "other"}}
	if err := WriteLoads(&got, loads); err != nil || !strings.Contains(got.String(), "2.0 [1.0, 3.0] |    2.00 GiB |") ||
		!strings.Contains(got.String(), "unknown |") {
		t.Errorf("%v\n%s", err, got.String())
	}
}
