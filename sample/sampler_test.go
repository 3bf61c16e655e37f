package sample

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
)

func run(t testing.TB, p Params, logits []float32, n int) []int32 {
	t.Helper()
	s := newSampler(t, p, len(logits))
	var ids []int32
	for range n {
		id, err := s.Sample(logits)
		if err != nil {
			t.Fatal(err)
		}
		s.Accept(id)
		ids = append(ids, id)
	}
	return ids
}

// TestNonFinite: a broken or empty distribution is a typed error naming the token, whatever the chain.
func TestNonFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	everything := Default()
	everything.TypicalP, everything.TopNSigma, everything.XTCProbability, everything.DynatempRange = 0.9, 1, 1, 0.5
	steered := Default()
	steered.Mirostat = 2
	masked := make([]float32, 20)
	for i := range masked {
		masked[i] = -inf
	}
	with := func(at int, x float32) []float32 {
		l := make([]float32, 20)
		l[at] = x
		return l
	}
	for name, p := range map[string]Params{"default": Default(), "greedy": Greedy(), "off": alone(), "all": everything, "mirostat": steered} {
		for _, c := range []struct {
			logits []float32
			token  int32
			text   string
		}{
			{with(0, nan), 0, "token 0: found NaN"},
			{with(7, nan), 7, "token 7: found NaN"},
			{with(19, nan), 19, "token 19: found NaN"},
			{with(3, inf), 3, "token 3: found +Inf"},
			{with(16, 1e30), 16, "token 16: found 1e+30"},
			{masked, -1, "found -Inf at most for all 20 tokens"},
		} {
			id, err := newSampler(t, p, 20).Sample(c.logits)
			var e *NonFiniteError
			if !errors.As(err, &e) || e.Token != c.token || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s: Sample = %d, %v; wanted a NonFiniteError with %q", name, id, err, c.text)
			}
		}
		// One token that is not masked is the answer.
		only := slices.Clone(masked)
		only[5] = -3
		if id, err := newSampler(t, p, 20).Sample(only); id != 5 || err != nil {
			t.Errorf("%s: Sample = %d, %v; wanted the one token not masked, 5", name, id, err)
		}
	}
}

// TestEverythingBanned: a bias may mask what the logits left.
func TestEverythingBanned(t *testing.T) {
	for _, p := range []Params{Default(), Greedy(), alone()} {
		p.LogitBias = map[int32]float32{0: float32(math.Inf(-1)), 1: float32(math.Inf(-1))}
		_, err := newSampler(t, p, 2).Sample([]float32{1, 2})
		if e := (*NonFiniteError)(nil); !errors.As(err, &e) || e.Token != -1 {
			t.Errorf("Sample with both tokens banned: %v, wanted a NonFiniteError", err)
		}
	}
}

// TestExtremes: the largest logits against the strongest parameters stay finite.
func TestExtremes(t *testing.T) {
	p := Default()
	p.RepeatPenalty, p.Temperature = 1/unbounded, coldest
	p.FrequencyPenalty, p.PresencePenalty = -unbounded, -unbounded
	p.DryMultiplier, p.DryBase, p.DryAllowedLength = unbounded, unbounded, 1
	p.LogitBias = map[int32]float32{1: unbounded}
	s := newSampler(t, p, 4)
	for range 200 {
		s.Accept(1)
	}
	for _, l := range [][]float32{{9e24, 9e24, -9e24, 0}, {-9e24, -math.MaxFloat32, -math.MaxFloat32, -9e24}} {
		probs, err := s.Distribution(l)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, q := range probs {
			sum += q.P
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("distribution of %v sums to %v: %v", l, sum, probs)
		}
	}
}

func TestWrongLength(t *testing.T) {
	_, err := newSampler(t, Default(), 20).Sample(make([]float32, 19))
	if err == nil || err.Error() != "sample: logits: found 19, wanted 20" {
		t.Errorf("Sample of 19 logits: %v", err)
	}
}

// TestSampleChangesNothing: sampling again gives the same token, and the logits are as they were.
func TestSampleChangesNothing(t *testing.T) {
	p := Default()
	p.RepeatPenalty, p.DryMultiplier, p.XTCProbability, p.LogitBias = 1.2, 0.8, 0.5, map[int32]float32{3: 1}
	l := noise(300, 3)
	before := slices.Clone(l)
	s := newSampler(t, p, len(l), 1, 2, 3, 1, 2, 3, 1)
	for range 50 {
		a, err := s.Sample(l)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := s.Sample(l); a != b {
			t.Fatalf("sampled %d, then %d at the same position", a, b)
		}
		s.Accept(a)
	}
	if !slices.Equal(l, before) {
		t.Error("the logits have changed")
	}
}

// TestDrawsDependOnPositionOnly: whoever has accepted the same tokens goes on alike, however it came there.
func TestDrawsDependOnPositionOnly(t *testing.T) {
	p := Default()
	p.TopK, p.XTCProbability, p.Seed = 0, 0.5, 99
	l := make([]float32, 100)
	for i := range l {
		l[i] = float32(i%10) / 4
	}
	ids := run(t, p, l, 60)
	if again := run(t, p, l, 60); !slices.Equal(ids, again) {
		t.Errorf("the same seed gave %v, then %v", ids, again)
	}
	resumed := newSampler(t, p, len(l), ids[:30]...)
	for i, want := range ids[30:] {
		id, err := resumed.Sample(l)
		if err != nil || id != want {
			t.Fatalf("token %d after resuming: %d, %v; wanted %d", 30+i, id, err, want)
		}
		resumed.Accept(id)
	}
	for name, change := range map[string]func(p *Params){
		"seed": func(p *Params) { p.Seed++ }, "request": func(p *Params) { p.Request++ },
	} {
		other := p
		change(&other)
		if slices.Equal(ids, run(t, other, l, 60)) {
			t.Errorf("another %s gave the same 60 tokens", name)
		}
	}
}

// TestSameTokensEverywhere binds answers on every machine to those computed on amd64.
func TestSameTokensEverywhere(t *testing.T) {
	l := make([]float32, 50)
	for i := range l {
		l[i] = float32(i*i%17) / 4
	}
	full := Default()
	full.Seed, full.TypicalP, full.RepeatPenalty, full.DryMultiplier, full.XTCProbability, full.DynatempRange =
		1<<40+5, 0.95, 1.1, 0.8, 0.3, 0.4
	steered := Default()
	steered.Mirostat, steered.MirostatTau = 2, 3
	for _, c := range []struct {
		name string
		p    Params
		want []int32
	}{
		{"default", Default(), []int32{42, 38, 38, 47, 41, 4, 9, 4, 27, 21, 25, 4, 30, 24, 4, 42, 47, 13, 10, 30, 27, 13, 27, 43}},
		{"full", full, []int32{21, 25, 27, 25, 8, 7, 42, 43, 26, 3, 24, 44, 31, 42, 20, 20, 38, 47, 44, 31, 9, 13, 27, 8}},
		{"mirostat", steered, []int32{44, 21, 13, 24, 38, 4, 42, 4, 30, 10, 41, 4, 13, 30, 4, 44, 21, 7, 27, 10, 30, 7, 30, 44}},
	} {
		if got := run(t, c.p, l, 24); !slices.Equal(got, c.want) {
			t.Errorf("%s: tokens %#v, wanted %#v", c.name, got, c.want)
		}
	}
}

// TestSamplingFollowsTheDistribution draws 100,000 tokens and compares them with Distribution by chi-square. The bound
// is the 0.1 % point for the degrees of freedom at hand.
func TestSamplingFollowsTheDistribution(t *testing.T) {
	p := Default()
	p.TopK, p.TopP, p.MinP, p.Seed = 8, 1, 0, 2024
	l := []float32{1, 0.5, 2, -1, 0, 0.2, -0.4, 1.5, -9, -9}
	probs := distribution(t, p, l)
	if len(probs) != 8 {
		t.Fatalf("%d tokens left, wanted 8", len(probs))
	}
	const draws = 100_000
	counts := map[int32]int{}
	for _, id := range run(t, p, l, draws) {
		counts[id]++
	}
	chi := 0.0
	for id, q := range probs {
		chi += math.Pow(float64(counts[id])-draws*q, 2) / (draws * q)
		delete(counts, id)
	}
	if chi > 24.32 || len(counts) > 0 { // 7 degrees of freedom
		t.Errorf("chi-square %.1f, wanted under 24.3; tokens outside the distribution: %v", chi, counts)
	}
}

// TestXTCIsAsFrequentAsAsked: over 10,000 positions a probability of 0.3 acts 3,000 times, give or take 4 deviations.
func TestXTCIsAsFrequentAsAsked(t *testing.T) {
	p := alone()
	p.XTCProbability, p.XTCThreshold = 0.3, 0.2
	l := logits(0.5, 0.4, 0.1)
	s, acted := newSampler(t, p, 3), 0
	for range 10_000 {
		probs, err := s.Distribution(l)
		if err != nil {
			t.Fatal(err)
		}
		if len(probs) == 2 {
			acted++
		}
		s.Accept(0)
	}
	if math.Abs(float64(acted)-3000) > 4*math.Sqrt(10_000*0.3*0.7) {
		t.Errorf("acted %d times of 10,000, wanted about 3000", acted)
	}
}

// TestGreedyTakesTheFirstBest of equal logits.
func TestGreedyTakesTheFirstBest(t *testing.T) {
	l := []float32{0, 3, 1, 3, 3}
	if ids := run(t, Greedy(), l, 3); !slices.Equal(ids, []int32{1, 1, 1}) {
		t.Errorf("tokens %v, wanted 1 each time", ids)
	}
}

// TestOrderMatters: the chain runs as listed. Over 1/2, 1/4, 1/8, 1/16, 1/16, top-p 0.7 keeps two; after temperature 2,
// which flattens, it keeps three.
func TestOrderMatters(t *testing.T) {
	l := logits(1./2, 1./4, 1./8, 1./16, 1./16)
	p := alone()
	p.Temperature, p.TopP = 2, 0.7
	for _, c := range []struct {
		order []string
		left  int
	}{
		{[]string{"top_p", "temperature"}, 2},
		{[]string{"temperature", "top_p"}, 3},
		{[]string{"temperature"}, 5},
		{[]string{}, 5},
		{nil, 2},
	} {
		p.Samplers = c.order
		if got := distribution(t, p, l); len(got) != c.left {
			t.Errorf("samplers %v: %d tokens left, wanted %d", c.order, len(got), c.left)
		}
	}
}

func TestAcceptOutsideVocabularyPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "sample: accepted token 5 of a vocabulary of 5" {
			t.Errorf("Accept(5) of 5: %v", r)
		}
	}()
	newSampler(t, Default(), 5).Accept(5)
}

// TestSteadyStateAllocatesNothing, whatever the chain.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	full := Default()
	full.TypicalP, full.TopNSigma, full.RepeatPenalty, full.DryMultiplier, full.XTCProbability, full.DynatempRange =
		0.95, 2, 1.1, 0.8, 0.3, 0.4
	full.LogitBias = map[int32]float32{3: 1}
	steered := Default()
	steered.Mirostat = 2
	l := noise(5000, 6)
	for name, p := range map[string]Params{"default": Default(), "greedy": Greedy(), "off": alone(), "full": full, "mirostat": steered} {
		s := newSampler(t, p, len(l))
		step := func() {
			id, err := s.Sample(l)
			if err != nil {
				t.Fatal(err)
			}
			s.Accept(id)
		}
		for range 300 {
			step()
		}
		if n := testing.AllocsPerRun(200, step); n != 0 {
			t.Errorf("%s: %v allocations per token", name, n)
		}
	}
}

// TestManyAtOnce: samplers share working room, never state.
func TestManyAtOnce(t *testing.T) {
	p := Default()
	p.RepeatPenalty, p.TopK = 1.1, 0
	l := noise(500, 8)
	want := run(t, p, l, 40)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := run(t, p, l, 40); !slices.Equal(got, want) {
				t.Errorf("tokens %v beside others, %v alone", got, want)
			}
		})
	}
	wg.Wait()
}
