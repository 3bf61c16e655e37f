package models

import (
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/quant"
)

// tiny is a model small enough to be written in a test: shapes, an architecture's differences, and a seed's weights.
type tiny struct {
	arch                       string
	format                     quant.Type
	neox, biases, headNorm     bool
	tied                       bool
	embed, heads, kvHeads, dim int
	ffn, layers, vocab         int
	base                       float64
	keys                       map[string]any // set, or with nil left out, after the usual ones
	freqs                      []float32      // rope_freqs.weight
	spoil                      map[string]any // tensors to leave out (nil), to reshape ([]int) or to fill (float32)
}

// tinies has one model for each row of the table, with rows of 256 so that every format fits.
func tinies() map[string]tiny {
	usual := tiny{embed: 256, heads: 4, kvHeads: 2, dim: 64, ffn: 256, layers: 2, vocab: 96, base: 10000, format: quant.F32}
	llama, qwen2, qwen3 := usual, usual, usual
	llama.arch, llama.tied = "llama", true
	qwen2.arch, qwen2.neox, qwen2.biases, qwen2.base = "qwen2", true, true, 1e6
	qwen3.arch, qwen3.neox, qwen3.headNorm, qwen3.dim = "qwen3", true, true, 128
	return map[string]tiny{"llama": llama, "qwen2": qwen2, "qwen3": qwen3}
}

// write makes the file. Its matrices have entries of about 1/sqrt(columns), so that activations stay near 1.
func (m tiny) write(t testing.TB) string {
	t.Helper()
	w := gguf.NewWriter()
	p := m.arch + "."
	keys := map[string]any{
		"general.architecture": m.arch, "general.name": "tiny " + m.arch,
		p + "block_count": uint32(m.layers), p + "context_length": uint32(1024), p + "embedding_length": uint32(m.embed),
		p + "feed_forward_length": uint32(m.ffn), p + "attention.head_count": uint32(m.heads),
		p + "attention.head_count_kv": uint32(m.kvHeads), p + "attention.key_length": uint32(m.dim),
		p + "attention.value_length": uint32(m.dim), p + "attention.layer_norm_rms_epsilon": float32(1e-5),
		p + "rope.freq_base": float32(m.base),
	}
	maps.Copy(keys, m.keys)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if keys[key] != nil {
			w.Set(key, keys[key])
		}
	}
	m.tensors(t, w)
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	if err := w.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func (m tiny) tensors(t testing.TB, w *gguf.Writer) {
	r := rand.New(rand.NewPCG(20, 26))
	matrix := func(name string, cols, rows int, gain float64) {
		m.add(t, w, name, m.format, []int{cols, rows}, 0, gain/math.Sqrt(float64(cols)), r)
	}
	vector := func(name string, n int, mean, spread float64) {
		m.add(t, w, name, quant.F32, []int{n}, mean, spread, r)
	}

	matrix("token_embd.weight", m.embed, m.vocab, 16)
	if !m.tied {
		matrix("output.weight", m.embed, m.vocab, 3)
	}
	vector("output_norm.weight", m.embed, 1, 0.1)
	if m.freqs != nil {
		w.AddTensor("rope_freqs.weight", quant.F32, []int{len(m.freqs)}, encoded(t, quant.F32, m.freqs))
	}
	for i := range m.layers {
		b := fmt.Sprintf("blk.%d.", i)
		vector(b+"attn_norm.weight", m.embed, 1, 0.1)
		vector(b+"ffn_norm.weight", m.embed, 1, 0.1)
		matrix(b+"attn_q.weight", m.embed, m.heads*m.dim, 1)
		matrix(b+"attn_k.weight", m.embed, m.kvHeads*m.dim, 1)
		matrix(b+"attn_v.weight", m.embed, m.kvHeads*m.dim, 1)
		matrix(b+"attn_output.weight", m.heads*m.dim, m.embed, 1)
		matrix(b+"ffn_gate.weight", m.embed, m.ffn, 1)
		matrix(b+"ffn_up.weight", m.embed, m.ffn, 1)
		matrix(b+"ffn_down.weight", m.ffn, m.embed, 1)
		if m.biases {
			vector(b+"attn_q.bias", m.heads*m.dim, 0, 0.5)
			vector(b+"attn_k.bias", m.kvHeads*m.dim, 0, 0.5)
			vector(b+"attn_v.bias", m.kvHeads*m.dim, 0, 0.5)
		}
		if m.headNorm {
			vector(b+"attn_q_norm.weight", m.dim, 1, 0.1)
			vector(b+"attn_k_norm.weight", m.dim, 1, 0.1)
		}
	}
}

// add writes a tensor of normal numbers, unless spoil says otherwise.
func (m tiny) add(t testing.TB, w *gguf.Writer, name string, format quant.Type, shape []int, mean, spread float64, r *rand.Rand) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(mean + spread*r.NormFloat64())
	}
	if change, ok := m.spoil[name]; ok {
		switch c := change.(type) {
		case nil:
			return
		case []int:
			shape = c
			x = x[:1]
			for _, d := range c {
				x = slices.Repeat(x, d)
			}
		case float32:
			x[n/2] = c
		}
	}
	w.AddTensor(name, format, shape, encoded(t, format, x))
}

func encoded(t testing.TB, format quant.Type, x []float32) func(io.Writer) error {
	t.Helper()
	f, err := quant.Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, f.RowBytes(len(x)))
	f.Encode(data, x)
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}
