package requant

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"testing"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/quant"
)

// model describes a model of tiny matrices: all that choices depend on, and weights that are never run.
type model struct {
	layers, heads, shared, experts int
	cols                           int // of every matrix
	tied                           bool
}

var models = map[string]model{
	"dense":   {layers: 16, heads: 4, shared: 4, cols: 256},
	"grouped": {layers: 22, heads: 8, shared: 2, cols: 256, tied: true},
	"moe":     {layers: 9, heads: 8, shared: 4, experts: 8, cols: 256},
	"seventy": {layers: 80, heads: 8, shared: 2, cols: 256},
	"ragged":  {layers: 5, heads: 8, shared: 2, cols: 96},
	"odd":     {layers: 5, heads: 4, shared: 4, cols: 40, tied: true},
}

// synthetic writes the model as F32; weight gives the i-th weight of a tensor.
func (m model) synthetic(t *testing.T, weight func(name string, i int) float32) *gguf.File {
	t.Helper()
	w := gguf.NewWriter()
	w.Set("general.architecture", "llama")
	w.Set("general.name", "synthetic")
	w.Set("llama.block_count", uint32(m.layers))
	w.Set("llama.attention.head_count", uint32(m.heads))
	w.Set("llama.attention.head_count_kv", uint32(m.shared))
	if m.experts > 0 {
		w.Set("llama.expert_count", uint32(m.experts))
	}
	w.Set("tokenizer.ggml.tokens", []string{"a", "b"})
	w.Set("split.no", uint16(0))
	w.Set("split.count", uint16(1))
	add := func(name string, shape ...int) {
		w.AddTensor(name, quant.F32, shape, func(dst io.Writer) error {
			n := 1
			for _, d := range shape {
				n *= d
			}
			row := make([]byte, 4*n)
			for i := range n {
				binary.LittleEndian.PutUint32(row[4*i:], math.Float32bits(weight(name, i)))
			}
			_, err := dst.Write(row)
			return err
		})
	}
	add("token_embd.weight", m.cols, 8)
	if !m.tied {
		add("output.weight", m.cols, 8)
	}
	add("output_norm.weight", m.cols)
	for i := range m.layers {
		m.addLayer(add, fmt.Sprintf("blk.%d.", i))
	}
	path := filepath.Join(t.TempDir(), "model.gguf")
	if err := w.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func (m model) addLayer(add func(name string, shape ...int), prefix string) {
	add(prefix+"attn_norm.weight", m.cols)
	add(prefix+"ffn_norm.weight", m.cols)
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		add(prefix+name+".weight", m.cols, 4)
	}
	for _, name := range []string{"ffn_gate", "ffn_up", "ffn_down"} {
		if m.experts > 0 {
			add(prefix+name+"_exps.weight", m.cols, 4, m.experts)
		} else {
			add(prefix+name+".weight", m.cols, 4)
		}
	}
	if m.experts > 0 {
		add(prefix+"ffn_gate_inp.weight", m.cols, m.experts)
	}
}

func open(t *testing.T, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// wave is a weight between −1 and 1.
func wave(name string, i int) float32 { return float32(math.Sin(float64(len(name)*7919 + i*i%1009))) }
