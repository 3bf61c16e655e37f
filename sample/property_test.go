package sample

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawLogits are 2 to 60 different logits, some of them masked.
func drawLogits(t *rapid.T) []float32 {
	quarters := rapid.SliceOfNDistinct(rapid.Int32Range(-60, 60), 2, 60, rapid.ID[int32]).Draw(t, "logits, in quarters")
	l := make([]float32, len(quarters))
	for i, q := range quarters {
		l[i] = float32(q) / 4
		if i > 0 && rapid.IntRange(0, 9).Draw(t, "masked when 0") == 0 {
			l[i] = float32(math.Inf(-1))
		}
	}
	return l
}

// drawParams are valid parameters, every sampler as often on as off, in any order.
func drawParams(t *rapid.T) Params {
	on := func(name string) bool { return rapid.Bool().Draw(t, name) }
	share := func(name string) float64 { return rapid.Float64Range(0, 1).Draw(t, name) }
	p := alone()
	if on("temperature") {
		p.Temperature = rapid.Float64Range(0, 3).Draw(t, "temperature")
	}
	if on("dynatemp") {
		p.DynatempRange, p.DynatempExponent = share("range"), 2*share("exponent")
	}
	if on("top_k") {
		p.TopK = rapid.IntRange(1, 70).Draw(t, "k")
	}
	if on("top_p") {
		p.TopP = share("top_p")
	}
	if on("min_p") {
		p.MinP = share("min_p")
	}
	if on("typical") {
		p.TypicalP = share("typical_p")
	}
	if on("sigma") {
		p.TopNSigma = 3 * share("sigma")
	}
	if on("penalties") {
		p.RepeatPenalty, p.PresencePenalty, p.FrequencyPenalty = 0.5+share("repeat"), share("presence"), share("frequency")
	}
	if on("dry") {
		p.DryMultiplier, p.DryAllowedLength = share("dry"), rapid.IntRange(1, 3).Draw(t, "allowed")
	}
	if on("xtc") {
		p.XTCProbability, p.XTCThreshold = share("xtc"), share("threshold")/2
	}
	if rapid.IntRange(0, 4).Draw(t, "mirostat when 0") == 0 {
		p.Mirostat, p.MirostatTau = 2, 8*share("tau")
	}
	p.MinKeep = rapid.IntRange(0, 5).Draw(t, "min_keep")
	p.Samplers = rapid.Permutation(DefaultOrder()).Draw(t, "samplers")
	p.Seed = rapid.Uint64().Draw(t, "seed")
	return p
}

func drawHistory(t *rapid.T, vocab int) []int32 {
	return rapid.SliceOfN(rapid.Int32Range(0, int32(min(vocab, 4)-1)), 0, 80).Draw(t, "history")
}

// TestChainProperties: any chain over any logits leaves a distribution: it sums to 1, best first, over tokens that were
// not masked; and the token sampled is one of them.
func TestChainProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLogits(t)
		s, err := New(drawParams(t), len(l))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range drawHistory(t, len(l)) {
			s.Accept(id)
		}
		probs, err := s.Distribution(l)
		if err != nil {
			t.Fatal(err)
		}
		id, err := s.Sample(l)
		if err != nil {
			t.Fatal(err)
		}
		sum, found := 0.0, false
		for i, q := range probs {
			sum += q.P
			found = found || q.ID == id
			if math.IsInf(float64(l[q.ID]), -1) {
				t.Errorf("token %d was masked and has probability %v", q.ID, q.P)
			}
			if i > 0 && q.P > probs[i-1].P {
				t.Errorf("probabilities out of order: %v", probs)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("sum %v, wanted 1: %v", sum, probs)
		}
		if !found {
			t.Errorf("sampled %d, which is not in %v", id, probs)
		}
	})
}

// TestRenamingTokens: a chain looks at logits, never at ids: with other ids it leaves the same, renamed. (Different
// logits only: ids break ties. Nothing that draws or remembers.)
func TestRenamingTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, p := drawLogits(t), drawParams(t)
		p.XTCProbability = math.Round(p.XTCProbability)
		ids := make([]int, len(l))
		for i := range ids {
			ids[i] = i
		}
		ids = rapid.Permutation(ids).Draw(t, "ids")
		renamed := make([]float32, len(l))
		for i, id := range ids {
			renamed[id] = l[i]
		}
		want := map[int32]float64{}
		for id, q := range mustDistribute(t, p, l) {
			want[int32(ids[id])] = q
		}
		got := mustDistribute(t, p, renamed)
		for id := range maps.Keys(want) {
			if math.Abs(got[id]-want[id]) > 1e-9 {
				t.Fatalf("renamed %v, wanted %v", got, want)
			}
		}
	})
}

func mustDistribute(t *rapid.T, p Params, l []float32) map[int32]float64 {
	s, err := New(p, len(l))
	if err != nil {
		t.Fatal(err)
	}
	probs, err := s.Distribution(l)
	if err != nil {
		t.Fatal(err)
	}
	m := map[int32]float64{}
	for _, q := range probs {
		m[q.ID] = q.P
	}
	return m
}

// truncators are the samplers that only drop tokens, set so strictly by x of [0, 1]: the higher x the more they keep.
var truncators = map[string]func(p *Params, x float64){
	"top_k":       func(p *Params, x float64) { p.TopK = 1 + int(60*x) },
	"top_p":       func(p *Params, x float64) { p.TopP = x },
	"min_p":       func(p *Params, x float64) { p.MinP = 1 - x },
	"typ_p":       func(p *Params, x float64) { p.TypicalP = x },
	"top_n_sigma": func(p *Params, x float64) { p.TopNSigma = 0.001 + 4*x },
}

// TestTruncatorsAreMonotonic: asked for more they drop nothing that they kept before, and they never change the ratio
// of two probabilities.
func TestTruncatorsAreMonotonic(t *testing.T) {
	for name, set := range truncators {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				l := drawLogits(t)
				x := rapid.Float64Range(0, 1).Draw(t, "x")
				y := rapid.Float64Range(x, 1).Draw(t, "y")
				less, more, raw := alone(), alone(), mustDistribute(t, alone(), l)
				set(&less, x)
				set(&more, y)
				few, many := mustDistribute(t, less, l), mustDistribute(t, more, l)
				for id, q := range few {
					if _, ok := many[id]; !ok {
						t.Fatalf("token %d is kept at %v and dropped at %v", id, x, y)
					}
					for other, r := range few {
						if math.Abs(q*raw[other]-r*raw[id]) > 1e-9 {
							t.Fatalf("tokens %d and %d: ratio %v, was %v", id, other, q/r, raw[id]/raw[other])
						}
					}
				}
			})
		})
	}
}

// TestTruncatorsKeepTheBest: all but the typical sampler keep a beginning of the tokens in order of their logits.
func TestTruncatorsKeepTheBest(t *testing.T) {
	for name, set := range truncators {
		if name == "typ_p" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				l, p := drawLogits(t), alone()
				set(&p, rapid.Float64Range(0, 1).Draw(t, "x"))
				kept := mustDistribute(t, p, l)
				worst := float32(math.Inf(1))
				for id := range kept {
					worst = min(worst, l[id])
				}
				for id, logit := range l {
					if _, ok := kept[int32(id)]; logit > worst && !ok {
						t.Fatalf("token %d with logit %v is dropped, one with %v is kept", id, logit, worst)
					}
				}
			})
		})
	}
}

// TestTopKAndMinPAreIdempotent: what passed once passes again. (The others look at the probabilities of what is left,
// which grow.)
func TestTopKAndMinPAreIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLogits(t)
		for _, name := range []string{"top_k", "min_p"} {
			p := alone()
			truncators[name](&p, rapid.Float64Range(0, 1).Draw(t, name))
			once := mustDistribute(t, p, l)
			masked := slices.Clone(l)
			for id := range masked {
				if _, ok := once[int32(id)]; !ok {
					masked[id] = float32(math.Inf(-1))
				}
			}
			if twice := mustDistribute(t, p, masked); !maps.Equal(once, twice) {
				t.Fatalf("%s: %v, then %v", name, once, twice)
			}
		}
	})
}

// TestSelectBest against a full sort, ties included.
func TestSelectBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int32Range(0, 50), 1, 2000).Draw(t, "logits")
		k := rapid.IntRange(1, 2100).Draw(t, "k")
		l := make([]float32, len(values))
		var list []candidate
		for i, v := range values {
			l[i] = float32(v)
			list = append(list, candidate{id: int32(i), logit: l[i]})
		}
		want := slices.SortedFunc(slices.Values(list), byLogit)[:min(k, len(list))]
		fromDense, fromList := new(candidates), new(candidates)
		fromDense.load(l)
		fromDense.top(k)
		fromList.load(l)
		fromList.enlist()
		fromList.top(k)
		if !slices.Equal(fromDense.list, want) {
			t.Fatalf("the %d best, from dense: %v, wanted %v", k, fromDense.list, want)
		}
		if !slices.Equal(fromList.list, want) {
			t.Fatalf("the %d best, from a list: %v, wanted %v", k, fromList.list, want)
		}
	})
}

// FuzzParams: any JSON over the defaults is refused or works.
func FuzzParams(f *testing.F) {
	f.Add([]byte(`{"temperature":0.5,"top_k":3,"xtc_probability":1,"repeat_penalty":1.1}`))
	f.Add([]byte(`{"mirostat":2,"mirostat_tau":0,"logit_bias":{"1":-5},"seed":7}`))
	f.Add([]byte(`{"samplers":["dry","top_p"],"top_p":0.1,"dry_multiplier":1e6,"dry_sequence_breakers":[[1],[2,3]],"min_keep":9}`))
	f.Add([]byte(`{"dynatemp_range":1e6,"dynatemp_exponent":1e6,"temperature":1e6,"typical_p":0,"top_n_sigma":1e-300}`))
	l := []float32{1, 2, 0.5, -3, 2, float32(math.Inf(-1)), 0}
	f.Fuzz(func(t *testing.T, text []byte) {
		p := Default()
		if json.Unmarshal(text, &p) != nil {
			return
		}
		s, err := New(p, len(l))
		if err != nil {
			return
		}
		for range 10 {
			id, err := s.Sample(l)
			if err != nil {
				if len(p.LogitBias) == 0 {
					t.Fatalf("%+v: %v", p, err)
				}
				return
			}
			if id == 5 {
				t.Fatalf("%+v: sampled a masked token", p)
			}
			s.Accept(id)
		}
	})
}
