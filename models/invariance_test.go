package models

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/quant"
)

// TestLogitsDoNotDependOnTheBatch computes one sequence in chunks of every size, on one to eight workers, alone and
// among others, and wants the same bits every time.
func TestLogitsDoNotDependOnTheBatch(t *testing.T) {
	for name, format := range map[string]quant.Type{"llama": quant.Q4_K, "qwen2": quant.Q8_0, "qwen3": quant.F16} {
		m := tinies()[name]
		m.format, m.layers, m.dim = format, 1, 64
		t.Run(name, func(t *testing.T) {
			model := load(t, m.write(t))
			ids := someIDs(270) // over a tile of attention and several pages
			want := run{model, 1, len(ids), 0}.logits(t, ids)
			for _, r := range []run{
				{model, 1, 1, 2}, {model, 1, 3, 0}, {model, 1, 16, 2}, {model, 1, 64, 0},
				{model, 2, 1, 0}, {model, 2, 3, 2}, {model, 2, 16, 0}, {model, 2, 64, 2},
				{model, 3, 3, 0}, {model, 3, 16, 2}, {model, 3, 64, 0}, {model, 3, 64, 2},
				{model, 8, 1, 7}, {model, 8, 3, 0}, {model, 8, 64, 2}, {model, 8, 100, 0},
			} {
				got := r.logits(t, ids)
				if i := firstDifference(got, want); i >= 0 {
					t.Errorf("%d workers, chunks of %d, %d others: logit %d of token %d is %g, alone and in one piece %g",
						r.workers, r.chunk, r.others, i%m.vocab, i/m.vocab, got[i], want[i])
				}
			}
		})
	}
}

// run is a way to compute a sequence.
type run struct {
	model                  *Model
	workers, chunk, others int
}

// logits are those of all ids, one after the other. The other sequences see ids of their own in the same batches,
// before the sequence's tokens and after them.
func (r run) logits(t *testing.T, ids []int32) []float32 {
	t.Helper()
	return r.logitsIn(t, ids, kernels.Int8)
}

// logitsIn is logits with activations in that form.
func (r run) logitsIn(t *testing.T, ids []int32, form kernels.Activations) []float32 {
	t.Helper()
	pool := kernels.NewPool(r.workers)
	defer pool.Close()
	runner := NewRunner(r.model, pool, r.chunk+r.others, form)
	store := newStore(t, r.model, kv.F16)
	seqs := []*kv.Sequence{store.NewSequence()}
	for range r.others {
		seqs = append(seqs, store.NewSequence())
	}
	var all []float32
	for at := 0; at < len(ids); at += r.chunk {
		b := &Batch{Seqs: seqs}
		for other := 1; other <= r.others; other++ {
			if other == 2 {
				b.Tokens = append(b.Tokens, own(ids, at, r.chunk)...)
			}
			b.Tokens = append(b.Tokens, Token{ID: ids[(at+other)%len(ids)], Pos: seqs[other].Len(), Seq: other})
		}
		if r.others == 0 {
			b.Tokens = own(ids, at, r.chunk)
		}
		out, err := runner.Forward(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, out.Data...)
	}
	return all
}

// own is the next chunk of sequence 0.
func own(ids []int32, at, chunk int) []Token {
	var tokens []Token
	for i := at; i < min(at+chunk, len(ids)); i++ {
		tokens = append(tokens, Token{ID: ids[i], Pos: i, Logits: true})
	}
	return tokens
}

func firstDifference(a, b []float32) int {
	if len(a) != len(b) {
		panic(fmt.Sprintf("%d logits against %d", len(a), len(b)))
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// TestUnwantedLogits computes a prompt of which nobody reads anything but the end, in which the last layer is cut short,
// and wants the bits of the one that is read throughout, then and later.
func TestUnwantedLogits(t *testing.T) {
	for name, m := range tinies() {
		model := load(t, m.write(t))
		ids := someIDs(40)
		var want []float32
		for _, read := range []bool{true, false} {
			s := newSession(t, model, kv.F16, 2, 16)
			var got []float32
			for at := 0; at < len(ids); at += 8 {
				b := &Batch{Seqs: []*kv.Sequence{s.seq}, Tokens: own(ids, at, 8)}
				for i := range b.Tokens {
					b.Tokens[i].Logits = read || at >= 16 && i == 7
				}
				out, err := s.runner.Forward(context.Background(), b)
				if err != nil {
					t.Fatal(err)
				}
				if at >= 16 {
					got = append(got, out.Row(out.Rows-1)...)
				}
			}
			if read {
				want = got
			} else if i := firstDifference(got, want); i >= 0 {
				t.Errorf("%s: logit %d differs where the prompt's were not wanted", name, i)
			}
		}
	}
}

// TestTruncateRewinds computes a continuation, rewinds, computes another, and comes back to the first.
func TestTruncateRewinds(t *testing.T) {
	s := newSession(t, load(t, tinies()["llama"].write(t)), kv.F16, 2, 64)
	ids := someIDs(100)
	s.feed(ids[:70])
	want := slices.Clone(s.feed(ids[70:]))
	s.seq.Truncate(70)
	s.feed(ids[:40])
	s.seq.Truncate(63)
	s.feed(ids[63:70])
	if i := firstDifference(s.feed(ids[70:]), want); i >= 0 {
		t.Errorf("logit %d differs after rewinding", i)
	}
}
