package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// table is a Scorer whose logits depend on the last token only: row[id] is what it says after token id.
type table [][]float32

func (t table) Score(ctx context.Context, tokens []int32, each func(int, []float32) error) error {
	for pos, id := range tokens {
		if err := ctx.Err(); err != nil {
			return err
		}
		if id < 0 || int(id) >= len(t) {
			return fmt.Errorf("bench: token %d, want less than %d", id, len(t))
		}
		if err := each(pos, t[id]); err != nil {
			return err
		}
	}
	return nil
}

// logs are the logits of a distribution given by its probabilities.
func logs(shift float64, p ...float64) []float32 {
	row := make([]float32, len(p))
	for i := range p {
		row[i] = float32(math.Log(p[i]) + shift) // the shift must not matter: a softmax forgets it
	}
	return row
}

var (
	sure  = table{logs(3, 0.5, 0.25, 0.25), logs(-7, 0.25, 0.5, 0.25), logs(0, 0.125, 0.125, 0.75)}
	vague = table{logs(0, 0.4, 0.4, 0.2), logs(50, 0.2, 0.4, 0.4), logs(0, 0.25, 0.25, 0.5)}
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.9g, want %.9g ± %g", what, got, want, tolerance)
	}
}

func TestWindows(t *testing.T) {
	tests := []struct {
		name   string
		tokens []int32
		size   int
		bos    int32
		want   [][]int32
	}{
		{"the rest is left out", []int32{1, 2, 3, 4, 5, 6, 7}, 3, -1, [][]int32{{1, 2, 3}, {4, 5, 6}}},
		{"exact", []int32{1, 2, 3, 4}, 2, -1, [][]int32{{1, 2}, {3, 4}}},
		{"a short text is one window", []int32{1, 2, 3}, 512, -1, [][]int32{{1, 2, 3}}},
		{"the start token replaces", []int32{1, 2, 3, 4}, 2, 0, [][]int32{{0, 2}, {0, 4}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := append([]int32(nil), tt.tokens...)
			got, err := Windows(tt.tokens, tt.size, tt.bos)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(tt.want) {
				t.Fatalf("got %v, want %v", got, tt.want)
			}
			for i := range got {
				if !equal(got[i], tt.want[i]) {
					t.Errorf("window %d is %v, want %v", i, got[i], tt.want[i])
				}
			}
			if !equal(tt.tokens, before) {
				t.Errorf("the caller's tokens became %v, were %v", tt.tokens, before)
			}
		})
	}
	for _, bad := range []struct {
		tokens []int32
		size   int
	}{{nil, 8}, {[]int32{1}, 8}, {[]int32{1, 2, 3}, 1}, {[]int32{1, 2, 3}, maxWindow + 1}} {
		if got, err := Windows(bad.tokens, bad.size, -1); err == nil {
			t.Errorf("Windows(%v, %d) = %v, want an error", bad.tokens, bad.size, got)
		}
	}
}

func equal(a, b []int32) bool { return bytes.Equal(appendTokens(nil, a), appendTokens(nil, b)) }

func TestPerplexityCountsTheSecondHalf(t *testing.T) {
	// Of four tokens only the prediction after position 2 counts, of five those after 2 and 3.
	windows := [][]int32{{0, 1, 2, 2}, {2, 2, 0, 0, 1}}
	var heard [][2]int
	got, err := Perplexity(t.Context(), sure, windows, func(done, total int) { heard = append(heard, [2]int{done, total}) })
	if err != nil {
		t.Fatal(err)
	}
	nll := []float64{-math.Log(0.75), -math.Log(0.5), -math.Log(0.25)}
	mean := (nll[0] + nll[1] + nll[2]) / 3
	variance := 0.0
	for _, x := range nll {
		variance += (x - mean) * (x - mean) / 2
	}
	if got.Positions != 3 {
		t.Errorf("%d positions count, want 3", got.Positions)
	}
	near(t, "NLL", got.NLL, mean, 1e-6)
	near(t, "its standard error", got.StdErr, math.Sqrt(variance/3), 1e-6)
	near(t, "perplexity", got.Perplexity(), math.Pow(0.75*0.5*0.25, -1.0/3), 1e-6)
	near(t, "its standard error", got.PerplexityErr(), got.Perplexity()*got.StdErr, 0)
	if last := heard[len(heard)-1]; last != [2]int{9, 9} {
		t.Errorf("the last progress was %v, want 9 of 9", last)
	}
	for i := 1; i < len(heard); i++ {
		if heard[i][0] < heard[i-1][0] || heard[i][1] != 9 {
			t.Errorf("progress went from %v to %v", heard[i-1], heard[i])
		}
	}
}

func TestPerplexityRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name   string
		scorer Scorer
		window []int32
		want   string
	}{
		{"nothing counts", sure, []int32{0, 1}, "no position"},
		{"one token", sure, []int32{0}, "window 0 has 1 tokens"},
		{"target outside", sure, []int32{0, 1, 2, 3}, "token 3 of the text is outside the vocabulary of 3"},
		{"negative target", sure, []int32{0, 1, 2, -1}, "token -1 of the text is outside"},
		{"NaN", table{{0, nan}}, []int32{0, 0, 0}, "window 0, position 1: bench: the logit of token 1 is NaN"},
		{"infinity", table{{inf, 0}}, []int32{0, 0, 0}, "logit of token 0 is +Inf"},
		{"no token possible", table{{-inf, -inf}}, []int32{0, 0, 0}, "none of 2 logits"},
		{"the true token impossible", table{{0, -inf}}, []int32{0, 0, 1}, "rules out token 1"},
		{"positions out of order", skips{}, []int32{0, 0, 0}, "gave position 1, want 0"},
		{"too few positions", silent{}, []int32{0, 0, 0}, "gave 0 positions of a window, want 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, err := Perplexity(t.Context(), tt.scorer, [][]int32{tt.window}, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v; want an error with %q", q, err, tt.want)
			}
		})
	}
}

type skips struct{}

func (skips) Score(_ context.Context, _ []int32, each func(int, []float32) error) error {
	return each(1, []float32{0})
}

type silent struct{}

func (silent) Score(context.Context, []int32, func(int, []float32) error) error { return nil }

func TestPerplexityStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Perplexity(ctx, sure, [][]int32{{0, 1, 2, 2}}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
