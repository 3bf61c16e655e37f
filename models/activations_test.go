package models

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/requant"
	"github.com/nrt-go/nrt/tensor"
)

// TestFloat32ActivationsMeetTheWeightsThemselves wants of every format, with float32 activations, the bits of the same
// model with its weights written as float32: there is no other rounding. It wants them alone, in batches and on several
// workers.
func TestFloat32ActivationsMeetTheWeightsThemselves(t *testing.T) {
	for _, f := range quant.Formats() {
		if f.Encode == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			m := tinies()["llama"]
			m.format, m.layers, m.vocab = f.Type, 1, 103
			path := m.write(t)
			ids := someIDs(40)
			want := run{load(t, float32Copy(t, path)), 1, len(ids), 0}.logits(t, ids)
			model := load(t, path)
			for _, r := range []run{{model, 1, 40, 0}, {model, 1, 1, 0}, {model, 2, 7, 2}, {model, 3, 40, 0}} {
				got := r.logitsIn(t, ids, kernels.Float32)
				if i := firstDifference(got, want); i >= 0 {
					t.Errorf("%d workers, chunks of %d: logit %d of token %d is %g, of the float32 copy %g",
						r.workers, r.chunk, i%m.vocab, i/m.vocab, got[i], want[i])
				}
			}
		})
	}
}

// float32Copy writes the model at path with all weights in float32.
func float32Copy(t *testing.T, path string) string {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := filepath.Join(t.TempDir(), "f32.gguf")
	if _, err := requant.Run(context.Background(), f, out, requant.Options{Mixture: "F32"}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFloat32ActivationsRefusePanels says that weights packed for int8 activations are refused by name.
func TestFloat32ActivationsRefusePanels(t *testing.T) {
	m := tinies()["llama"]
	m.format = quant.Q4_0
	model := load(t, m.write(t))
	pool := kernels.NewPool(1)
	defer pool.Close()
	var arena kernels.Arena
	defer arena.Free()
	if err := model.Pack(pool, &arena, func(*tensor.Tensor) {}); err != nil {
		t.Fatal(err)
	}
	if packedWeights(model) == 0 {
		t.Skip("the instruction set in use packs no weights")
	}
	runner := NewRunner(model, pool, 1, kernels.Float32)
	b := &Batch{Seqs: []*kv.Sequence{newStore(t, model, kv.F32).NewSequence()}, Tokens: []Token{{ID: 1}}}
	if _, err := runner.Forward(context.Background(), b); err == nil {
		t.Error("weights in panels met float32 activations")
	}
}
