package models

import (
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/tensor"
)

// Pack copies the weights of matrix products into the order in which the instruction set in use reads them fastest;
// logits stay the same bits. The embedding stays as it is too, since its rows are looked up; where it is the output
// matrix as well, that is a copy of its own. To be called before the first Runner is made; arena must stay as long as
// the model is used. packed is told of each weight that was copied and is no longer read in its file's order. After an
// error the model is as it was.
func (m *Model) Pack(pool *kernels.Pool, arena *kernels.Arena, packed func(*tensor.Tensor)) error {
	weights := m.w.projections()
	copies := make([]*tensor.Tensor, len(weights))
	for i, w := range weights {
		var err error
		if copies[i], err = kernels.Pack(pool, *w, arena); err != nil {
			return err
		}
		if copies[i] != *w {
			packed(*w)
		}
	}
	for i, w := range weights {
		*w = copies[i]
	}
	return nil
}

// projections are the places of all weights that meet activations in a matrix product.
func (w *weights) projections() []**tensor.Tensor {
	all := []**tensor.Tensor{&w.output}
	for i := range w.layers {
		l := &w.layers[i]
		for _, p := range []*projection{&l.q, &l.k, &l.v, &l.out, &l.gate, &l.up, &l.down} {
			all = append(all, &p.weight)
		}
	}
	return all
}
