package models

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/quant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// someIDs are n tokens of a tiny model's vocabulary.
func someIDs(n int) []int32 {
	r := rand.New(rand.NewPCG(3, 4))
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(r.IntN(96))
	}
	return ids
}

// agree runs a tiny model against its reference over a few tokens.
func agree(t *testing.T, m tiny, stretch func(*reference), tolerance float64) {
	t.Helper()
	path := m.write(t)
	ref := newReference(t, m, path)
	if stretch != nil {
		stretch(ref)
	}
	s := newSession(t, load(t, path), kv.F32, 2, 8)
	for _, id := range someIDs(12) {
		_, want := ref.next(id)
		closeTo(t, s.feed([]int32{id}), want, tolerance)
	}
}

func TestEveryArchitectureAgainstFloat64(t *testing.T) {
	all := tinies()
	for _, name := range Architectures() {
		m, ok := all[name]
		if !ok {
			t.Errorf("architecture %s has no golden model", name)
			continue
		}
		t.Run(name, func(t *testing.T) { agree(t, m, nil, 2e-5) })
	}
}

func TestEveryFormatAgainstFloat64(t *testing.T) {
	for _, f := range quant.Formats() {
		if f.Encode == nil {
			continue
		}
		m := tinies()["llama"]
		m.format, m.layers = f.Type, 1
		tolerance := 3e-2 // 8-bit activations
		switch f.Type {
		case quant.F32, quant.F16, quant.BF16:
			tolerance = 2e-5
		}
		t.Run(f.Name, func(t *testing.T) { agree(t, m, nil, tolerance) })
	}
}

func TestLlamaBiases(t *testing.T) {
	m := tinies()["llama"]
	m.biases = true
	agree(t, m, nil, 2e-5)
}

func TestRopeFrequencyDivisors(t *testing.T) {
	m := tinies()["llama"]
	for i := range 32 {
		m.freqs = append(m.freqs, 1+float32(i)/4)
	}
	agree(t, m, nil, 2e-5)
}

func TestLinearRopeScaling(t *testing.T) {
	for _, keys := range []map[string]any{
		{"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": float32(4)},
		{"llama.rope.scale_linear": float32(4)},
	} {
		m := tinies()["llama"]
		m.keys = keys
		agree(t, m, func(ref *reference) {
			for i := range ref.freq {
				ref.freq[i] /= 4
			}
		}, 2e-5)
	}
}

// The expected frequencies follow the published YaRN code: dimensions that turn more than 32 times within the original
// context stay, those that turn less than once are divided by the factor, and between them the share goes linearly.
func TestYaRN(t *testing.T) {
	m := tinies()["qwen2"]
	m.keys = map[string]any{
		"qwen2.rope.scaling.type": "yarn", "qwen2.rope.scaling.factor": float32(4),
		"qwen2.rope.scaling.original_context_length": uint32(256),
	}
	agree(t, m, func(ref *reference) {
		dimOf := func(turns float64) float64 {
			return 64 * math.Log(256/(turns*2*math.Pi)) / (2 * math.Log(1e6))
		}
		low, high := math.Floor(dimOf(32)), math.Ceil(dimOf(1))
		for i, freq := range ref.freq {
			share := math.Min(1, math.Max(0, (float64(i)-low)/(high-low)))
			ref.freq[i] = freq/4*share + freq*(1-share)
		}
		ref.magnitude = 0.1*math.Log(4) + 1
	}, 2e-5)
}

func TestHiddenStates(t *testing.T) {
	m := tinies()["qwen3"]
	path := m.write(t)
	ref := newReference(t, m, path)
	s := newSession(t, load(t, path), kv.F32, 1, 8)
	b := &Batch{Seqs: []*kv.Sequence{s.seq}}
	var want [][]float64
	for i, id := range someIDs(5) {
		b.Tokens = append(b.Tokens, Token{ID: id, Pos: i, Logits: i != 2})
		if hidden, _ := ref.next(id); i != 2 {
			want = append(want, hidden)
		}
	}
	out, err := s.runner.Hidden(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	if out.Rows != 4 || out.Cols != m.embed {
		t.Fatalf("hidden states %d x %d, want 4 x %d", out.Rows, out.Cols, m.embed)
	}
	for i, w := range want {
		closeTo(t, out.Row(i), w, 2e-5)
	}
}
