package models

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/tensor"
)

type golden struct {
	Cases []struct {
		Prompt    string    `json:"prompt"`
		PromptIDs []int32   `json:"prompt_ids"`
		GreedyIDs []int32   `json:"greedy_ids"`
		Logits    []float64 `json:"logits_after_prompt"`
	} `json:"cases"`
}

func TestGreedyTokensOfRealModels(t *testing.T) {
	for _, name := range []string{"stories260K-f32", "tinystories-656K-f32"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(testdata.Shared(t, "golden/"+name+".golden.json"))
			if err != nil {
				t.Fatal(err)
			}
			var g golden
			if err := json.Unmarshal(text, &g); err != nil {
				t.Fatal(err)
			}
			m := load(t, testdata.Shared(t, "models/"+name+".gguf"))
			for _, c := range g.Cases {
				s := newSession(t, m, kv.F32, 2, 64)
				logits := s.feed(c.PromptIDs)
				closeTo(t, logits, c.Logits, 1e-3)
				for i, want := range c.GreedyIDs {
					got := argmax(logits)
					if got != want {
						t.Fatalf("%q: token %d is %d, want %d", c.Prompt, i, got, want)
					}
					logits = s.feed([]int32{got})
				}
			}
		})
	}
}

// closeTo holds logits to a tolerance relative to the largest of them.
func closeTo(t *testing.T, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d logits, want %d", len(got), len(want))
	}
	var largest, worst float64
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		worst = max(worst, math.Abs(float64(got[i])-w))
	}
	if !(worst <= tolerance*largest) {
		t.Errorf("logits are off by %g of the largest, want at most %g", worst/largest, tolerance)
	}
}

func load(t testing.TB, path string) *Model {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	m, err := Load(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// session is one sequence of a model with a runner of its own.
type session struct {
	t      testing.TB
	runner *Runner
	seq    *kv.Sequence
	chunk  int
}

func newSession(t testing.TB, m *Model, elem kv.Elem, workers, chunk int) *session {
	t.Helper()
	pool := kernels.NewPool(workers)
	t.Cleanup(pool.Close)
	return &session{t: t, runner: NewRunner(m, pool, chunk, kernels.Int8), seq: newStore(t, m, elem).NewSequence(), chunk: chunk}
}

func newStore(t testing.TB, m *Model, elem kv.Elem) *kv.Store {
	t.Helper()
	store, err := kv.NewStore(m.Config().KV(elem), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// feed appends ids in chunks and returns the last one's logits.
func (s *session) feed(ids []int32) []float32 {
	s.t.Helper()
	var out tensor.Matrix
	for len(ids) > 0 {
		n := min(s.chunk, len(ids))
		b := &Batch{Seqs: []*kv.Sequence{s.seq}}
		for i, id := range ids[:n] {
			b.Tokens = append(b.Tokens, Token{ID: id, Pos: s.seq.Len() + i, Logits: i == n-1})
		}
		var err error
		if out, err = s.runner.Forward(context.Background(), b); err != nil {
			s.t.Fatal(err)
		}
		ids = ids[n:]
	}
	return out.Row(0)
}

func argmax(x []float32) int32 {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return int32(best)
}
