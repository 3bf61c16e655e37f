package sample

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// alone is every sampler off, for a test to turn one on.
func alone() Params {
	p := Greedy()
	p.Temperature = 1
	return p
}

func newSampler(t testing.TB, p Params, vocab int, history ...int32) *Sampler {
	t.Helper()
	s, err := New(p, vocab)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range history {
		s.Accept(id)
	}
	return s
}

// distribution is token -> probability after a chain.
func distribution(t testing.TB, p Params, logits []float32, history ...int32) map[int32]float64 {
	t.Helper()
	probs, err := newSampler(t, p, len(logits), history...).Distribution(logits)
	if err != nil {
		t.Fatal(err)
	}
	m := map[int32]float64{}
	for _, q := range probs {
		m[q.ID] = q.P
	}
	return m
}

func logits(probs ...float64) []float32 {
	out := make([]float32, len(probs))
	for i, p := range probs {
		out[i] = float32(math.Log(p))
	}
	return out
}

func sameDistribution(t testing.TB, got, want map[int32]float64) {
	t.Helper()
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("tokens left %v, wanted %v", got, want)
		return
	}
	for id, w := range want {
		if math.Abs(got[id]-w) > 1e-6 {
			t.Errorf("token %d: probability %.8f, wanted %.8f", id, got[id], w)
		}
	}
}

// TestByHand holds every row of the table to distributions computed on paper. Most start from the probabilities 1/2,
// 1/4, 1/8, 1/16, 1/16, whose logarithms to base 2 are 1, 2, 3, 4, 4.
func TestByHand(t *testing.T) {
	halves := logits(1./2, 1./4, 1./8, 1./16, 1./16)
	type dist = map[int32]float64
	covered := map[string]bool{}
	for _, c := range []struct {
		sampler, name string
		change        func(p *Params)
		logits        []float32
		history       []int32
		want          dist
	}{
		{"logit_bias", "ln 2 doubles a weight", func(p *Params) { p.LogitBias = map[int32]float32{4: math.Ln2} }, halves, nil,
			// 8+4+2+1+2 = 17 sixteenths
			dist{0: 8. / 17, 1: 4. / 17, 2: 2. / 17, 3: 1. / 17, 4: 2. / 17}},
		{"logit_bias", "-Inf bans", func(p *Params) { p.LogitBias = map[int32]float32{0: float32(math.Inf(-1))} }, halves, nil,
			dist{1: 1. / 2, 2: 1. / 4, 3: 1. / 8, 4: 1. / 8}},
		{"penalties", "all three", func(p *Params) {
			p.RepeatPenalty, p.FrequencyPenalty, p.PresencePenalty = 2, 0.5, 0.25
		}, []float32{2, -1, 1, 0}, []int32{0, 0, 1},
			// 2/2 - 1 - 0.25 = -0.25; -1·2 - 0.5 - 0.25 = -2.75; 1; 0.
			// weights 0.77880078, 0.06392786, 2.71828183, 1; sum 4.56101047
			dist{0: 0.17075181, 1: 0.01401617, 2: 0.59598237, 3: 0.21924966}},
		{"penalties", "the window forgets", func(p *Params) { p.PresencePenalty, p.RepeatLastN = math.Ln2, 2 },
			halves, []int32{0, 3, 4, 1, 1},
			// only 1 is in the last two: 8+2+2+1+1 = 14
			dist{0: 8. / 14, 1: 2. / 14, 2: 2. / 14, 3: 1. / 14, 4: 1. / 14}},
		{"dry", "a repeat of two costs multiplier", func(p *Params) { p.DryMultiplier, p.DryBase = 1, 2 },
			make([]float32, 4), []int32{0, 1, 2, 0, 1},
			// token 2 would make 0 1 2 again: e^-1 = 0.36787944 of 3.36787944
			dist{0: 0.29692274, 1: 0.29692274, 2: 0.10923177, 3: 0.29692274}},
		{"dry", "a repeat of three costs multiplier·base", func(p *Params) { p.DryMultiplier, p.DryBase = 1, 2 },
			make([]float32, 4), []int32{0, 1, 2, 3, 0, 1, 2},
			// token 3: e^-2 = 0.13533528 of 3.13533528
			dist{0: 0.31894516, 1: 0.31894516, 2: 0.31894516, 3: 0.04316451}},
		{"dry", "a breaker between", func(p *Params) {
			p.DryMultiplier, p.DryBase, p.DrySequenceBreakers = 1, 2, [][]int32{{1}}
		}, make([]float32, 4), []int32{0, 1, 2, 0, 1},
			dist{0: 0.25, 1: 0.25, 2: 0.25, 3: 0.25}},
		{"top_n_sigma", "one sigma", func(p *Params) { p.TopNSigma = 1 }, []float32{0, -1, -2, -3}, nil,
			// mean -1.5, variance (2.25+0.25+0.25+2.25)/4 = 1.25, sigma 1.118: floor -1.118; 1/(1+e^-1)
			dist{0: 0.73105858, 1: 0.26894142}},
		{"top_k", "two", func(p *Params) { p.TopK = 2 }, halves, nil, dist{0: 2. / 3, 1: 1. / 3}},
		{"top_k", "ties go to the lower id", func(p *Params) { p.TopK = 4 }, halves, nil,
			dist{0: 8. / 15, 1: 4. / 15, 2: 2. / 15, 3: 1. / 15}},
		{"typ_p", "nearest first", func(p *Params) { p.TypicalP = 0.2 }, halves, nil,
			// H = 1/2·1 + 1/4·2 + 1/8·3 + 2/16·4 = 1.875 bits; distances 0.875, 0.125, 1.125, 2.125, 2.125
			dist{1: 1}},
		{"typ_p", "then the next", func(p *Params) { p.TypicalP = 0.7 }, halves, nil, dist{0: 2. / 3, 1: 1. / 3}},
		{"typ_p", "at least three", func(p *Params) { p.TypicalP, p.MinKeep = 0.2, 3 }, halves, nil,
			dist{0: 4. / 7, 1: 2. / 7, 2: 1. / 7}},
		{"top_p", "0.8 takes three", func(p *Params) { p.TopP = 0.8 }, halves, nil, dist{0: 4. / 7, 1: 2. / 7, 2: 1. / 7}},
		{"top_p", "0 takes one", func(p *Params) { p.TopP = 0 }, halves, nil, dist{0: 1}},
		{"top_p", "at least two", func(p *Params) { p.TopP, p.MinKeep = 0, 2 }, halves, nil, dist{0: 2. / 3, 1: 1. / 3}},
		{"min_p", "a fifth of the best", func(p *Params) { p.MinP = 0.2 }, halves, nil,
			dist{0: 4. / 7, 1: 2. / 7, 2: 1. / 7}},
		{"min_p", "at least four", func(p *Params) { p.MinP, p.MinKeep = 0.2, 4 }, halves, nil,
			dist{0: 8. / 15, 1: 4. / 15, 2: 2. / 15, 3: 1. / 15}},
		{"xtc", "drops 1/2, keeps the least of the good", func(p *Params) { p.XTCProbability, p.XTCThreshold = 1, 0.2 },
			halves, nil, dist{1: 1. / 2, 2: 1. / 4, 3: 1. / 8, 4: 1. / 8}},
		{"xtc", "one good candidate stays", func(p *Params) { p.XTCProbability, p.XTCThreshold = 1, 0.3 },
			halves, nil, dist{0: 1. / 2, 1: 1. / 4, 2: 1. / 8, 3: 1. / 16, 4: 1. / 16}},
		{"xtc", "too few would stay", func(p *Params) { p.XTCProbability, p.XTCThreshold, p.MinKeep = 1, 0.2, 5 },
			halves, nil, dist{0: 1. / 2, 1: 1. / 4, 2: 1. / 8, 3: 1. / 16, 4: 1. / 16}},
		{"temperature", "1/2 squares", func(p *Params) { p.Temperature = 0.5 }, halves, nil,
			// 64+16+4+1+1 = 86
			dist{0: 64. / 86, 1: 16. / 86, 2: 4. / 86, 3: 1. / 86, 4: 1. / 86}},
		{"temperature", "0 takes the best", func(p *Params) { p.Temperature = 0 }, halves, nil, dist{0: 1}},
		{"temperature", "dynamic", func(p *Params) { p.DynatempRange = 0.5 }, halves, nil,
			// T = 0.5 + 1·(1.875/log2 5) = 1.30751855; weights 2^(-k/T), k = 1, 2, 3, 4, 4
			dist{0: 0.42687594, 1: 0.25123010, 2: 0.14785693, 3: 0.08701852, 4: 0.08701852}},
		{"mirostat", "cut at 2 bits", func(p *Params) { p.Mirostat, p.MirostatTau = 2, 1.001 }, halves, nil,
			dist{0: 2. / 3, 1: 1. / 3}},
	} {
		covered[c.sampler] = true
		t.Run(c.sampler+"/"+c.name, func(t *testing.T) {
			p := alone()
			c.change(&p)
			sameDistribution(t, distribution(t, p, c.logits, c.history...), c.want)
		})
	}
	for _, r := range table {
		if !covered[r.name] {
			t.Errorf("%s: no distribution by hand", r.name)
		}
	}
}

// TestMirostatMoves follows the cut over two tokens: 2τ = 2.002 leaves two candidates; token 0 has probability 2/3 there,
// surprise 0.5849625 bits; the cut moves to 2.002 - 0.1·(0.5849625 - 1.001) = 2.04360375.
func TestMirostatMoves(t *testing.T) {
	p := alone()
	p.Mirostat, p.MirostatTau = 2, 1.001
	s := newSampler(t, p, 5)
	l := logits(1./2, 1./4, 1./8, 1./16, 1./16)
	for s.random.uniform(s.Position(), drawToken) > 0.6 {
		s.Accept(4) // not sampled: moves nothing
	}
	if s.mirostat.mu != 2.002 {
		t.Errorf("cut at %v after tokens that were not sampled, wanted 2.002", s.mirostat.mu)
	}
	id, err := s.Sample(l)
	if err != nil || id != 0 {
		t.Fatalf("sampled %d, %v; wanted 0", id, err)
	}
	if s.mirostat.mu != 2.002 {
		t.Errorf("cut at %v before the token was accepted, wanted 2.002", s.mirostat.mu)
	}
	s.Accept(id)
	if math.Abs(s.mirostat.mu-2.04360375) > 1e-6 {
		t.Errorf("cut at %v, wanted 2.04360375", s.mirostat.mu)
	}
}

// TestOffDoesNothing holds every row to its off values: no stage at all.
func TestOffDoesNothing(t *testing.T) {
	p := alone()
	if stages := chain(&p, new(history)); len(stages) != 0 {
		t.Errorf("%d stages when everything is off: %#v", len(stages), stages)
	}
	names := map[string]bool{}
	for _, r := range table {
		if names[r.name] {
			t.Errorf("%s: twice in the table", r.name)
		}
		names[r.name] = true
	}
	for _, name := range DefaultOrder() {
		if !slices.Contains(Names(), name) {
			t.Errorf("%s: in the default order, not in the table", name)
		}
	}
}
