package kv

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"go.uber.org/goleak"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var small = Shape{Layers: 2, Heads: 3, Dim: 4, PageTokens: 8, Elem: F32}

func newStore(t *testing.T, shape Shape, pages int64) *Store {
	t.Helper()
	s, err := NewStore(shape, pages*shape.PageBytes())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantStats(t *testing.T, s *Store, made, inUse int) {
	t.Helper()
	if got := s.Stats(); got.Made != made || got.InUse != inUse {
		t.Errorf("stats %+v, want %d made and %d in use", got, made, inUse)
	}
}

func TestPagesAreMadeWhenNeededAndReused(t *testing.T) {
	s := newStore(t, small, 4)
	a, b := s.NewSequence(), s.NewSequence()
	wantStats(t, s, 0, 0)
	for _, step := range []struct{ reserve, advance, pages int }{{0, 0, 0}, {1, 1, 1}, {7, 7, 1}, {1, 1, 2}, {15, 2, 3}} {
		if err := a.Reserve(step.reserve); err != nil {
			t.Fatal(err)
		}
		a.Advance(step.advance)
		if a.Pages() != step.pages {
			t.Errorf("after %+v: %d pages", step, a.Pages())
		}
	}
	wantStats(t, s, 3, 3)

	err := b.Reserve(9)
	var full *FullError
	if !errors.As(err, &full) || *full != (FullError{Needed: 2, Left: 1, Limit: 4, Tokens: 8}) {
		t.Errorf("Reserve beyond the budget: %v", err)
	}
	wantStats(t, s, 3, 3) // all or nothing

	a.Truncate(8)
	wantStats(t, s, 3, 1)
	if err := b.Reserve(9); err != nil {
		t.Fatal(err)
	}
	wantStats(t, s, 3, 3)
	a.Free()
	a.Free()
	b.Free()
	wantStats(t, s, 3, 0)
}

func TestFreedPagesAreZero(t *testing.T) {
	for elem := range elems {
		shape := small
		shape.Elem = Elem(elem)
		s := newStore(t, shape, 1)
		a := s.NewSequence()
		if err := a.Reserve(1); err != nil {
			t.Fatal(err)
		}
		k := make([]float32, 12)
		for i := range k {
			k[i] = 7
		}
		a.Put(1, 0, k, k)
		a.Free()
		b := s.NewSequence()
		if err := b.Reserve(8); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(b.pages[0], newPage(s.shape)) {
			t.Errorf("%s: a freed page still holds something", shape.Elem)
		}
	}
}

func TestStoreRefusesWhatCannotHoldAPage(t *testing.T) {
	if _, err := NewStore(small, small.PageBytes()-1); err == nil {
		t.Error("a budget below one page was accepted")
	}
	if _, err := NewStore(Shape{Layers: 1, Heads: 0, Dim: 4}, 1<<20); err == nil {
		t.Error("zero heads were accepted")
	}
	if _, err := NewStore(Shape{Layers: 1, Heads: 1, Dim: 4, PageTokens: 48}, 1<<20); err == nil {
		t.Error("pages that do not fill a tile were accepted")
	}
	if got, want := (Shape{Layers: 2, Heads: 3, Dim: 4}).PageBytes(), int64(64*2*2*3*4*2); got != want {
		t.Errorf("PageBytes() = %d, want %d", got, want)
	}
}

func TestAdvanceAndTruncateHoldTheirInvariants(t *testing.T) {
	q := newStore(t, small, 1).NewSequence()
	for name, f := range map[string]func(){
		"advance beyond the reservation": func() { q.Advance(1) },
		"truncate beyond the length":     func() { q.Truncate(1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			f()
		})
	}
}

// fill stores n random positions and returns them, [n][Heads*Dim] each.
func fill(t *testing.T, q *Sequence, seed uint64, n int) (keys, values tensor.Matrix) {
	t.Helper()
	if err := q.Reserve(n); err != nil {
		t.Fatal(err)
	}
	width := q.Shape().Heads * q.Shape().Dim
	keys, values = tensor.NewMatrix(n, width), tensor.NewMatrix(n, width)
	randomise(keys, seed)
	randomise(values, seed+1)
	for pos := range n {
		for layer := range q.Shape().Layers {
			q.Put(layer, pos, keys.Row(pos), values.Row(pos))
		}
	}
	q.Advance(n)
	return keys, values
}

func randomise(m tensor.Matrix, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 7))
	for i := range m.Data {
		m.Data[i] = float32(r.NormFloat64())
	}
}

func TestAttentionAgainstFloat64(t *testing.T) {
	const heads, length = 6, 300 // over a tile's border, with pages of 8 that cross it evenly
	for elem, tolerance := range map[Elem]float64{F16: 2e-3, F32: 1e-6, Q8_0: 2e-2} {
		shape := small
		shape.Elem = elem
		seq := newStore(t, shape, 100).NewSequence()
		keys, values := fill(t, seq, 1, length)
		pool := kernels.NewPool(2)
		defer pool.Close()
		q, dst := tensor.NewMatrix(5, heads*shape.Dim), tensor.NewMatrix(5, heads*shape.Dim)
		randomise(q, 9)
		spans := []Span{{Seq: seq, Row: 0, Pos: 254, Rows: 4}, {Seq: seq, Row: 4, Pos: 0, Rows: 1}}
		if err := NewAttention(shape, heads, 2).Run(pool, 1, dst, q, spans); err != nil {
			t.Fatal(err)
		}
		for row, pos := range []int{254, 255, 256, 257, 0} {
			for head := range heads {
				want := reference(q.Row(row), keys, values, head, heads/shape.Heads, shape.Dim, pos)
				for d, w := range want {
					if got := dst.Row(row)[head*shape.Dim+d]; math.Abs(float64(got)-w) > tolerance {
						t.Fatalf("%s row %d head %d: %g, want %g", elem, row, head, got, w)
					}
				}
			}
		}
	}
}

// reference is one head's attention in float64.
func reference(q []float32, keys, values tensor.Matrix, head, group, dim, pos int) []float64 {
	out, total := make([]float64, dim), 0.0
	for j := 0; j <= pos; j++ {
		var s float64
		for d := range dim {
			s += float64(q[head*dim+d]) * float64(keys.Row(j)[head/group*dim+d])
		}
		p := math.Exp(s / math.Sqrt(float64(dim)))
		total += p
		for d := range dim {
			out[d] += p * float64(values.Row(j)[head/group*dim+d])
		}
	}
	for d := range out {
		out[d] /= total
	}
	return out
}

// TestTilesSharedOut decodes at the end of long contexts with workers enough to share out tiles, and wants the bits that
// one worker computes.
func TestTilesSharedOut(t *testing.T) {
	const heads = 6
	a, b := newStore(t, small, 200).NewSequence(), newStore(t, small, 200).NewSequence()
	fill(t, a, 1, 700)
	fill(t, b, 3, 257)
	q := tensor.NewMatrix(5, heads*small.Dim)
	randomise(q, 9)
	spans := []Span{{Seq: a, Row: 0, Pos: 699, Rows: 1}, {Seq: b, Row: 1, Pos: 253, Rows: 4}}
	run := func(workers int) tensor.Matrix {
		pool := kernels.NewPool(workers)
		defer pool.Close()
		dst, attention := tensor.NewMatrix(5, heads*small.Dim), NewAttention(small, heads, workers)
		if err := attention.Run(pool, 1, dst, q, spans); err != nil {
			t.Fatal(err)
		}
		if shared := len(attention.parts) > 0; shared != (workers > 1) {
			t.Errorf("%d workers: tiles shared out: %v", workers, shared)
		}
		return dst
	}
	want := run(1)
	for _, workers := range []int{2, 5} {
		for i, v := range run(workers).Data {
			if v != want.Data[i] {
				t.Fatalf("%d workers: element %d is %g, with one worker %g", workers, i, v, want.Data[i])
			}
		}
	}
}
