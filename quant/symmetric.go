package quant

import "math"

// symmetric is the search behind Q3_K and Q6_K: 256 weights w ≈ d·s·q, 16 sub-blocks of 16 with a signed s each. It
// goes the way of affine: real scales first, then d, then descent over whole s and d.
type symmetric struct {
	qmin, qmax int64   // quants are qmin…qmax; qmin, the larger, has no mirror image, so the sign of s matters
	smin, smax float64 // s is smin…smax
}

// symmetricFit is what a block of 256 stores, less the quants, and what it costs.
type symmetricFit struct {
	d    float64 // a half
	s    [16]float64
	cost [16]float64 // weighted square error of each sub-block
}

func (g symmetric) fit(b *block) symmetricFit {
	var scale [16]float64
	for i := range scale {
		scale[i] = g.ideal(b.part(i, 16))
	}
	best := symmetricFit{d: halfAbove(g.unit(&scale))}
	g.pick(&best, b, &scale, firstPick)
	for range rounds {
		next := g.solve(&best, b)
		for i := range scale {
			scale[i] = best.d * best.s[i]
		}
		g.pick(&next, b, &scale, nextPick)
		if total(&next.cost) >= total(&best.cost) {
			break
		}
		best = next
	}
	return best
}

// unit is the smallest d with which every scale has its s.
func (g symmetric) unit(scale *[16]float64) float64 {
	d := 0.0
	for _, s := range scale {
		d = max(d, s/g.smax, s/g.smin)
	}
	return d
}

// ideal is the real scale of either sign with which a sub-block loses least, by least squares from grids that put its
// largest weight on or near either end of the quants.
func (g symmetric) ideal(x, w []float64) float64 {
	peak := 0.0
	for _, v := range x {
		if math.Abs(v) > math.Abs(peak) {
			peak = v
		}
	}
	if peak == 0 {
		return 0
	}
	best, scale := 0.0, 0.0
	for grid := -grids; grid <= grids; grid++ {
		extra := float64(gridStep * float64(grid))
		for _, end := range [2]float64{float64(g.qmin) - extra, float64(g.qmax) + extra} {
			if s, gain := g.refit(x, w, peak/end); gain > best {
				best, scale = gain, s
			}
		}
	}
	for range rounds {
		s, gain := g.refit(x, w, scale)
		if gain <= best {
			break
		}
		best, scale = gain, s
	}
	return scale
}

// refit keeps the quants that a scale gives and solves for the scale that suits them best; gain is how much of the weighted
// sum of squares that explains.
func (g symmetric) refit(x, w []float64, scale float64) (s, gain float64) {
	var xq, qq float64
	inv := 1 / scale
	for i, v := range x {
		q := float64(g.round(v * inv))
		wq := float64(w[i] * q)
		xq += float64(wq * v)
		qq += float64(wq * q)
	}
	if qq == 0 {
		return scale, 0
	}
	return xq / qq, float64(xq*xq) / qq
}

// pick chooses s of every sub-block within reach of its real scale.
func (g symmetric) pick(f *symmetricFit, b *block, scale *[16]float64, reach float64) {
	for i := range scale {
		x, w := b.part(i, 16)
		s0 := min(g.smax, max(g.smin, nearest(scale[i], f.d)))
		f.cost[i] = math.Inf(1)
		for s := max(g.smin, s0-reach); s <= min(g.smax, s0+reach); s++ {
			if cost := g.cost(x, w, f.d*s, f.cost[i]); cost < f.cost[i] {
				f.cost[i], f.s[i] = cost, s
			}
		}
	}
}

// solve is least squares for d with everything else as it stands.
func (g symmetric) solve(f *symmetricFit, b *block) symmetricFit {
	var xs, ss float64
	for i, s := range f.s {
		inv := signedInvert(f.d * s)
		x, w := b.part(i, 16)
		for j, v := range x {
			a := s * float64(g.round(v*inv))
			wa := float64(w[j] * a)
			xs += float64(wa * v)
			ss += float64(wa * a)
		}
	}
	if ss == 0 {
		return symmetricFit{d: f.d}
	}
	return symmetricFit{d: nearHalf(xs / ss)}
}

// cost is the weighted square error of a sub-block at a scale with its best quants, or anything from limit up.
func (g symmetric) cost(x, w []float64, scale, limit float64) float64 {
	inv, sum := signedInvert(scale), 0.0
	for len(x) >= 8 && sum < limit {
		for i, v := range x[:8] {
			e := float64(scale*float64(g.round(v*inv))) - v
			sum += float64(float64(e*e) * w[i])
		}
		x, w = x[8:], w[8:]
	}
	return sum
}

// round is the quant nearest to a real one. The shift makes the number positive, where cutting is rounding down; the
// conversion keeps x, a product, from being fused with it.
func (g symmetric) round(x float64) int64 {
	shift := float64(-g.qmin) + 0.5
	return min(g.qmax-g.qmin, max(0, int64(float64(x)+shift))) + g.qmin
}

func signedInvert(scale float64) float64 {
	if scale == 0 {
		return 0
	}
	return 1 / scale
}
