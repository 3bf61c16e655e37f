package models

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
)

func TestBatchesThatAreRefused(t *testing.T) {
	m := load(t, tinies()["llama"].write(t))
	pool := kernels.NewPool(1)
	defer pool.Close()
	r := NewRunner(m, pool, 4, kernels.Int8)
	store := newStore(t, m, kv.F16)
	seq, other := store.NewSequence(), store.NewSequence()
	shape := m.Config().KV(kv.F16)
	shape.Layers++
	strange, err := kv.NewStore(shape, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	seqs := []*kv.Sequence{seq, other}
	for _, c := range []struct {
		name, want string
		batch      Batch
	}{
		{"empty", "models: found a batch of 0 tokens, want 1 to 4", Batch{}},
		{"large", "models: found a batch of 5 tokens, want 1 to 4", Batch{make([]Token, 5), seqs}},
		{"id", "models: token 0 of the batch: found id 96, want 0 to 95", Batch{[]Token{{ID: 96}}, seqs}},
		{"negative id", "found id -1, want 0 to 95", Batch{[]Token{{ID: -1}}, seqs}},
		{"gap", "models: token 1 of the batch: found position 2, want 1, the next of sequence 0", Batch{[]Token{{}, {Pos: 2}}, seqs}},
		{"context", "found position 1024, want less than the context of 1024", Batch{[]Token{{Pos: 1024}}, seqs}},
		{"negative position", "found position -1, want 0", Batch{[]Token{{Pos: -1}}, seqs}},
		{"sequence", "found sequence 2, want 0 to 1", Batch{[]Token{{Seq: 2}}, seqs}},
		{"nil sequence", "found no sequence at index 0", Batch{[]Token{{}}, []*kv.Sequence{nil}}},
		{"twice", "models: sequence 1 of the batch: found the same sequence twice", Batch{[]Token{{}}, []*kv.Sequence{seq, seq}}},
		{"shape", "found pages of 3 layers of 2 heads of 64, want 2, 2, 64", Batch{[]Token{{}}, []*kv.Sequence{strange.NewSequence()}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := r.Forward(context.Background(), &c.batch); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Forward: %v, want %s", err, c.want)
			}
		})
	}
	if seq.Len() != 0 || other.Len() != 0 {
		t.Errorf("refused batches left %d and %d positions", seq.Len(), other.Len())
	}
}

func TestACancelledStepLeavesTheSequence(t *testing.T) {
	s := newSession(t, load(t, tinies()["llama"].write(t)), kv.F16, 2, 8)
	want := append([]float32(nil), s.feed(someIDs(3))...)
	s.seq.Truncate(0)
	s.feed(someIDs(2))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := &Batch{Seqs: []*kv.Sequence{s.seq}, Tokens: []Token{{ID: 1, Pos: 2}}}
	if _, err := s.runner.Forward(ctx, b); !errors.Is(err, context.Canceled) {
		t.Errorf("Forward: %v, want context.Canceled", err)
	}
	if i := firstDifference(s.feed(someIDs(3)[2:]), want); i >= 0 {
		t.Errorf("logit %d differs after a cancelled step", i)
	}
}

func TestAFullStoreIsAnError(t *testing.T) {
	m := load(t, tinies()["llama"].write(t))
	store, err := kv.NewStore(m.Config().KV(kv.F16), m.Config().KV(kv.F16).PageBytes())
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t, m, kv.F16, 1, 64)
	s.seq = store.NewSequence()
	s.feed(someIDs(64))
	_, err = s.runner.Forward(context.Background(), &Batch{Seqs: []*kv.Sequence{s.seq}, Tokens: []Token{{Pos: 64}}})
	var full *kv.FullError
	if !errors.As(err, &full) {
		t.Errorf("Forward: %v, want a *kv.FullError", err)
	}
}

// A NaN or an infinity among the weights shows as soon as a token meets it, and names the sequence.
func TestNumbersThatAreNotFinite(t *testing.T) {
	for _, name := range []string{"token_embd.weight", "output.weight", "blk.1.ffn_down.weight", "blk.0.attn_k.weight"} {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			m := tinies()["qwen3"]
			m.spoil = map[string]any{name: float32(bad)} // in row vocab/2 of the embedding
			s := newSession(t, load(t, m.write(t)), kv.F16, 2, 8)
			other := newStore(t, s.runner.m, kv.F16).NewSequence()
			b := &Batch{Seqs: []*kv.Sequence{other, s.seq}, Tokens: []Token{{ID: int32(m.vocab / 2), Seq: 1, Logits: true}}}
			_, err := s.runner.Forward(context.Background(), b)
			var e *NonFiniteError
			if !errors.As(err, &e) || *e != (NonFiniteError{Seq: 1, Pos: 0}) {
				t.Errorf("%s with %g: %v, want a *NonFiniteError of sequence 1", name, bad, err)
			}
			if s.seq.Len() != 0 {
				t.Errorf("%s with %g: the sequence kept %d positions", name, bad, s.seq.Len())
			}
		}
	}
}
