package sample

// temperature flattens the distribution (above 1) or sharpens it (below), and takes the best candidate at 0:
//
//	logit[t] = logit[t] / T
//
// Dynamic temperature chooses T between temperature - range and temperature + range by how sure the model is. With H the
// entropy of the n candidates:
//
//	T = low + (high - low)·(H / ln n)^exponent
//
// kalomaze: koboldcpp's dynamic temperature (2023).
type temperature struct{ t, spread, exponent float64 }

// coldest is the temperature below which the best candidate is all that is left, and a logit divided by it overflows.
const coldest = 1e-6

func temperatureOff(p *Params) bool {
	return p.Temperature == 1 && (p.DynatempRange == 0 || p.Mirostat != 0)
}

func newTemperature(p *Params, _ *history) stage {
	s := temperature{p.Temperature, p.DynatempRange, p.DynatempExponent}
	if p.Mirostat != 0 {
		s.spread = 0 // mirostat steers by itself
	}
	return s
}

func (s temperature) apply(c *candidates) {
	t := s.t
	if s.spread > 0 {
		t = s.dynamic(c)
	}
	if t < coldest {
		c.top(1)
		return
	}
	c.enlist()
	for i := range c.list {
		c.list[i].logit = float32(float64(c.list[i].logit) / t)
	}
}

func (s temperature) dynamic(c *candidates) float64 {
	c.softmax()
	if len(c.list) < 2 {
		return 1 // one candidate is the same at every temperature
	}
	low, high := max(0, s.t-s.spread), s.t+s.spread
	share := c.entropy() / log(float64(len(c.list)))
	return low + float64((high-low)*pow(share, s.exponent))
}

// pow is x^y for x >= 0.
func pow(x, y float64) float64 {
	switch {
	case y == 0:
		return 1
	case x <= 0:
		return 0
	}
	return exp(float64(y * log(x)))
}
