package sample

import (
	"math/rand/v2"
	"testing"
)

// noise is [n] logits as a model gives them: a broad bell with a few tokens far ahead.
func noise(n int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	logits := make([]float32, n)
	for i := range logits {
		logits[i] = float32(r.NormFloat64() * 2)
	}
	for i := range min(20, n) {
		logits[r.IntN(n)] += float32(18 - i/2)
	}
	return logits
}

func BenchmarkSample(b *testing.B) {
	const vocab = 152_000
	with := func(change func(p *Params)) Params {
		p := Default()
		change(&p)
		return p
	}
	for _, c := range []struct {
		name string
		p    Params
	}{
		{"default", Default()},
		{"greedy", Greedy()},
		{"penalties", with(func(p *Params) { p.RepeatPenalty, p.DryMultiplier = 1.1, 0.8 })},
		{"no_top_k", with(func(p *Params) { p.TopK = 0 })},
		{"min_p_first", with(func(p *Params) { p.Samplers = []string{"min_p", "temperature"} })},
		{"top_k_1000", with(func(p *Params) { p.TopK = 1000 })},
		{"typical_first", with(func(p *Params) { p.TypicalP, p.Samplers = 0.9, []string{"typ_p", "temperature"} })},
		{"sigma_first", with(func(p *Params) { p.TopNSigma = 1 })},
		{"mirostat", with(func(p *Params) { p.Mirostat = 2 })},
		{"temperature_only", with(func(p *Params) { p.Samplers = []string{"temperature"} })},
	} {
		b.Run(c.name, func(b *testing.B) {
			logits := noise(vocab, 1)
			s, err := New(c.p, vocab)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				id, err := s.Sample(logits)
				if err != nil {
					b.Fatal(err)
				}
				s.Accept(id)
			}
		})
	}
}

func BenchmarkLogProbs(b *testing.B) {
	logits := noise(152_000, 1)
	for b.Loop() {
		if _, _, err := LogProbs(logits, 7, 20); err != nil {
			b.Fatal(err)
		}
	}
}
