package arm64

// less loads the small offsets of eight rows: as words, a register for each group; where sums are dotted as bytes, two
// registers of four rows for each four groups.
func (p superPanel) less(a *Asm, count counter, w R, h int) []V {
	pairs := a.Vecs(p.pairs())
	disp := p.lesses()
	if p.packed {
		disp = p.subs()
	}
	for i, v := range pairs {
		a.Load(at(w, disp+32*i+16*h), v)
		if p.packed {
			a.shift("VUSHR", "B16", v, v, 4)
		}
	}
	if count.exact {
		return fours(a, pairs)
	}
	var all []V
	for _, odd := range pairs {
		even := a.Vec()
		a.Op("VMOV", odd.of("B16"), even.of("B16"))
		word(a, even, false)
		word(a, odd, true)
		all = append(all, even, odd)
	}
	return all
}

// fours brings the bytes of two pairs of groups side by side.
func fours(a *Asm, pairs []V) []V {
	for i := 0; i < len(pairs); i += 2 {
		even, odd := pairs[i], pairs[i+1]
		a.Scope(func() {
			t := a.Vec()
			a.op3("VZIP1", "H8", t, even, odd)
			a.op3("VZIP2", "H8", odd, even, odd)
			a.Op("VMOV", t.of("B16"), even.of("B16"))
		})
	}
	return pairs
}

// groupSums sets t to Σ over groups of a small offset times the negated sum of the group's activations.
func (p superPanel) groupSums(a *Asm, count counter, less []V, record R, x []V, t [2]V) {
	if p.group == 32 {
		x = x[:1]
		a.Load(at(record, sums32), x[0])
	} else {
		a.LoadPair(at(record, sums16), x[0], x[1])
	}
	if count.exact {
		dotted(a, count, less, x, t)
		return
	}
	for g, v := range less {
		if g == 0 {
			a.SmullWord(t[0], v, x[0], 0)
			a.SmullWord2(t[1], v, x[0], 0)
			continue
		}
		a.SmlalWord(t[0], v, x[g/8], g%8)
		a.SmlalWord2(t[1], v, x[g/8], g%8)
	}
}

// dotted takes a sum as 256 times a signed byte and another: the products with the upper ones first, then 256 times
// these and the products with the lower ones.
func dotted(a *Asm, count counter, less, x []V, t [2]V) {
	a.Scope(func() {
		upper := a.Vec()
		for _, v := range x {
			a.Srshr(16, upper, v, 8)
			a.op3("VUZP1", "B16", v, v, upper)
		}
	})
	add := func(first int) {
		for i, v := range less {
			four := i / 2
			a.Sdot(t[i%2], v, x[four/2], first+four%2)
		}
	}
	a.LoadPair(at(count.start, 0), t[0], t[1])
	add(2)
	a.shift("VSHL", "S4", t[0], t[0], 8)
	a.shift("VSHL", "S4", t[1], t[1], 8)
	add(0)
}
