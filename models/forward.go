package models

import (
	"context"
	"slices"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/tensor"
)

// Forward computes a batch and returns the logits [flagged tokens][Vocab] of the tokens whose Logits is set, in their
// order: a view that is valid until the next call. The batch's tokens become part of their sequences if and only if
// the error is nil. A sequence whose numbers are not finite gives a *NonFiniteError, weights that went away under the
// mapping a *tensor.FaultError, a full store a *kv.FullError; ctx is looked at between layers.
func (r *Runner) Forward(ctx context.Context, b *Batch) (tensor.Matrix, error) {
	return r.step(ctx, b, true)
}

// Hidden is Forward without the output matrix: it returns the hidden states [flagged tokens][Embed] after the final
// norm.
func (r *Runner) Hidden(ctx context.Context, b *Batch) (tensor.Matrix, error) {
	return r.step(ctx, b, false)
}

func (r *Runner) step(ctx context.Context, b *Batch, logits bool) (result tensor.Matrix, err error) {
	if err := r.check(b); err != nil {
		return tensor.Matrix{}, err
	}
	r.batch, r.err = b, nil
	err = tensor.Guard(func() error {
		if err := r.pass(ctx); err != nil {
			return err
		}
		result, err = r.results(logits)
		return err
	})
	r.batch, r.layer = nil, nil
	if err != nil {
		return tensor.Matrix{}, err
	}
	for i, seq := range b.Seqs {
		seq.Advance(r.added[i])
	}
	return result, nil
}

// pass takes the batch through all layers and leaves the residual stream in x.
func (r *Runner) pass(ctx context.Context) error {
	r.cutSpans()
	r.each(len(r.batch.Tokens), r.embedRows)
	for i := range r.m.w.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.index, r.layer = i, &r.m.w.layers[i]
		if i == len(r.m.w.layers)-1 && !r.anyWanted() {
			r.remember()
		} else {
			r.attend()
			r.feedForward()
		}
		if r.err != nil {
			return r.err
		}
	}
	return r.finite()
}

// cutSpans finds the runs of neighbours in the batch that are neighbours in a sequence too.
func (r *Runner) cutSpans() {
	r.spans = r.spans[:0]
	last := -1 // the sequence of the latest span
	for i, t := range r.batch.Tokens {
		if n := len(r.spans); t.Seq == last && r.spans[n-1].Rows < kv.SpanRows {
			r.spans[n-1].Rows++
			continue
		}
		last = t.Seq
		r.spans = append(r.spans, kv.Span{Seq: r.batch.Seqs[t.Seq], Row: i, Pos: t.Pos, Rows: 1})
	}
}

// anyWanted tells whether the caller reads what comes out of the last layer.
func (r *Runner) anyWanted() bool {
	return slices.ContainsFunc(r.batch.Tokens, func(t Token) bool { return t.Logits })
}

// remember is what is left of the last layer where nobody reads its result: later tokens want its keys and values.
func (r *Runner) remember() {
	n, l := len(r.batch.Tokens), r.layer
	r.each(n, r.attnNormRows)
	r.input.Set(r.h.Top(n))
	r.multiply(nil, product{r.k, &l.k}, product{r.v, &l.v})
	r.each(n, r.rotateRows)
}

// attend is the first half of a layer: x += out(attention(norm(x))).
func (r *Runner) attend() {
	n, l := len(r.batch.Tokens), r.layer
	r.each(n, r.attnNormRows)
	r.input.Set(r.h.Top(n))
	r.multiply(nil, product{r.q, &l.q}, product{r.k, &l.k}, product{r.v, &l.v})
	r.each(n, r.rotateRows)
	if r.err == nil {
		r.err = r.attention.Run(r.pool, r.index, r.att.Top(n), r.q.Top(n), r.spans)
	}
	r.input.Set(r.att.Top(n))
	r.multiply(r.addAttnPart, product{r.h, &l.out})
}

// feedForward is the second half: x += down(silu(gate(norm(x))) * up(norm(x))).
func (r *Runner) feedForward() {
	n, l := len(r.batch.Tokens), r.layer
	r.each(n, r.ffnNormRows)
	r.input.Set(r.h.Top(n))
	r.multiply(r.swigluPart, product{r.gate, &l.gate}, product{r.up, &l.up})
	r.input.Set(r.gate.Top(n))
	r.multiply(r.addFFNPart, product{r.h, &l.down})
}

// results norms the rows the caller wants and, for logits, multiplies them by the output matrix.
func (r *Runner) results(logits bool) (tensor.Matrix, error) {
	n := 0
	for i, t := range r.batch.Tokens {
		if t.Logits {
			copy(r.picked.Row(n), r.x.Row(i))
			n++
		}
	}
	picked := r.picked.Top(n)
	r.each(n, r.finalRows)
	if !logits || r.err != nil {
		return picked, r.err
	}
	if r.logits.Rows < n {
		r.logits = tensor.NewMatrix(n, r.logits.Cols)
	}
	r.input.Set(picked)
	out := r.logits.Top(n)
	if err := kernels.MatMul(r.pool, out, r.m.w.output, r.input); err != nil {
		return out, err
	}
	return out, r.finiteLogits(out)
}
