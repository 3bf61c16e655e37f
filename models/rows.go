package models

import (
	"math"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/tensor"
)

// The parts of a step between matrix products, on any worker: on rows start to end-1 of the batch, or on columns start
// to end-1 of all rows where a product is followed up while it is in the caches.

// embedTokens starts the residual stream and the angles of each token's position.
func (r *Runner) embedTokens(_, start, end int) {
	rope := &r.m.cfg.Rope
	for i := start; i < end; i++ {
		t := r.batch.Tokens[i]
		if err := r.m.w.embed.DecodeRow(r.x.Row(i), int(t.ID)); err != nil {
			panic(err) // Load has decoded tensors of this format or refused them
		}
		kernels.Angles(r.cos.Row(i), r.sin.Row(i), t.Pos, rope.freq, rope.Magnitude)
	}
}

func (r *Runner) normAttention(_, start, end int) { r.norm(r.h, r.x, r.layer.attnNorm, start, end) }

func (r *Runner) normFFN(_, start, end int) { r.norm(r.h, r.x, r.layer.ffnNorm, start, end) }

func (r *Runner) normFinal(_, start, end int) { r.norm(r.picked, r.picked, r.m.w.norm, start, end) }

func (r *Runner) norm(dst, x tensor.Matrix, weight []float32, start, end int) {
	for i := start; i < end; i++ {
		kernels.RMSNorm(dst.Row(i), x.Row(i), weight, r.m.cfg.NormEps)
	}
}

// rotate finishes queries and keys and stores keys and values.
func (r *Runner) rotate(_, start, end int) {
	l := r.layer
	for i := start; i < end; i++ {
		q, k, v := r.q.Row(i), r.k.Row(i), r.v.Row(i)
		l.q.addBias(q, 0, len(q))
		l.k.addBias(k, 0, len(k))
		l.v.addBias(v, 0, len(v))
		r.turn(i, q, l.qNorm)
		r.turn(i, k, l.kNorm)
		t := r.batch.Tokens[i]
		r.batch.Seqs[t.Seq].Put(r.index, t.Pos, k, v)
	}
}

// turn norms, where the model does that, and rotates every head of a row.
func (r *Runner) turn(i int, row, norm []float32) {
	c := &r.m.cfg
	for at := 0; at < len(row); at += c.HeadDim {
		head := row[at : at+c.HeadDim]
		if norm != nil {
			kernels.RMSNorm(head, head, norm, c.NormEps)
		}
		kernels.RoPE(head, r.cos.Row(i), r.sin.Row(i), c.arch.neox)
	}
}

// swiglu turns columns start to end-1 of gate into silu(gate) * up.
func (r *Runner) swiglu(_, start, end int) {
	for i := range r.batch.Tokens {
		gate, up := r.gate.Row(i), r.up.Row(i)
		r.layer.gate.addBias(gate, start, end)
		r.layer.up.addBias(up, start, end)
		kernels.SwiGLU(gate[start:end], up[start:end])
	}
}

func (r *Runner) addAttention(_, start, end int) { r.add(&r.layer.out, start, end) }

func (r *Runner) addFFN(_, start, end int) { r.add(&r.layer.down, start, end) }

// add puts columns start to end-1 of a projection's result in h onto the residual stream.
func (r *Runner) add(p *projection, start, end int) {
	for i := range r.batch.Tokens {
		p.addBias(r.h.Row(i), start, end)
		kernels.Add(r.x.Row(i)[start:end], r.h.Row(i)[start:end])
	}
}

// finite looks for NaNs and infinities in the residual stream, and in the last keys and values, which may not have been
// read yet: they would spread through the sequence's pages.
func (r *Runner) finite() error {
	for i, t := range r.batch.Tokens {
		if !allFinite(r.x.Row(i)) || !allFinite(r.k.Row(i)) || !allFinite(r.v.Row(i)) {
			return &NonFiniteError{Seq: t.Seq, Pos: t.Pos}
		}
	}
	return nil
}

func (r *Runner) finiteLogits(logits tensor.Matrix) error {
	n := 0
	for _, t := range r.batch.Tokens {
		if !t.Logits {
			continue
		}
		if !allFinite(logits.Row(n)) {
			return &NonFiniteError{Seq: t.Seq, Pos: t.Pos}
		}
		n++
	}
	return nil
}

func allFinite(x []float32) bool {
	for _, v := range x {
		if math.Float32bits(v)&0x7f800000 == 0x7f800000 {
			return false
		}
	}
	return true
}
