package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kernels"
)

// Record is the result of one test. Names and meanings are those of llama-bench's JSON where it has them, so that
// either program's files compare.
type Record struct {
	BuildCommit string    `json:"build_commit"`
	CPU         string    `json:"cpu_info"`
	Backends    string    `json:"backends"`
	ISA         string    `json:"isa"`
	ModelFile   string    `json:"model_filename"`
	ModelType   string    `json:"model_type"`
	ModelSize   int64     `json:"model_size"` // bytes of weights
	ModelParams int64     `json:"model_n_params"`
	Batch       int       `json:"n_batch"`
	Threads     int       `json:"n_threads"`
	TypeK       string    `json:"type_k"`
	TypeV       string    `json:"type_v"`
	Activations string    `json:"activations"`
	FlashAttn   bool      `json:"flash_attn"` // always: there is no other form
	Prompt      int       `json:"n_prompt"`
	Gen         int       `json:"n_gen"`
	Depth       int       `json:"n_depth"`
	Parallel    int       `json:"n_parallel"`
	Time        time.Time `json:"test_time"`
	AvgNS       float64   `json:"avg_ns"`
	StdDevNS    float64   `json:"stddev_ns"`
	AvgTS       float64   `json:"avg_ts"`
	StdDevTS    float64   `json:"stddev_ts"`
	MedianTS    float64   `json:"median_ts"`
	MinTS       float64   `json:"min_ts"`
	MaxTS       float64   `json:"max_ts"`
	SamplesNS   Samples   `json:"samples_ns"`
	SamplesTS   Samples   `json:"samples_ts"`
}

// Test is what the record measured; llama-bench's records have no number of sequences, which means one.
func (r *Record) Test() Test {
	return Test{Prompt: r.Prompt, Gen: r.Gen, Depth: r.Depth, Parallel: max(r.Parallel, 1), Threads: r.Threads, Batch: r.Batch}
}

// Model is the name of the model's file without its folders.
func (r *Record) Model() string { return filepath.Base(filepath.ToSlash(r.ModelFile)) }

func (m *Model) record(t Test, started time.Time, runs []time.Duration) Record {
	isa, _ := kernels.ISA() // the model would not have loaded with an error here
	r := Record{
		BuildCommit: Commit(), CPU: CPU(), Backends: "CPU", ISA: isa,
		ModelFile: m.file.Path(), ModelType: modelType(m.file), ModelSize: m.model.Bytes(), ModelParams: m.model.Params(),
		Batch: t.Batch, Threads: t.Threads, TypeK: t.KV.String(), TypeV: t.KV.String(), Activations: m.form.String(), FlashAttn: true,
		Prompt: t.Prompt, Gen: t.Gen, Depth: t.Depth, Parallel: t.Parallel, Time: started.UTC(),
	}
	for _, d := range runs {
		r.SamplesNS = append(r.SamplesNS, float64(d.Nanoseconds()))
		r.SamplesTS = append(r.SamplesTS, float64(t.Tokens())/d.Seconds())
	}
	r.AvgNS, r.StdDevNS = r.SamplesNS.Mean(), r.SamplesNS.StdDev()
	r.AvgTS, r.StdDevTS = r.SamplesTS.Mean(), r.SamplesTS.StdDev()
	r.MedianTS, r.MinTS, r.MaxTS = r.SamplesTS.Median(), r.SamplesTS.Min(), r.SamplesTS.Max()
	return r
}

// modelType is architecture, size and the format that holds most of the weights, all read from the file's tensors.
func modelType(f *gguf.File) string {
	arch, err := f.String("general.architecture")
	if err != nil {
		arch = "unknown"
	}
	bytes, params := map[string]int{}, 0
	for _, t := range f.Tensors() {
		bytes[t.Type.String()] += len(t.Data)
		params += t.Elems()
	}
	names := slices.Sorted(maps.Keys(bytes))
	most := ""
	for _, name := range names {
		if bytes[name] > bytes[most] {
			most = name
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", arch, millions(int64(params)), most))
}

// millions writes a number of weights as models are called: 135M, 1.1B.
func millions(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1fB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0fK", float64(n)/1e3)
}

// CPU is the processor's name, or its architecture where it does not say.
func CPU() string {
	if name := strings.TrimSpace(cpuid.CPU.BrandName); name != "" {
		return name
	}
	return runtime.GOARCH
}

// Commit is the first 12 digits of the commit this program was built from, with "+" behind it where files had changed;
// "" where the build does not say.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	commit = commit[:min(12, len(commit))]
	if commit != "" && settings["vcs.modified"] == "true" {
		commit += "+"
	}
	return commit
}

// ReadRecords reads a JSON array or lines of JSON, of ours or of llama-bench.
func ReadRecords(r io.Reader) ([]Record, error) {
	const most = 64 << 20
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if len(data) > most {
		return nil, fmt.Errorf("found more than %d bytes of results", most)
	}
	var out []Record
	dec := json.NewDecoder(bytes.NewReader(data))
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		if err := dec.Decode(&out); err != nil {
			return nil, err
		}
	}
	for dec.More() {
		var one Record
		if err := dec.Decode(&one); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	for i := range out {
		if err := out[i].check(); err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
	}
	return out, nil
}

// check refuses what is no result of a measurement.
func (r *Record) check() error {
	if r.Prompt+r.Gen < 1 || len(r.SamplesTS) == 0 || r.SamplesTS.Min() <= 0 {
		return fmt.Errorf("found %d prompt tokens, %d generated ones and samples_ts %v, want a measured speed", r.Prompt, r.Gen, r.SamplesTS)
	}
	return nil
}
