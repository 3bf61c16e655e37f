package engine

import (
	"context"
	"errors"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/tensor"
)

// forward computes tokens behind what p holds. With last it returns the logits after the last of them, a view that
// the next forward overwrites. After an error p is as before.
func (e *Engine) forward(ctx context.Context, b *models.Batch, p *prefix, tokens []int32, last bool) ([]float32, error) {
	want := -1
	if last {
		want = len(tokens) - 1
	}
	fillBatch(b, p, tokens, func(i int) bool { return i == want })
	out, err := e.compute(ctx, p, func() (tensor.Matrix, error) { return e.runner.Forward(ctx, b) })
	if err != nil {
		return nil, err
	}
	p.tokens = append(p.tokens, tokens...)
	if !last {
		return nil, nil
	}
	return out.Row(0), nil
}

// fillBatch makes b the next tokens of one sequence.
func fillBatch(b *models.Batch, p *prefix, tokens []int32, logits func(i int) bool) {
	b.Seqs = append(b.Seqs[:0], p.seq)
	b.Tokens = b.Tokens[:0]
	for i, id := range tokens {
		b.Tokens = append(b.Tokens, models.Token{ID: id, Pos: len(p.tokens) + i, Logits: logits(i)})
	}
}

// compute runs one forward. Where the KV budget is full, kept conversations make room; where the model's file or
// workers broke, the engine refuses all that follows.
func (e *Engine) compute(ctx context.Context, p *prefix, run func() (tensor.Matrix, error)) (tensor.Matrix, error) {
	for {
		out, err := run()
		if err == nil {
			return out, nil
		}
		p.seq.Truncate(len(p.tokens))
		var full *kv.FullError
		if errors.As(err, &full) && e.prefixes.evict() {
			continue
		}
		return tensor.Matrix{}, e.classify(ctx, err)
	}
}

// classify gives an error of the model layers its place in the vocabulary of chat.
func (e *Engine) classify(ctx context.Context, err error) error {
	var fault *tensor.FaultError
	var nonFinite *models.NonFiniteError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &fault):
		e.failed = chat.Errorf(chat.ModelFailed, "engine: %s: %w", e.file.Path(), err)
		return e.failed
	case errors.As(err, &nonFinite):
		return chat.Errorf(chat.NonFinite, "engine: %w", err)
	}
	return chat.Errorf(chat.ModelFailed, "engine: %w", err)
}
