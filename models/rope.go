package models

import "math"

// Rope says how positions turn queries and keys.
type Rope struct {
	Dim             int     // leading numbers of a head that are turned, even
	Base            float64 // wavelengths grow to 2π times this
	Scaling         string  // "none", "linear" or "yarn"
	Factor          float64 // how many times longer than OriginalContext the context has become
	OriginalContext int     // positions the model saw before it was stretched
	Magnitude       float64 // what cosines and sines are multiplied by

	freq []float64 // [Dim/2], radians per position
}

// yarnRamp is the two numbers of turns over the original context between which YaRN goes over from frequencies as they
// were (many turns) to frequencies divided by the factor (few).
type yarnRamp struct{ fast, slow float64 }

func (r *reader) rope(c Config) Rope {
	p := Rope{
		Dim:     r.intOr("rope.dimension_count", c.HeadDim, 2, c.HeadDim),
		Base:    r.floatOr("rope.freq_base", 10000, 1, 1e12),
		Scaling: r.stringOr("rope.scaling.type", "none"),
		Factor:  1, OriginalContext: c.Context, Magnitude: 1,
	}
	if p.Dim%2 != 0 {
		r.problemf("%srope.dimension_count is %d, want an even number", r.prefix, p.Dim)
	}
	if r.has("rope.scale_linear") && !r.has("rope.scaling.type") {
		p.Scaling, p.Factor = "linear", r.float("rope.scale_linear", 1e-3, 1e6)
	}
	p.Factor = r.floatOr("rope.scaling.factor", p.Factor, 1e-3, 1e6)
	p.OriginalContext = r.intOr("rope.scaling.original_context_length", p.OriginalContext, 1, maxContext)
	ramp := yarnRamp{
		fast: r.floatOr("rope.scaling.yarn_beta_fast", 32, 1e-3, 1e6),
		slow: r.floatOr("rope.scaling.yarn_beta_slow", 1, 1e-3, 1e6),
	}
	attention := r.floatOr("rope.scaling.attn_factor", 1, 1e-3, 1e3)
	switch p.Scaling {
	case "none", "linear", "yarn":
	default:
		r.problemf("%srope.scaling.type is %q, want none, linear or yarn", r.prefix, p.Scaling)
	}
	if len(r.problems) > 0 {
		return p
	}
	p.freq = p.frequencies(ramp)
	if p.Scaling == "yarn" {
		p.Magnitude = attention * (1 + 0.1*math.Log(p.Factor))
	}
	r.divide(p.freq)
	return p
}

// frequencies are base^(-2i/dim), stretched as the scaling asks. YaRN: https://arxiv.org/abs/2309.00071.
func (p Rope) frequencies(ramp yarnRamp) []float64 {
	freq := make([]float64, p.Dim/2)
	first, last := p.rampEnds(ramp)
	for i := range freq {
		freq[i] = math.Pow(p.Base, -2*float64(i)/float64(p.Dim))
		switch p.Scaling {
		case "linear":
			freq[i] /= p.Factor
		case "yarn":
			keep := 1 - min(max((float64(i)-first)/max(last-first, 1e-3), 0), 1)
			freq[i] = freq[i]*keep + freq[i]/p.Factor*(1-keep)
		}
	}
	return freq
}

// rampEnds are the indices of the frequencies at which YaRN's ramp begins and ends.
func (p Rope) rampEnds(ramp yarnRamp) (first, last float64) {
	index := func(turns float64) float64 {
		return float64(p.Dim) * math.Log(float64(p.OriginalContext)/(turns*2*math.Pi)) / (2 * math.Log(p.Base))
	}
	return max(math.Floor(index(ramp.fast)), 0), min(math.Ceil(index(ramp.slow)), float64(p.Dim-1))
}

// divide applies the tensor in which Llama 3 files keep what each frequency is divided by.
func (r *reader) divide(freq []float64) {
	const name = "rope_freqs.weight"
	if _, err := r.f.Tensor(name); err != nil {
		return // most models have none
	}
	for i, d := range r.vector(name, len(freq)) {
		if d <= 0 {
			r.problemf("tensor %q holds %g at %d, want more than 0", name, d, i)
			return
		}
		freq[i] /= float64(d)
	}
}
