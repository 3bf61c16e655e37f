package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/sched"
	"github.com/nrt-go/nrt/tensor"
)

// part is what a step computes of one answer.
type part struct {
	a      *answer
	tokens []int32
	draws  bool // the logits after the last token are wanted
}

// assemble turns a plan into parts: those who decode feed their latest token, the others a piece of their prompt.
func (e *Engine) assemble(plan *sched.Plan) {
	e.parts = e.parts[:0]
	for _, d := range plan.Decode {
		if d.Feed {
			a := e.answers[d.ID]
			e.parts = append(e.parts, part{a: a, tokens: []int32{a.next}, draws: true})
		}
	}
	for _, c := range plan.Prefill {
		a := e.answers[c.ID]
		e.parts = append(e.parts, part{a: a, tokens: a.prompt[c.From : c.From+c.Tokens], draws: c.Last})
	}
}

// computeParts runs the parts through the model and returns the logits of those that draw, in their order. Answers
// that cannot go on are told why and are no parts any more.
func (e *Engine) computeParts() tensor.Matrix {
	for len(e.parts) > 0 {
		e.fillBatch()
		logits, err := e.compute(context.Background(), func() (tensor.Matrix, error) {
			return e.runner.Forward(context.Background(), &e.batch)
		}, e.rewind)
		if err == nil {
			for _, p := range e.parts {
				p.a.kept.tokens = append(p.a.kept.tokens, p.tokens...)
			}
			return logits
		}
		e.abandon(err)
	}
	return tensor.Matrix{}
}

// abandon retires the one answer that an error is about, or all.
func (e *Engine) abandon(err error) {
	from, to := 0, len(e.parts)
	var nonFinite *models.NonFiniteError
	if errors.As(err, &nonFinite) {
		from, to = nonFinite.Seq, nonFinite.Seq+1
	}
	for _, p := range e.parts[from:to] {
		e.retire(p.a, err)
	}
	e.parts = slices.Delete(e.parts, from, to)
}

func (e *Engine) fillBatch() {
	e.batch.Seqs, e.batch.Tokens = e.batch.Seqs[:0], e.batch.Tokens[:0]
	for i, p := range e.parts {
		e.batch.Seqs = append(e.batch.Seqs, p.a.kept.seq)
		for j, id := range p.tokens {
			e.batch.Tokens = append(e.batch.Tokens, models.Token{ID: id, Pos: len(p.a.kept.tokens) + j, Seq: i,
				Logits: p.draws && j == len(p.tokens)-1})
		}
	}
}

// rewind takes back what a failed forward has begun.
func (e *Engine) rewind() {
	for _, p := range e.parts {
		p.a.kept.seq.Truncate(len(p.a.kept.tokens))
	}
}

// draw has every part that draws take its next token, and returns the answers that are complete with it.
func (e *Engine) draw(logits tensor.Matrix) (complete []*answer) {
	row := 0
	for _, p := range e.parts {
		if !p.draws {
			continue
		}
		if p.a.accept(e, logits.Row(row)) {
			complete = append(complete, p.a)
		}
		row++
	}
	return complete
}

// compute runs one forward. Where the KV budget is full, pages that nobody computes with make room; where the model's
// file or workers broke, the engine refuses all that follows.
func (e *Engine) compute(ctx context.Context, run func() (tensor.Matrix, error), rewind func()) (tensor.Matrix, error) {
	for {
		out, err := run()
		if err == nil {
			return out, nil
		}
		rewind()
		var full *kv.FullError
		if errors.As(err, &full) && e.makeRoom() {
			continue
		}
		return tensor.Matrix{}, e.classify(ctx, err)
	}
}

// makeRoom frees the pages of a kept conversation, or those that a waiting answer hoped to go on from; false when there
// are none.
func (e *Engine) makeRoom() bool {
	if e.prefixes.evict() {
		return true
	}
	for _, a := range e.answers {
		if a.started.IsZero() && a.kept != nil && e.sched.Cached(a.id, 0) == nil {
			a.kept.seq.Free()
			a.kept = nil
			return true
		}
	}
	return false
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
