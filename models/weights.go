package models

import (
	"fmt"
	"math"

	"github.com/nrt-go/nrt/tensor"
)

const embedding = "token_embd.weight"

// weights is a model's tensors by what they are for. Shapes are [columns, rows].
type weights struct {
	embed  *tensor.Tensor // [Embed, Vocab]
	output *tensor.Tensor // [Embed, Vocab]; embed itself where the file has no other
	norm   []float32      // [Embed]
	layers []layer

	bytes, params int64
}

// projection is a matrix and, where the model has one, what is added to the product.
type projection struct {
	weight *tensor.Tensor
	bias   []float32 // [rows] or nil
}

type layer struct {
	attnNorm, ffnNorm []float32  // [Embed]
	q                 projection // [Embed, Heads*HeadDim]
	k, v              projection // [Embed, KVHeads*HeadDim]
	out               projection // [Heads*HeadDim, Embed]
	qNorm, kNorm      []float32  // [HeadDim], or nil
	gate, up          projection // [Embed, FFN]
	down              projection // [FFN, Embed]
}

// bind finds every tensor of the model and checks its shape.
func (r *reader) bind(c Config) *weights {
	w := &weights{layers: make([]layer, c.Layers)}
	w.embed = r.matrix(embedding, c.Embed, c.Vocab)
	w.output = w.embed
	if _, err := r.f.Tensor("output.weight"); err == nil {
		w.output = r.matrix("output.weight", c.Embed, c.Vocab)
	}
	w.norm = r.vector("output_norm.weight", c.Embed)
	for i := range w.layers {
		w.layers[i] = r.layer(c, i)
	}
	for _, t := range r.f.Tensors() {
		w.bytes += int64(len(t.Data))
		w.params += int64(t.Elems())
	}
	return w
}

func (r *reader) layer(c Config, i int) layer {
	name := func(part string) string { return fmt.Sprintf("blk.%d.%s", i, part) }
	project := func(part string, cols, rows int, biased bool) projection {
		p := projection{weight: r.matrix(name(part+".weight"), cols, rows)}
		_, err := r.f.Tensor(name(part + ".bias"))
		if biased || c.arch.optionalBias && err == nil {
			p.bias = r.vector(name(part+".bias"), rows)
		}
		return p
	}
	heads, kvHeads := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	l := layer{
		attnNorm: r.vector(name("attn_norm.weight"), c.Embed),
		q:        project("attn_q", c.Embed, heads, c.arch.qkvBias),
		k:        project("attn_k", c.Embed, kvHeads, c.arch.qkvBias),
		v:        project("attn_v", c.Embed, kvHeads, c.arch.qkvBias),
		out:      project("attn_output", heads, c.Embed, false),
		ffnNorm:  r.vector(name("ffn_norm.weight"), c.Embed),
		gate:     project("ffn_gate", c.Embed, c.FFN, false),
		up:       project("ffn_up", c.Embed, c.FFN, false),
		down:     project("ffn_down", c.FFN, c.Embed, false),
	}
	if c.arch.headNorm {
		l.qNorm = r.vector(name("attn_q_norm.weight"), c.HeadDim)
		l.kNorm = r.vector(name("attn_k_norm.weight"), c.HeadDim)
	}
	return l
}

// matrix is a tensor of that shape, or a problem and nil.
func (r *reader) matrix(name string, cols, rows int) *tensor.Tensor {
	t, err := r.f.Tensor(name)
	if err != nil {
		r.problem(err)
		return nil
	}
	if len(t.Shape) != 2 || t.Shape[0] != cols || t.Shape[1] != rows {
		r.problemf("tensor %q has shape %v, want [%d %d]", name, t.Shape, cols, rows)
		return nil
	}
	return t
}

// vector decodes a tensor of n finite numbers, or is a problem and nil.
func (r *reader) vector(name string, n int) []float32 {
	t, err := r.f.Tensor(name)
	if err != nil {
		r.problem(err)
		return nil
	}
	if t.Elems() != n || t.Cols() != n {
		r.problemf("tensor %q has shape %v, want [%d]", name, t.Shape, n)
		return nil
	}
	x := make([]float32, n)
	if err := t.DecodeRow(x, 0); err != nil {
		r.problem(err)
		return nil
	}
	for i, v := range x {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			r.problemf("tensor %q holds %g at %d, want finite numbers", name, v, i)
			return nil
		}
	}
	return x
}
