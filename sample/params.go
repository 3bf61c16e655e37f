package sample

import (
	"fmt"
	"math"
	"slices"
)

// Params say how to choose tokens. The JSON names are those of llama.cpp's server, which other programs share. Decode
// JSON over Default(): the zero value is not a default.
type Params struct {
	Temperature      float64 `json:"temperature"`        // divides the logits; 0 takes the best token
	DynatempRange    float64 `json:"dynatemp_range"`     // temperature moves this far down and up with the entropy; 0 is off
	DynatempExponent float64 `json:"dynatemp_exponent"`  // how entropy maps to temperature
	TopK             int     `json:"top_k"`              // keep the k best; 0 is off
	TopP             float64 `json:"top_p"`              // keep the fewest that reach this probability; 1 is off
	MinP             float64 `json:"min_p"`              // keep those with this share of the best one's probability; 0 is off
	TypicalP         float64 `json:"typical_p"`          // keep the most typical that reach this probability; 1 is off
	TopNSigma        float64 `json:"top_n_sigma"`        // keep logits within n standard deviations of the best; 0 or less is off
	MinKeep          int     `json:"min_keep"`           // top_p, min_p, typical and xtc leave at least so many
	RepeatPenalty    float64 `json:"repeat_penalty"`     // 1 is off
	RepeatLastN      int     `json:"repeat_last_n"`      // tokens that the three penalties look back; 0 is off, -1 everything
	PresencePenalty  float64 `json:"presence_penalty"`   // 0 is off
	FrequencyPenalty float64 `json:"frequency_penalty"`  // 0 is off
	DryMultiplier    float64 `json:"dry_multiplier"`     // 0 is off
	DryBase          float64 `json:"dry_base"`           // how fast the penalty grows with the repeat
	DryAllowedLength int     `json:"dry_allowed_length"` // repeats shorter than this are free
	DryPenaltyLastN  int     `json:"dry_penalty_last_n"` // tokens that DRY looks back; 0 is off, -1 everything
	XTCProbability   float64 `json:"xtc_probability"`    // 0 is off
	XTCThreshold     float64 `json:"xtc_threshold"`      // above 0.5 is off
	Mirostat         int     `json:"mirostat"`           // 0 or 2
	MirostatTau      float64 `json:"mirostat_tau"`       // the surprise to aim at, bits
	MirostatEta      float64 `json:"mirostat_eta"`       // learning rate

	// DrySequenceBreakers are token sequences across which DRY does not look for repeats. Users write texts: Breakers
	// translates one into the token sequences of a vocabulary.
	DrySequenceBreakers [][]int32 `json:"dry_sequence_breakers,omitempty"`

	// LogitBias is added to the logits of the tokens named. -Inf bans a token; NaN and +Inf are refused.
	LogitBias map[int32]float32 `json:"logit_bias,omitempty"`

	// Samplers is the chain in order: names of Names(). One whose parameter is off does nothing. nil is DefaultOrder.
	Samplers []string `json:"samplers"`

	// Seed keys the random numbers. Every number is a seed, 0 too: who wants another answer each time draws one and
	// says which in the answer, so that it can be repeated.
	Seed uint64 `json:"seed"`
	// Request tells apart answers that share a seed: the index of a choice where one request asks for several.
	Request uint32 `json:"-"`
}

// DefaultOrder is llama.cpp's chain.
func DefaultOrder() []string {
	return []string{"penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"}
}

// Default is what llama.cpp does when nothing is asked for: top-k 40, top-p 0.95, min-p 0.05, temperature 0.8.
func Default() Params {
	return Params{
		Temperature:      0.8,
		DynatempExponent: 1,
		TopK:             40,
		TopP:             0.95,
		MinP:             0.05,
		TypicalP:         1,
		TopNSigma:        -1,
		RepeatPenalty:    1,
		RepeatLastN:      64,
		DryBase:          1.75,
		DryAllowedLength: 2,
		DryPenaltyLastN:  64,
		XTCThreshold:     0.1,
		MirostatTau:      5,
		MirostatEta:      0.1,
		Samplers:         DefaultOrder(),
	}
}

// Greedy always takes the best token.
func Greedy() Params {
	p := Default()
	p.Temperature, p.TopK, p.TopP, p.MinP = 0, 0, 1, 0
	return p
}

// unbounded limits parameters without a natural limit, so that no chain of them takes a logit out of float32.
const unbounded = 1e6

// Validate names the first parameter out of its range, what was found and what was wanted.
func (p Params) Validate() error {
	for _, f := range []struct {
		name   string
		found  float64
		lo, hi float64
	}{
		{"temperature", p.Temperature, 0, unbounded},
		{"dynatemp_range", p.DynatempRange, 0, unbounded},
		{"dynatemp_exponent", p.DynatempExponent, 0, unbounded},
		{"top_k", float64(p.TopK), math.MinInt32, math.MaxInt32},
		{"top_p", p.TopP, 0, 1},
		{"min_p", p.MinP, 0, 1},
		{"typical_p", p.TypicalP, 0, 1},
		{"top_n_sigma", p.TopNSigma, -unbounded, unbounded},
		{"min_keep", float64(p.MinKeep), 0, math.MaxInt32},
		{"repeat_penalty", p.RepeatPenalty, 1 / unbounded, unbounded},
		{"repeat_last_n", float64(p.RepeatLastN), -1, math.MaxInt32},
		{"presence_penalty", p.PresencePenalty, -unbounded, unbounded},
		{"frequency_penalty", p.FrequencyPenalty, -unbounded, unbounded},
		{"dry_multiplier", p.DryMultiplier, 0, unbounded},
		{"dry_base", p.DryBase, 1, unbounded},
		{"dry_allowed_length", float64(p.DryAllowedLength), 1, math.MaxInt32},
		{"dry_penalty_last_n", float64(p.DryPenaltyLastN), -1, math.MaxInt32},
		{"xtc_probability", p.XTCProbability, 0, 1},
		{"xtc_threshold", p.XTCThreshold, 0, 1},
		{"mirostat_tau", p.MirostatTau, 0, unbounded},
		{"mirostat_eta", p.MirostatEta, 0, 1},
	} {
		if !(f.found >= f.lo && f.found <= f.hi) { // so written that NaN fails
			return fmt.Errorf("sample: %s: found %v, wanted %v to %v", f.name, f.found, f.lo, f.hi)
		}
	}
	if p.Mirostat != 0 && p.Mirostat != 2 {
		return fmt.Errorf("sample: mirostat: found %d, wanted 0 (off) or 2", p.Mirostat)
	}
	return p.validateLists()
}

func (p Params) validateLists() error {
	for i, name := range p.Samplers {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("sample: samplers: found %q, wanted one of %q", name, Names())
		}
		if slices.Contains(p.Samplers[:i], name) {
			return fmt.Errorf("sample: samplers: found %q twice, wanted each once", name)
		}
	}
	for id, bias := range p.LogitBias {
		if !(bias <= unbounded && (bias >= -unbounded || math.IsInf(float64(bias), -1))) {
			return fmt.Errorf("sample: logit_bias of token %d: found %v, wanted %v to %v or -Inf", id, bias, -unbounded, unbounded)
		}
	}
	for i, sequence := range p.DrySequenceBreakers {
		if len(sequence) == 0 {
			return fmt.Errorf("sample: dry_sequence_breakers[%d]: found no token, wanted at least one", i)
		}
	}
	return nil
}
