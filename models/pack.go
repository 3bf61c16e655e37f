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
	weights := m.Weights()
	copies := make([]*tensor.Tensor, len(weights))
	for i, w := range weights {
		var err error
		if copies[i], err = kernels.Pack(pool, w, arena); err != nil {
			return err
		}
		if copies[i] != w {
			packed(w)
		}
	}
	m.SetWeights(copies)
	return nil
}

// Weights are the weights of matrix products, as they are now.
func (m *Model) Weights() []*tensor.Tensor {
	places := m.w.projections()
	weights := make([]*tensor.Tensor, len(places))
	for i, p := range places {
		weights[i] = *p
	}
	return weights
}

// SetWeights replaces the weights of matrix products, in the order of Weights, by others that mean the same numbers. To
// be called before the first Runner is made.
func (m *Model) SetWeights(weights []*tensor.Tensor) {
	for i, p := range m.w.projections() {
		*p = weights[i]
	}
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
