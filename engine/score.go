package engine

import (
	"context"
	"math"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/tensor"
	"github.com/nrt-go/nrt/tokenizer"
)

// Pooling says how the hidden states of a text become one vector.
type Pooling string

// The poolings.
const (
	PoolMean Pooling = "mean" // the average over all tokens
	PoolLast Pooling = "last" // the last token's
	PoolCLS  Pooling = "cls"  // the first token's
)

// Score feeds tokens and hands over the logits after each: logits[v] scores v as the token at pos+1. The slice is
// valid during the call only. An error of each ends the run and is returned.
func (e *Engine) Score(ctx context.Context, tokens []int32, each func(pos int, logits []float32) error) error {
	return e.sweep(ctx, tokens, e.runnerForward, each)
}

// Embed is the pooled final hidden state of a text, scaled to length 1; [models.Config.Embed].
func (e *Engine) Embed(ctx context.Context, text string, pooling Pooling) ([]float32, error) {
	tokens := e.vocab.Encode(text, tokenizer.Options{AddSpecial: true})
	sum := make([]float32, e.model.Config().Embed)
	take, err := pooling.pick(len(tokens))
	if err != nil {
		return nil, err
	}
	err = e.sweep(ctx, tokens, e.runnerHidden, func(pos int, hidden []float32) error {
		if take(pos) {
			for i, v := range hidden {
				sum[i] += v
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return normalize(sum), nil
}

// pick says which of n positions count.
func (p Pooling) pick(n int) (func(pos int) bool, error) {
	switch p {
	case PoolMean, "":
		return func(int) bool { return true }, nil
	case PoolLast:
		return func(pos int) bool { return pos == n-1 }, nil
	case PoolCLS:
		return func(pos int) bool { return pos == 0 }, nil
	}
	return nil, chat.Errorf(chat.Invalid, "engine: pooling %q is unknown; there are mean, last and cls", p)
}

func normalize(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return v
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
	return v
}

func (e *Engine) runnerForward(ctx context.Context, b *models.Batch) (tensor.Matrix, error) {
	return e.runner.Forward(ctx, b)
}

func (e *Engine) runnerHidden(ctx context.Context, b *models.Batch) (tensor.Matrix, error) {
	return e.runner.Hidden(ctx, b)
}

// sweep runs all tokens through the model in a sequence of its own and hands over each row of what run computes.
func (e *Engine) sweep(ctx context.Context, tokens []int32, run func(context.Context, *models.Batch) (tensor.Matrix, error), each func(pos int, row []float32) error) error {
	if err := e.checkTokens(tokens, 0); err != nil {
		return err
	}
	if err := e.acquire(ctx); err != nil {
		return err
	}
	defer e.release()
	p := &prefix{seq: e.pages.NewSequence()}
	defer p.seq.Free()
	var b models.Batch
	for len(p.tokens) < len(tokens) {
		done := len(p.tokens)
		chunk := tokens[done:min(done+PrefillChunk, len(tokens))]
		b.Seqs, b.Tokens = append(b.Seqs[:0], p.seq), b.Tokens[:0]
		for i, id := range chunk {
			b.Tokens = append(b.Tokens, models.Token{ID: id, Pos: done + i, Logits: true})
		}
		rows, err := e.compute(ctx, func() (tensor.Matrix, error) { return run(ctx, &b) }, func() { p.seq.Truncate(done) })
		if err != nil {
			return err
		}
		p.tokens = append(p.tokens, chunk...)
		for i := range chunk {
			if err := each(done+i, rows.Row(i)); err != nil {
				return err
			}
		}
	}
	return nil
}
