package models

import (
	"fmt"

	"github.com/nrt-go/nrt/kv"
)

// Token is one token of a batch.
type Token struct {
	ID     int32
	Pos    int  // its position, which is also the number of tokens before it in the sequence
	Seq    int  // index into Batch.Seqs
	Logits bool // whether the caller wants its row of the result
}

// Batch is what one step computes: any mix of prompt chunks and single decodes. The tokens of one sequence come in
// ascending order without gaps, from the first position the sequence does not hold yet; they need not be neighbours,
// but the pages of neighbours are loaded once for all of them.
type Batch struct {
	Tokens []Token
	Seqs   []*kv.Sequence
}

// NonFiniteError says that a sequence's numbers overflowed or were never numbers. Nothing of the batch was kept: the
// caller gives up that sequence and may compute the others again.
type NonFiniteError struct {
	Seq int // index into Batch.Seqs
	Pos int
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("models: sequence %d gave numbers that are not finite at position %d", e.Seq, e.Pos)
}

// check holds a batch against the model and the runner, reserves pages, and counts each sequence's tokens into r.added.
func (r *Runner) check(b *Batch) error {
	if n := len(b.Tokens); n == 0 || n > r.maxBatch {
		return fmt.Errorf("models: found a batch of %d tokens, want 1 to %d", n, r.maxBatch)
	}
	if n := len(b.Seqs); n > r.maxBatch {
		return fmt.Errorf("models: found a batch of %d sequences, want at most %d", n, r.maxBatch)
	}
	clear(r.added)
	for i, t := range b.Tokens {
		if err := r.checkToken(b, t); err != nil {
			return fmt.Errorf("models: token %d of the batch: %w", i, err)
		}
		r.added[t.Seq]++
	}
	for i, seq := range b.Seqs {
		if err := r.checkSequence(b, i); err != nil {
			return fmt.Errorf("models: sequence %d of the batch: %w", i, err)
		}
		if err := seq.Reserve(r.added[i]); err != nil {
			return fmt.Errorf("models: sequence %d of the batch: %w", i, err)
		}
	}
	return nil
}

func (r *Runner) checkToken(b *Batch, t Token) error {
	switch c := r.m.cfg; {
	case t.Seq < 0 || t.Seq >= len(b.Seqs):
		return fmt.Errorf("found sequence %d, want 0 to %d", t.Seq, len(b.Seqs)-1)
	case b.Seqs[t.Seq] == nil:
		return fmt.Errorf("found no sequence at index %d", t.Seq)
	case t.ID < 0 || int(t.ID) >= c.Vocab:
		return fmt.Errorf("found id %d, want 0 to %d", t.ID, c.Vocab-1)
	case t.Pos >= c.Context:
		return fmt.Errorf("found position %d, want less than the context of %d", t.Pos, c.Context)
	case t.Pos != b.Seqs[t.Seq].Len()+r.added[t.Seq]:
		return fmt.Errorf("found position %d, want %d, the next of sequence %d", t.Pos, b.Seqs[t.Seq].Len()+r.added[t.Seq], t.Seq)
	}
	return nil
}

func (r *Runner) checkSequence(b *Batch, i int) error {
	seq := b.Seqs[i]
	if seq == nil {
		return fmt.Errorf("found none")
	}
	want := r.m.cfg.KV(kv.F16)
	if got := seq.Shape(); got.Layers != want.Layers || got.Heads != want.Heads || got.Dim != want.Dim {
		return fmt.Errorf("found pages of %d layers of %d heads of %d, want %d, %d, %d", got.Layers, got.Heads, got.Dim,
			want.Layers, want.Heads, want.Dim)
	}
	for _, other := range b.Seqs[:i] {
		if other == seq {
			return fmt.Errorf("found the same sequence twice")
		}
	}
	return nil
}
