package sample

// A stage is one sampler of a chain, with its parameters and what it must remember.
type stage interface {
	apply(c *candidates)
}

// row is one sampler: its name in Params.Samplers, when its parameters leave it without effect, and how it is made.
type row struct {
	name  string
	fixed bool // its place in the chain is not the user's choice
	off   func(p *Params) bool
	make  func(p *Params, past *history) stage
}

var table = []row{
	{name: "logit_bias", fixed: true, off: biasOff, make: newBias},
	{name: "penalties", off: penaltiesOff, make: newPenalties},
	{name: "dry", off: dryOff, make: newDry},
	{name: "top_n_sigma", off: sigmaOff, make: newSigma},
	{name: "top_k", off: topKOff, make: newTopK},
	{name: "typ_p", off: typicalOff, make: newTypical},
	{name: "top_p", off: topPOff, make: newTopP},
	{name: "min_p", off: minPOff, make: newMinP},
	{name: "xtc", off: xtcOff, make: newXTC},
	{name: "temperature", off: temperatureOff, make: newTemperature},
	{name: "mirostat", fixed: true, off: mirostatOff, make: newMirostat},
}

// Names are the samplers that Params.Samplers may list.
func Names() []string {
	var names []string
	for _, r := range table {
		if !r.fixed {
			names = append(names, r.name)
		}
	}
	return names
}

// order is the chain that p asks for, by name, fixed stages included.
func (p *Params) order() []string {
	if p.Mirostat != 0 {
		return []string{"logit_bias", "temperature", "mirostat"}
	}
	names := p.Samplers
	if names == nil {
		names = DefaultOrder()
	}
	return append([]string{"logit_bias"}, names...)
}

// chain makes the stages of p that have an effect.
func chain(p *Params, past *history) []stage {
	var stages []stage
	for _, name := range p.order() {
		for _, r := range table {
			if r.name == name && !r.off(p) {
				stages = append(stages, r.make(p, past))
			}
		}
	}
	return stages
}
