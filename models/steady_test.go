package models

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/tensor"
)

// decoding is sequences of a model that decode together.
type decoding struct {
	t      *testing.T
	runner *Runner
	batch  Batch
}

// newDecoding gives every sequence the same few tokens and room for many more.
func newDecoding(t *testing.T, m *Model, elem kv.Elem, workers, sequences int) *decoding {
	pool := kernels.NewPool(workers)
	t.Cleanup(pool.Close)
	d := &decoding{t: t, runner: NewRunner(m, pool, sequences, kernels.Int8)}
	store := newStore(t, m, elem)
	for i := range sequences {
		seq := store.NewSequence()
		if err := seq.Reserve(100); err != nil {
			t.Fatal(err)
		}
		d.batch.Seqs = append(d.batch.Seqs, seq)
		d.batch.Tokens = append(d.batch.Tokens, Token{ID: int32(5 + i), Seq: i, Logits: true})
	}
	return d
}

// step appends a token to every sequence.
func (d *decoding) step() []float32 {
	for i := range d.batch.Tokens {
		d.batch.Tokens[i].Pos = d.batch.Seqs[i].Len()
	}
	out, err := d.runner.Forward(context.Background(), &d.batch)
	if err != nil {
		d.t.Fatal(err)
	}
	return out.Data
}

func TestAStepAllocatesNothing(t *testing.T) {
	for name, m := range tinies() {
		m.layers = 1
		model := load(t, m.write(t))
		pack(t, model)
		for _, elem := range []kv.Elem{kv.F16, kv.F32, kv.Q8_0} {
			for _, workers := range []int{1, 2} {
				for _, sequences := range []int{1, 8} {
					t.Run(fmt.Sprintf("%s/%s/%d workers/%d sequences", name, elem, workers, sequences), func(t *testing.T) {
						d := newDecoding(t, model, elem, workers, sequences)
						if n := testing.AllocsPerRun(4, func() { d.step() }); n != 0 {
							t.Errorf("a decode step allocates %g times", n)
						}
					})
				}
			}
		}
	}
}

// pack brings a model's weights into panels where the instruction set in use has kernels for them.
func pack(t *testing.T, m *Model) {
	t.Helper()
	pool := kernels.NewPool(1)
	defer pool.Close()
	arena := new(kernels.Arena)
	t.Cleanup(func() {
		if err := arena.Free(); err != nil {
			t.Error(err)
		}
	})
	if err := m.Pack(pool, arena, func(*tensor.Tensor) {}); err != nil {
		t.Fatal(err)
	}
}

// TestCollectionDuringSteps decodes for as long as it takes the garbage collector to stop all workers several times:
// a worker that it cannot stop would hold both of them up for good.
func TestCollectionDuringSteps(t *testing.T) {
	model := load(t, tinies()["llama"].write(t))
	pack(t, model)
	d := newDecoding(t, model, kv.F16, 2, 8)
	want := slices.Clone(d.step())
	const collections = 5
	var done atomic.Int32
	go func() {
		for range collections {
			runtime.GC()
			done.Add(1)
		}
	}()
	for done.Load() < collections {
		for _, seq := range d.batch.Seqs {
			seq.Truncate(0)
		}
		if i := firstDifference(d.step(), want); i >= 0 {
			t.Fatalf("logit %d differs while memory is collected", i)
		}
	}
}
