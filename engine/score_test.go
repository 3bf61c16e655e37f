package engine

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/nrt-go/nrt/chat"
)

// TestScore holds teacher-forced logits against what decoding chose.
func TestScore(t *testing.T) {
	e := open(t, "stories260K-f32.gguf", Config{})
	a := answerOf(t, e, greedy("Once upon a time", 80))
	tokens := append(slices.Clone(a.PromptTokens), a.Tokens...)
	seen := 0
	err := e.Score(context.Background(), tokens, func(pos int, logits []float32) error {
		if pos != seen {
			t.Fatalf("position %d, want %d", pos, seen)
		}
		seen++
		if next := pos + 1 - len(a.PromptTokens); next >= 0 && next < len(a.Tokens) {
			if best := int32(slices.Index(logits, slices.Max(logits))); best != a.Tokens[next] {
				t.Errorf("position %d: best is %d, decoded %d", pos, best, a.Tokens[next])
			}
		}
		return nil
	})
	if err != nil || seen != len(tokens) {
		t.Errorf("%d of %d positions, %v", seen, len(tokens), err)
	}
}

func TestEmbed(t *testing.T) {
	e := open(t, "tinystories-656K-f32.gguf", Config{})
	embed := func(text string, p Pooling) []float32 {
		v, err := e.Embed(context.Background(), text, p)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	cos := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	for _, p := range []Pooling{PoolMean, PoolLast, PoolCLS, ""} {
		v := embed("The dog ran to the park.", p)
		if len(v) != e.ModelConfig().Embed || math.Abs(cos(v, v)-1) > 1e-5 {
			t.Errorf("%q: %d numbers of length %g, want %d of length 1", p, len(v), math.Sqrt(cos(v, v)), e.ModelConfig().Embed)
		}
	}
	dog, puppy, sum := embed("The dog ran in the park.", PoolMean), embed("The dog ran to the park.", PoolMean), embed("Sally ate a red apple with her mom", PoolMean)
	if cos(dog, puppy) <= cos(dog, sum) {
		t.Errorf("texts alike: %g, texts unlike: %g", cos(dog, puppy), cos(dog, sum))
	}
	if _, err := e.Embed(context.Background(), "x", "max"); codeOf(err) != chat.Invalid {
		t.Errorf("an unknown pooling: %v", err)
	}
}
