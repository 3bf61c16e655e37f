package models

import (
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/tensor"
)

// Runner computes batches with one model on one pool. It owns every buffer that a step needs; a step allocates
// nothing, except that the room for logits grows to the largest number of rows that was ever asked for. It is for one
// goroutine at a time.
type Runner struct {
	m        *Model
	pool     *kernels.Pool
	maxBatch int

	// All [maxBatch][...].
	x         tensor.Matrix // [Embed] the residual stream
	h         tensor.Matrix // [Embed] what is added to it, or its normalised form
	q, att    tensor.Matrix // [Heads*HeadDim]
	k, v      tensor.Matrix // [KVHeads*HeadDim]
	gate, up  tensor.Matrix // [FFN]
	cos, sin  tensor.Matrix // [Rope.Dim/2]
	picked    tensor.Matrix // [Embed] the rows the caller wants
	logits    tensor.Matrix // [Vocab], as many rows as were ever wanted
	input     *kernels.Input
	attention *kv.Attention

	// The step in progress.
	batch    *Batch
	spans    []kv.Span
	added    []int // tokens of each sequence in the batch
	index    int   // of the layer
	layer    *layer
	products []kernels.Product
	err      error // the first that a part of the step met

	// Method values made once: making one per step would allocate.
	embedRows, attnNormRows, rotateRows, ffnNormRows, finalRows func(worker, start, end int) // rows of the batch
	addAttnPart, swigluPart, addFFNPart                         func(worker, start, end int) // columns of all rows
}

// NewRunner makes the buffers for batches of at most maxBatch tokens, and for that many sequences. With activations in
// kernels.Float32 the model must not be packed.
func NewRunner(m *Model, pool *kernels.Pool, maxBatch int, form kernels.Activations) *Runner {
	c, n := m.cfg, maxBatch
	heads, kvHeads := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	r := &Runner{
		m: m, pool: pool, maxBatch: n,
		x: tensor.NewMatrix(n, c.Embed), h: tensor.NewMatrix(n, c.Embed), picked: tensor.NewMatrix(n, c.Embed),
		q: tensor.NewMatrix(n, heads), att: tensor.NewMatrix(n, heads),
		k: tensor.NewMatrix(n, kvHeads), v: tensor.NewMatrix(n, kvHeads),
		gate: tensor.NewMatrix(n, c.FFN), up: tensor.NewMatrix(n, c.FFN),
		cos: tensor.NewMatrix(n, c.Rope.Dim/2), sin: tensor.NewMatrix(n, c.Rope.Dim/2),
		logits:    tensor.Matrix{Cols: c.Vocab},
		input:     kernels.NewInput(n, widest(c), pool.Workers(), form),
		attention: kv.NewAttention(c.KV(kv.F16), c.Heads, pool.Workers()),
		spans:     make([]kv.Span, 0, n),
		added:     make([]int, n),
	}
	r.embedRows, r.finalRows = r.embedTokens, r.normFinal
	r.attnNormRows, r.rotateRows, r.addAttnPart = r.normAttention, r.rotate, r.addAttention
	r.ffnNormRows, r.swigluPart, r.addFFNPart = r.normFFN, r.swiglu, r.addFFN
	return r
}

// MaxBatch is the largest number of tokens in a batch.
func (r *Runner) MaxBatch() int { return r.maxBatch }

// widest is the longest row that meets a weight.
func widest(c Config) int { return max(c.Embed, c.FFN, c.Heads*c.HeadDim) }

// scratchBytes is what NewRunner allocates for int8 activations.
func scratchBytes(c Config, maxBatch, workers int) int64 {
	row := 3*c.Embed + 2*c.Heads*c.HeadDim + 2*c.KVHeads*c.HeadDim + 2*c.FFN + c.Rope.Dim
	return 4*int64(maxBatch)*int64(row) + kernels.InputBytes(maxBatch, widest(c), workers, kernels.Int8) +
		kv.AttentionBytes(c.KV(kv.F16), c.Heads, workers)
}

// each runs body over the rows of the batch, on the caller alone where they are too few to share.
func (r *Runner) each(rows int, body func(worker, start, end int)) {
	if r.err == nil {
		r.err = r.pool.Rows(rows, r.m.cfg.Embed, body)
	}
}

// product is a projection of the input, and where it goes.
type product struct {
	dst tensor.Matrix // [maxBatch][rows]
	by  *projection
}

// multiply computes products of one input; who reads them adds the bias. With then, their widths are the same, and
// then is called with every range of columns that all of them have.
func (r *Runner) multiply(then func(worker, start, end int), products ...product) {
	if r.err != nil {
		return
	}
	r.products = r.products[:0]
	for _, p := range products {
		r.products = append(r.products, kernels.Product{Dst: p.dst.Top(len(r.batch.Tokens)), Weight: p.by.weight})
	}
	r.err = kernels.MatMuls(r.pool, r.input, then, r.products...)
}

// addBias adds columns start to end-1 of a projection's bias, where it has one, to those of a row of its product.
func (p *projection) addBias(row []float32, start, end int) {
	if p.bias != nil {
		kernels.Add(row[start:end], p.bias[start:end])
	}
}
