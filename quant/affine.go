package quant

import "math"

// affine is the search behind Q2_K, Q4_K and Q5_K: 256 weights w ≈ d·s·q − dmin·m with one s and one m a sub-block.
//
// It minimises a weighted square error (see block) by descent. Each sub-block first finds the real scale and minimum
// that suit it best; the largest of them fix d and dmin; then each sub-block picks the whole s and m, near its real
// ones, with the least error, and d and dmin are solved anew for those picks, until that gains no more. Every step is
// judged by the error of the bytes that would be written, so it only ever goes down.
//
// Sums are float64 and products are rounded before they are added: all machines find the same bytes.
type affine struct {
	sub  int     // weights per sub-block: 16 or 32
	qmax int64   // quants are 0…qmax
	smax float64 // s and m are 0…smax
}

// affineFit is what a block of 256 stores, less the quants, and what it costs.
type affineFit struct {
	d, dmin float64     // halves
	s, m    [16]float64 // whole numbers
	cost    [16]float64 // weighted square error of each sub-block
}

// How far the searches go. Twice as far costs twice the time and gains less than one percent of the error.
const (
	grids     = 3   // so many coarser and so many finer grids are tried for a sub-block's real scale,
	gridStep  = 0.3 // this part of a quant apart
	firstPick = 2   // how far from its real value a whole scale is searched before d is solved,
	nextPick  = 1   // and after
	rounds    = 2   // of solving d anew
)

// fit searches a block.
func (g affine) fit(b *block) affineFit {
	var scale, least [16]float64
	for i := range 256 / g.sub {
		scale[i], least[i] = g.ideal(b.part(i, g.sub))
	}
	best := affineFit{d: halfAbove(largest(&scale) / g.smax), dmin: halfAbove(largest(&least) / g.smax)}
	g.pick(&best, b, &scale, &least, firstPick)
	for range rounds {
		next := g.solve(&best, b)
		for i := range 256 / g.sub {
			scale[i], least[i] = float64(best.d*best.s[i]), float64(best.dmin*best.m[i])
		}
		g.pick(&next, b, &scale, &least, nextPick)
		if total(&next.cost) >= total(&best.cost) {
			break
		}
		best = next
	}
	return best
}

// ideal is the real scale and minimum, both at least 0, with which a sub-block loses least. It tries grids a little
// coarser and finer than the one that just spans the weights, for clipping one of them may help the others, and lets
// least squares move each.
func (g affine) ideal(x, w []float64) (scale, least float64) {
	lowest, highest := 0.0, math.Inf(-1)
	for _, v := range x {
		lowest, highest = min(lowest, v), max(highest, v)
	}
	if highest <= lowest {
		return 0, -lowest
	}
	best := math.Inf(1)
	for grid := -grids; grid <= grids; grid++ {
		a, b, cost := g.refit(x, w, (highest-lowest)/(float64(g.qmax)+float64(gridStep*float64(grid))), -lowest)
		if cost < best {
			best, scale, least = cost, a, b
		}
	}
	for range rounds {
		a, b, cost := g.refit(x, w, scale, least)
		if cost >= best {
			break
		}
		best, scale, least = cost, a, b
	}
	return scale, least
}

// refit keeps the quants that scale and least give and solves for the real scale and minimum that suit them best, with
// a minimum of 0 where theirs would be below.
func (g affine) refit(x, w []float64, scale, least float64) (a, b, cost float64) {
	var n, q, qq, xq, sx, xx float64
	inv := invert(scale)
	for i, v := range x {
		k := float64(g.round((v + least) * inv))
		wk, wv := float64(w[i]*k), float64(w[i]*v)
		n += w[i]
		q += wk
		qq += float64(wk * k)
		xq += float64(wk * v)
		sx += wv
		xx += float64(wv * v)
	}
	det := float64(n*qq) - float64(q*q)
	cov := float64(n*xq) - float64(q*sx)
	if det > 0 && cov > 0 {
		a = cov / det
		if b = (float64(a*q) - sx) / n; b >= 0 {
			return a, b, xx - float64(sx*sx)/n - float64(cov*cov)/float64(n*det)
		}
	}
	if xq <= 0 {
		return 0, 0, xx
	}
	return xq / qq, 0, xx - float64(xq*xq)/qq
}

// pick chooses s and m of every sub-block: s within reach of its real scale, m within 1 of its real minimum.
func (g affine) pick(f *affineFit, b *block, scale, least *[16]float64, reach float64) {
	for i := range 256 / g.sub {
		x, w := b.part(i, g.sub)
		s0, m0 := min(g.smax, nearest(scale[i], f.d)), min(g.smax, nearest(least[i], f.dmin))
		f.cost[i] = math.Inf(1)
		for s := max(0, s0-reach); s <= min(g.smax, s0+reach); s++ {
			for m := max(0, m0-1); m <= min(g.smax, m0+1); m++ {
				if cost := g.cost(x, w, float64(f.d*s), float64(f.dmin*m), f.cost[i]); cost < f.cost[i] {
					f.cost[i], f.s[i], f.m[i] = cost, s, m
				}
			}
		}
	}
}

// solve is least squares for d and dmin with everything else as it stands.
func (g affine) solve(f *affineFit, b *block) affineFit {
	var ss, sm, mm, xs, xm float64
	for i := range 256 / g.sub {
		s, m := f.s[i], f.m[i]
		inv, least := invert(f.d*s), float64(f.dmin*m)
		x, w := b.part(i, g.sub)
		for j, v := range x {
			a := s * float64(g.round((v+least)*inv))
			wa, wm := float64(w[j]*a), float64(w[j]*m)
			ss += float64(wa * a)
			sm += float64(wa * m)
			mm += float64(wm * m)
			xs += float64(wa * v)
			xm += float64(wm * v)
		}
	}
	next := affineFit{d: f.d, dmin: f.dmin}
	if det := float64(ss*mm) - float64(sm*sm); det > 0 {
		next.d = nearHalf((float64(xs*mm) - float64(sm*xm)) / det)
		next.dmin = nearHalf((float64(sm*xs) - float64(ss*xm)) / det)
	} else if ss > 0 {
		next.d = nearHalf(xs / ss)
	}
	return next
}

// cost is the weighted square error of a sub-block at a scale and minimum with its best quants, or anything from limit up.
func (g affine) cost(x, w []float64, scale, least, limit float64) float64 {
	inv, sum := invert(scale), 0.0
	for len(x) >= 8 && sum < limit {
		for i, v := range x[:8] {
			e := float64(scale*float64(g.round((v+least)*inv))) - least - v
			sum += float64(float64(e*e) * w[i])
		}
		x, w = x[8:], w[8:]
	}
	return sum
}

// round is the quant nearest to a real one. The conversion keeps x, a product, from being fused with the sum.
func (g affine) round(x float64) int64 { return min(g.qmax, max(0, int64(float64(x)+0.5))) }

// invert is 1/scale, or 0 for the scale of a sub-block without spread.
func invert(scale float64) float64 {
	if scale <= 0 {
		return 0
	}
	return 1 / scale
}

// nearest is how many units come closest to a value.
func nearest(value, unit float64) float64 { return math.RoundToEven(value * invert(unit)) }

// nearHalf rounds to a half.
func nearHalf(x float64) float64 { return float64(F16ToF32(F32ToF16(float32(x)))) }

// halfAbove is the smallest half that is not below x ≥ 0: with it as d the largest scale still has an s. For blocks of
// tiny weights, whose d is a subnormal half, rounding down would cut off a third of it.
func halfAbove(x float64) float64 {
	h := F32ToF16(float32(x))
	if float64(F16ToF32(h)) < x {
		h++
	}
	return float64(F16ToF32(h))
}

func largest(v *[16]float64) float64 {
	top := 0.0
	for _, x := range v {
		top = max(top, x)
	}
	return top
}

func total(v *[16]float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum
}
