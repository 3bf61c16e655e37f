package sample

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestValidateNamesTheParameter(t *testing.T) {
	for want, change := range map[string]func(p *Params){
		"sample: temperature: found NaN, wanted 0 to 1e+06":           func(p *Params) { p.Temperature = math.NaN() },
		"sample: temperature: found -1, wanted":                       func(p *Params) { p.Temperature = -1 },
		"sample: temperature: found +Inf, wanted":                     func(p *Params) { p.Temperature = math.Inf(1) },
		"sample: dynatemp_range: found -1":                            func(p *Params) { p.DynatempRange = -1 },
		"sample: dynatemp_exponent: found NaN":                        func(p *Params) { p.DynatempExponent = math.NaN() },
		"sample: top_p: found 1.1, wanted 0 to 1":                     func(p *Params) { p.TopP = 1.1 },
		"sample: min_p: found -0.1, wanted 0 to 1":                    func(p *Params) { p.MinP = -0.1 },
		"sample: typical_p: found NaN":                                func(p *Params) { p.TypicalP = math.NaN() },
		"sample: top_n_sigma: found NaN":                              func(p *Params) { p.TopNSigma = math.NaN() },
		"sample: min_keep: found -1":                                  func(p *Params) { p.MinKeep = -1 },
		"sample: repeat_penalty: found 0, wanted 1e-06 to":            func(p *Params) { p.RepeatPenalty = 0 },
		"sample: repeat_last_n: found -2, wanted -1 to":               func(p *Params) { p.RepeatLastN = -2 },
		"sample: presence_penalty: found NaN":                         func(p *Params) { p.PresencePenalty = math.NaN() },
		"sample: frequency_penalty: found +Inf":                       func(p *Params) { p.FrequencyPenalty = math.Inf(1) },
		"sample: dry_multiplier: found -1":                            func(p *Params) { p.DryMultiplier = -1 },
		"sample: dry_base: found 0.5, wanted 1 to":                    func(p *Params) { p.DryBase = 0.5 },
		"sample: dry_allowed_length: found 0, wanted 1 to":            func(p *Params) { p.DryAllowedLength = 0 },
		"sample: dry_penalty_last_n: found -2":                        func(p *Params) { p.DryPenaltyLastN = -2 },
		"sample: xtc_probability: found 2, wanted 0 to 1":             func(p *Params) { p.XTCProbability = 2 },
		"sample: xtc_threshold: found -1":                             func(p *Params) { p.XTCThreshold = -1 },
		"sample: mirostat: found 1, wanted 0 (off) or 2":              func(p *Params) { p.Mirostat = 1 },
		"sample: mirostat_tau: found NaN":                             func(p *Params) { p.MirostatTau = math.NaN() },
		"sample: mirostat_eta: found 3, wanted 0 to 1":                func(p *Params) { p.MirostatEta = 3 },
		`sample: samplers: found "topk", wanted one of ["penalties"`:  func(p *Params) { p.Samplers = []string{"topk"} },
		`sample: samplers: found "mirostat", wanted one of`:           func(p *Params) { p.Samplers = []string{"mirostat"} },
		`sample: samplers: found "top_k" twice`:                       func(p *Params) { p.Samplers = []string{"top_k", "top_k"} },
		"sample: logit_bias of token 3: found NaN, wanted":            func(p *Params) { p.LogitBias = map[int32]float32{3: float32(math.NaN())} },
		"sample: logit_bias of token 3: found +Inf, wanted":           func(p *Params) { p.LogitBias = map[int32]float32{3: float32(math.Inf(1))} },
		"sample: logit_bias: found token 100, wanted 0 to 99":         func(p *Params) { p.LogitBias = map[int32]float32{100: 1} },
		"sample: logit_bias: found token -1, wanted 0 to 99":          func(p *Params) { p.LogitBias = map[int32]float32{-1: 1} },
		"sample: dry_sequence_breakers[1]: found no token, wanted at": func(p *Params) { p.DrySequenceBreakers = [][]int32{{1}, {}} },
	} {
		p := Default()
		change(&p)
		if _, err := New(p, 100); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("New = %v, wanted %s…", err, want)
		}
	}
	for _, vocab := range []int{0, -1} {
		if _, err := New(Default(), vocab); err == nil || !strings.Contains(err.Error(), "vocabulary") {
			t.Errorf("New with a vocabulary of %d: %v", vocab, err)
		}
	}
}

func TestDefaultsAreValid(t *testing.T) {
	for name, p := range map[string]Params{"Default": Default(), "Greedy": Greedy()} {
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJSONOverDefault: a request names what it wants changed; what it does not name stays.
func TestJSONOverDefault(t *testing.T) {
	p := Default()
	err := json.Unmarshal([]byte(`{"temperature":0.2,"top_k":5,"logit_bias":{"15":-100},"seed":18446744073709551615,
		"samplers":["top_k","temperature"],"dry_sequence_breakers":[[1,2],[3]]}`), &p)
	if err != nil {
		t.Fatal(err)
	}
	if p.Temperature != 0.2 || p.TopK != 5 || p.LogitBias[15] != -100 || p.Seed != math.MaxUint64 ||
		len(p.Samplers) != 2 || len(p.DrySequenceBreakers) != 2 {
		t.Errorf("decoded %+v", p)
	}
	if p.TopP != 0.95 || p.RepeatLastN != 64 || p.XTCThreshold != 0.1 {
		t.Errorf("what the request does not name has changed: %+v", p)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back Params
	if err := json.Unmarshal(text, &back); err != nil || back.TopP != p.TopP || back.Seed != p.Seed {
		t.Errorf("%s decodes to %+v, %v", text, back, err)
	}
}
