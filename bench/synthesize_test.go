package bench

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/requant"
	"github.com/nrt-go/nrt/tokenizer"
)

// tiny is a shape small enough for a test; its rows fill blocks of 32 and of 256.
var tiny = Shape{Name: "tiny", Arch: "llama", Layers: 3, Context: 256, Embed: 256, FFN: 512, Heads: 4, KVHeads: 2, Vocab: 300,
	Base: 10000, Eps: 1e-5, Factors: true}

func synthesize(t *testing.T, s Shape, mixture string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.gguf")
	var last, all int64
	err := Synthesize(t.Context(), s, mixture, path, func(done, total int64) { last, all = done, total })
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || last == 0 || last > all || all > info.Size() {
		t.Errorf("progress ended at %d of %d bytes: %v", last, all, err)
	}
	return path
}

func TestSynthesizedModelsRun(t *testing.T) {
	for _, mixture := range requant.Mixtures() {
		t.Run(mixture, func(t *testing.T) {
			m, err := OpenModel(synthesize(t, tiny, mixture), kernels.Int8)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			}()
			if _, err := tokenizer.FromGGUF(m.file); err != nil {
				t.Error(err)
			}
			// Numbers that are not finite would be an error.
			r, err := m.Measure(t.Context(), Test{Prompt: 20, Gen: 4, Parallel: 1, Threads: 1, Batch: 16}, Run{Reps: 1, Clock: (&fakeClock{tick: time.Second}).now})
			if err != nil || r.AvgTS != 24 {
				t.Errorf("%v t/s, %v", r.AvgTS, err)
			}
		})
	}
}

func TestSynthesizeIsRepeatable(t *testing.T) {
	var files [2][]byte
	for i := range files {
		var err error
		if files[i], err = os.ReadFile(synthesize(t, tiny, "Q4_K_M")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the same arguments gave two files")
	}
}

// Formats are those that requant gives a model of the full size.
func TestSynthesizedFormats(t *testing.T) {
	f, err := gguf.Open(synthesize(t, tiny, "Q4_K_M"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, want := range map[string]quant.Type{
		"token_embd.weight": quant.Q4_K, "output.weight": quant.Q6_K, "blk.0.attn_norm.weight": quant.F32, "rope_freqs.weight": quant.F32,
	} {
		if tensor, err := f.Tensor(name); err != nil || tensor.Type != want {
			t.Errorf("%v, %v, want %s", tensor, err, want)
		}
	}
	choices, err := requant.Plan(f, "Q4_K_M")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range choices {
		if c.From != c.To {
			t.Errorf("%s is %s, and requant would make it %s", c.Name, c.From, c.To)
		}
	}
}

// Every shape of the table is one that models accepts, and has about the weights that its name says.
func TestShapes(t *testing.T) {
	sizes := map[string]float64{"tinyllama-1.1b": 1.1e9, "smollm2-135m": 134.5e6, "qwen2.5-0.5b": 494e6, "llama-3.2-1b": 1.236e9}
	for _, name := range ShapeNames() {
		s, err := FindShape(strings.ToUpper(name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := s.writeSample(path); err != nil {
			t.Fatal(err)
		}
		f, err := gguf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := models.ReadConfig(f); err != nil {
			t.Error(err)
		}
		f.Close()
		var weights float64
		for _, m := range s.tensors() {
			weights += float64(m.cols) * float64(max(m.rows, 1))
		}
		if math.Abs(weights/sizes[name]-1) > 0.005 {
			t.Errorf("%s has %.0f weights, want %.0f", name, weights, sizes[name])
		}
	}
	if _, err := FindShape("gpt-9"); err == nil || !strings.Contains(err.Error(), "tinyllama-1.1b") {
		t.Errorf("unknown shape: %v", err)
	}
}

func TestSynthesizeLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.gguf")
	if err := Synthesize(t.Context(), tiny, "Q9", path, func(int64, int64) {}); err == nil {
		t.Error("mixture Q9 was accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := Synthesize(ctx, tiny, "Q8_0", path, func(int64, int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
