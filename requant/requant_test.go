package requant

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/tensor"
)

// TestRunAsLlama compares whole files with those that llama.cpp's quantizer made, bit for bit.
func TestRunAsLlama(t *testing.T) {
	for _, c := range []struct{ source, mixture, want string }{
		{"models/tinystories-656K-f32.gguf", "Q8_0", "models/tinystories-656K-q8_0.gguf"},
		{"models/tinystories-656K-f32.gguf", "Q4_0", "models/tinystories-656K-q4_0.gguf"},
		{"models/stories260K-f32.gguf", "Q8_0", "models/stories260K-q8_0.gguf"},
	} {
		want := open(t, testdata.Shared(t, c.want))
		path := filepath.Join(t.TempDir(), "out.gguf")
		if _, err := Run(t.Context(), open(t, testdata.Shared(t, c.source)), path, Options{Mixture: c.mixture}); err != nil {
			t.Fatal(err)
		}
		got := open(t, path)
		if len(got.Tensors()) != len(want.Tensors()) {
			t.Fatalf("%s: %d tensors, want %d", c.want, len(got.Tensors()), len(want.Tensors()))
		}
		for _, w := range want.Tensors() {
			g, err := got.Tensor(w.Name)
			if err != nil {
				t.Fatal(err)
			}
			if g.String() != w.String() || !bytes.Equal(g.Data, w.Data) {
				t.Errorf("%s: found %s, want %s with the same bytes", c.want, g, w)
			}
		}
		for _, key := range want.Keys() {
			g, _ := got.Value(key)
			w, _ := want.Value(key)
			if g.Type() != w.Type() || g.String() != w.String() {
				t.Errorf("%s: key %s is %.80s, want %.80s", c.want, key, g, w)
			}
		}
	}
}

// TestEveryMixture runs each row of the table and reads the result back.
func TestEveryMixture(t *testing.T) {
	f := model{layers: 4, heads: 4, shared: 4, cols: 256}.synthetic(t, wave)
	limit := map[string]float64{"F32": 0, "F16": 3e-4, "BF16": 2e-3, "TQ1_0": 0.6, "TQ2_0": 0.6, "Q2_K": 0.2, "Q2_K_S": 0.25}
	for _, mixture := range Mixtures() {
		t.Run(mixture, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out.gguf")
			report, err := Run(t.Context(), f, path, Options{Mixture: strings.ToLower(mixture)})
			if err != nil {
				t.Fatal(err)
			}
			got := open(t, path)
			checkMetadata(t, f, got)
			most, ok := limit[mixture]
			if !ok {
				most = 0.12
			}
			if report.Mixture != mixture || report.Error.Relative > most || report.Requantized != 0 {
				t.Errorf("mixture %s, error %+v, %d requantized; want %s, at most %v, none", report.Mixture, report.Error, report.Requantized, mixture, most)
			}
			checkReport(t, f, got, report)
		})
	}
}

func checkMetadata(t *testing.T, source, got *gguf.File) {
	t.Helper()
	for _, key := range source.Keys() {
		g, ok := got.Value(key)
		w, _ := source.Value(key)
		switch {
		case strings.HasPrefix(key, "split."):
			if ok {
				t.Errorf("key %s is still there", key)
			}
		case g.Type() != w.Type() || g.String() != w.String():
			t.Errorf("key %s is %s %s, want %s %s", key, g.Type(), g, w.Type(), w)
		}
	}
	if v, err := got.Uint("general.quantization_version"); v != 2 || err != nil {
		t.Errorf("general.quantization_version: %d, %v", v, err)
	}
	if !got.Has("general.file_type") {
		t.Error("general.file_type is missing")
	}
}

// checkReport measures every tensor again, from the two files.
func checkReport(t *testing.T, source, got *gguf.File, report Report) {
	t.Helper()
	var before, after int64
	for i, old := range source.Tensors() {
		fresh, line := got.Tensors()[i], report.Tensors[i]
		if line.Name != old.Name || fresh.Name != old.Name || line.To != fresh.Type.String() || line.From != old.Type.String() {
			t.Fatalf("line %+v for %s that became %s", line, old, fresh)
		}
		if line.BytesBefore != int64(len(old.Data)) || line.BytesAfter != int64(len(fresh.Data)) {
			t.Errorf("%s: %d bytes became %d, the report says %d and %d", old.Name, len(old.Data), len(fresh.Data), line.BytesBefore, line.BytesAfter)
		}
		var squares, original, worst float64
		x, y := decode(t, old), decode(t, fresh)
		for j := range x {
			e := float64(y[j]) - float64(x[j])
			squares += e * e
			original += float64(x[j]) * float64(x[j])
			worst = max(worst, math.Abs(e))
		}
		want := Error{RMSE: math.Sqrt(squares / float64(len(x))), Relative: math.Sqrt(squares / original), Max: worst}
		if !near(line.Error.RMSE, want.RMSE) || !near(line.Error.Relative, want.Relative) || line.Error.Max != want.Max {
			t.Errorf("%s: error %+v, want %+v", old.Name, line.Error, want)
		}
		before, after = before+line.BytesBefore, after+line.BytesAfter
	}
	if report.BytesBefore != before || report.BytesAfter != after {
		t.Errorf("%d bytes became %d, the sums are %d and %d", report.BytesBefore, report.BytesAfter, before, after)
	}
	if _, err := json.Marshal(report); err != nil {
		t.Error(err)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

func decode(t *testing.T, x *tensor.Tensor) []float32 {
	t.Helper()
	all := make([]float32, 0, x.Elems())
	row := make([]float32, x.Cols())
	for i := range x.Rows() {
		if err := x.DecodeRow(row, i); err != nil {
			t.Fatal(err)
		}
		all = append(all, row...)
	}
	return all
}

// TestThreads: neither the bytes nor the report depend on how many work.
func TestThreads(t *testing.T) {
	f := open(t, testdata.Shared(t, "models/tinystories-656K-f32.gguf"))
	var file, lines []byte
	for _, threads := range []int{1, 2, 7} {
		path := filepath.Join(t.TempDir(), "out.gguf")
		report, err := Run(t.Context(), f, path, Options{Mixture: "Q5_1", Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		report.Target = ""
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if file != nil && (!bytes.Equal(file, got) || !bytes.Equal(lines, text)) {
			t.Errorf("%d threads made another file or report than fewer", threads)
		}
		file, lines = got, text
	}
}

func TestProgress(t *testing.T) {
	f := models["ragged"].synthetic(t, wave)
	var last, whole int64
	var names []string
	_, err := Run(t.Context(), f, filepath.Join(t.TempDir(), "out.gguf"), Options{Mixture: "Q4_K_M", Progress: func(done, total int64, name string) {
		if done <= last || done > total {
			t.Errorf("%s: %d after %d of %d", name, done, last, total)
		}
		last, whole = done, total
		names = append(names, name)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if last != whole || len(names) < len(f.Tensors()) {
		t.Errorf("the last progress is %d of %d after %d calls for %d tensors", last, whole, len(names), len(f.Tensors()))
	}
}

func TestRequantizedIsSaid(t *testing.T) {
	f := open(t, testdata.Shared(t, "models/stories260K-q8_0.gguf"))
	report, err := Run(t.Context(), f, filepath.Join(t.TempDir(), "out.gguf"), Options{Mixture: "Q4_0"})
	if err != nil {
		t.Fatal(err)
	}
	if report.Requantized == 0 || !strings.Contains(strings.Join(report.Notes(), "\n"), "were quantized before") {
		t.Errorf("%d tensors requantized, notes %q", report.Requantized, report.Notes())
	}
}

// TestNothingLeftBehind: whatever ends a run early, the folder is as it was.
func TestNothingLeftBehind(t *testing.T) {
	bad := func(name string, i int) float32 {
		if name == "blk.1.ffn_up.weight" && i == 2*256+5 {
			return float32(math.NaN())
		}
		return wave(name, i)
	}
	small := model{layers: 3, heads: 4, shared: 4, cols: 256}
	ctx, cancel := context.WithCancel(t.Context())
	for _, c := range []struct {
		name    string
		file    *gguf.File
		ctx     context.Context
		opts    Options
		want    string
		wantErr error
	}{
		{"cancelled", small.synthetic(t, wave), ctx, Options{Mixture: "Q4_K_M", Progress: func(done, total int64, _ string) {
			if done > total/2 {
				cancel()
			}
		}}, "", context.Canceled},
		{"not a number", small.synthetic(t, bad), t.Context(), Options{Mixture: "Q4_K_M"},
			`row 2: quant: Q4_K: weight 5 of the row is NaN, want a finite number`, nil},
		{"unknown mixture", small.synthetic(t, wave), t.Context(), Options{Mixture: "Q4"}, `requant: mixture "Q4" is unknown; known: F32, F16,`, nil},
	} {
		dir := t.TempDir()
		report, err := Run(c.ctx, c.file, filepath.Join(dir, "out.gguf"), c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) || c.wantErr != nil && !errors.Is(err, c.wantErr) {
			t.Errorf("%s: %v, want %s %v", c.name, err, c.want, c.wantErr)
		}
		if report.Tensors != nil {
			t.Errorf("%s: there is a report of %d tensors", c.name, len(report.Tensors))
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: left behind %v, %v", c.name, left, err)
		}
	}
}

func TestSourceIsNotTarget(t *testing.T) {
	f := models["ragged"].synthetic(t, wave)
	if _, err := Run(t.Context(), f, f.Path(), Options{Mixture: "Q8_0"}); err == nil || !strings.Contains(err.Error(), "is the file that is read") {
		t.Errorf("writing over the source: %v", err)
	}
}

// TestSourceCut: a source that is cut while it is read is an error, not the end of the process.
func TestSourceCut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not cut a mapped file")
	}
	for _, mixture := range []string{"Q8_0", "F32"} { // converted and copied
		f := model{layers: 6, heads: 4, shared: 4, cols: 4096}.synthetic(t, wave)
		dir := t.TempDir()
		cut := false
		_, err := Run(t.Context(), f, filepath.Join(dir, "out.gguf"), Options{Mixture: mixture, Progress: func(int64, int64, string) {
			if !cut {
				cut = true
				if err := os.Truncate(f.Path(), 8192); err != nil {
					t.Error(err)
				}
			}
		}})
		var fault *tensor.FaultError
		if !errors.As(err, &fault) && !errors.Is(err, gguf.ErrChanged) {
			t.Errorf("%s: %v, want a FaultError or ErrChanged", mixture, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: left behind %v, %v", mixture, left, err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	f, err := gguf.Open(testdata.Shared(b, "models/tinystories-656K-f32.gguf"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for _, mixture := range []string{"Q8_0", "Q4_0"} {
		b.Run(mixture, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "out.gguf")
			b.SetBytes(f.Size())
			for b.Loop() {
				if _, err := Run(context.Background(), f, path, Options{Mixture: mixture}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
