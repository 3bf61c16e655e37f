package models

import (
	"testing"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// TestPackingChangesNoBit compares the logits of a model with packed weights and of the same one without, on an odd
// number of rows, alone and in batches.
func TestPackingChangesNoBit(t *testing.T) {
	for _, f := range quant.Formats() {
		if f.Encode == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			m := tinies()["llama"]
			m.format, m.layers, m.vocab = f.Type, 1, 103
			path := m.write(t)
			ids := someIDs(40)
			want := run{load(t, path), 1, len(ids), 0}.logits(t, ids)

			pool := kernels.NewPool(2)
			defer pool.Close()
			var arena kernels.Arena
			defer arena.Free()
			packed := load(t, path)
			told := 0
			if err := packed.Pack(pool, &arena, func(*tensor.Tensor) { told++ }); err != nil {
				t.Fatal(err)
			}
			if want := packedWeights(packed); told != want {
				t.Errorf("%d weights were called packed, want %d", told, want)
			}
			for _, r := range []run{{packed, 1, 1, 0}, {packed, 2, 7, 2}, {packed, 3, 40, 0}} {
				got := r.logits(t, ids)
				if i := firstDifference(got, want); i >= 0 {
					t.Errorf("%d workers, chunks of %d: logit %d of token %d is %g, unpacked %g", r.workers, r.chunk, i%m.vocab, i/m.vocab, got[i], want[i])
				}
			}
		})
	}
}

// packedWeights counts the weights of products that are in panels.
func packedWeights(m *Model) (n int) {
	for _, w := range m.w.projections() {
		if (*w).Type&quant.Packed != 0 {
			n++
		}
	}
	return n
}
