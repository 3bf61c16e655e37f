package arm64

// The layouts of the codes of 32 weights of sixteen rows: package kernels places them (pack.go). Each unpacks half h,
// eight rows, at a displacement from w to eight groups of signed bytes.
type unpack func(a *Asm, w R, disp, h int) [][2]V

// loadHalf loads a vector of eight rows.
func loadHalf(a *Asm, w R, disp, h int) [2]V {
	v := [2]V{a.Vec(), a.Vec()}
	a.LoadPair(at(w, disp+32*h), v[0], v[1])
	return v
}

// mask takes a register with b in every byte.
func mask(a *Asm, b int) V {
	v := a.Vec()
	a.Op("VMOVI", b, v.of("B16"))
	return v
}

func take(a *Asm, n int) [][2]V {
	groups := make([][2]V, n)
	for i := range groups {
		groups[i] = [2]V{a.Vec(), a.Vec()}
	}
	return groups
}

// nibbles reads four vectors: group 2p is in the low halves of vector p, group 2p+1 in the high ones.
func nibbles(a *Asm, w R, disp, h int) [][2]V {
	groups := take(a, 8)
	a.Scope(func() {
		low := mask(a, 0x0f)
		for p := range 4 {
			even, odd := groups[2*p], groups[2*p+1]
			a.LoadPair(at(w, disp+64*p+32*h), odd[0], odd[1])
			for q, v := range odd {
				a.op3("VAND", "B16", even[q], v, low)
				a.shift("VUSHR", "B16", v, v, 4)
			}
		}
	})
	return groups
}

// signed is nibbles of numbers with a sign.
func signed(a *Asm, w R, disp, h int) [][2]V {
	groups := take(a, 8)
	for p := range 4 {
		even, odd := groups[2*p], groups[2*p+1]
		a.LoadPair(at(w, disp+64*p+32*h), odd[0], odd[1])
		for q, v := range odd {
			a.shift("VSHL", "B16", even[q], v, 4)
			a.Sshr(8, even[q], even[q], 4)
			a.Sshr(8, v, v, 4)
		}
	}
	return groups
}

// signed16 is signed times 16.
func signed16(a *Asm, w R, disp, h int) [][2]V {
	groups := take(a, 8)
	a.Scope(func() {
		high := mask(a, 0xf0)
		for p := range 4 {
			even, odd := groups[2*p], groups[2*p+1]
			a.LoadPair(at(w, disp+64*p+32*h), odd[0], odd[1])
			for q, v := range odd {
				a.shift("VSHL", "B16", even[q], v, 4)
				a.op3("VAND", "B16", v, v, high)
			}
		}
	})
	return groups
}

// table looks nibbles up among the sixteen numbers that IQ4_NL's codes stand for.
func table(a *Asm, w R, disp, h int) [][2]V {
	groups := nibbles(a, w, disp, h)
	a.Scope(func() {
		var numbers [16]byte
		for i, v := range []int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113} {
			numbers[i] = byte(v)
		}
		t := a.Vec()
		a.Load(at(a.Constant("nonLinear", numbers[:]), 0), t)
		for _, g := range groups {
			for _, v := range g {
				a.Op("VTBL", v.of("B16"), "["+t.of("B16")+"]", v.of("B16"))
			}
		}
	})
	return groups
}

// five is nibbles with a vector of fifth bits behind: bit g of each byte belongs to group g.
func five(a *Asm, w R, disp, h int) [][2]V {
	groups := nibbles(a, w, disp, h)
	a.Scope(func() {
		fifth, bit, t := loadHalf(a, w, disp+256, h), mask(a, 0x10), a.Vec()
		for g, group := range groups {
			for q, v := range group {
				from := fifth[q]
				if g != 4 {
					a.shiftBytes(t, from, 4-g)
					from = t
				}
				a.op3("VBIT", "B16", v, from, bit)
			}
		}
	})
	return groups
}

// shiftBytes shifts bytes left by n, right where n is negative.
func (a *Asm) shiftBytes(d, n V, bits int) {
	if bits < 0 {
		a.shift("VUSHR", "B16", d, n, -bits)
		return
	}
	a.shift("VSHL", "B16", d, n, bits)
}

// eights reads eight vectors of weights.
func eights(a *Asm, w R, disp, h int) [][2]V {
	groups := make([][2]V, 8)
	for g := range groups {
		groups[g] = loadHalf(a, w, disp+64*g, h)
	}
	return groups
}

// twos reads two vectors: bits 2t and 2t+1 of vector v are group 4v+t.
func twos(a *Asm, w R, disp, h int) [][2]V {
	groups := take(a, 8)
	a.Scope(func() {
		low := mask(a, 0x03)
		for v := range 2 {
			all := groups[4*v+3]
			a.LoadPair(at(w, disp+64*v+32*h), all[0], all[1])
			for t := range 4 {
				for q, d := range groups[4*v+t] {
					switch t {
					case 0:
						a.op3("VAND", "B16", d, all[q], low)
					case 3:
						a.shift("VUSHR", "B16", d, d, 6)
					default:
						a.shift("VUSHR", "B16", d, all[q], 2*t)
						a.op3("VAND", "B16", d, d, low)
					}
				}
			}
		}
	})
	return groups
}

// threes is twos with a vector of third bits behind, less the bias of 4: bit g of each byte belongs to group g.
func threes(a *Asm, w R, disp, h int) [][2]V {
	groups := twos(a, w, disp, h)
	addSigned(a, groups, w, disp+128, h, 1, 2)
	return groups
}

// sixes is nibbles with two vectors of upper bits behind, less the bias of 32: bits 2t and 2t+1 of vector v belong to
// group 4v+t.
func sixes(a *Asm, w R, disp, h int) [][2]V {
	groups := nibbles(a, w, disp, h)
	for v := range 2 {
		addSigned(a, groups[4*v:4*v+4], w, disp+256+64*v, h, 2, 4)
	}
	return groups
}

// addSigned adds fields of width bits at bit place to the groups, and takes off half of what such a field counts to: a
// field less that half is the field's own bits with their sign, once the upper of them is turned over.
func addSigned(a *Asm, groups [][2]V, w R, disp, h, width, place int) {
	flip := map[int]int{1: 0xff, 2: 0xaa}[width]
	a.Scope(func() {
		all, top, t := loadHalf(a, w, disp, h), mask(a, flip), a.Vec()
		for _, v := range all {
			a.op3("VEOR", "B16", v, v, top)
		}
		a.Op("VMOVI", 0xff<<(8-width)&0xff, top.of("B16"))
		for g, group := range groups {
			for q, v := range group {
				from, up := all[q], 8-width-g*width
				if up > 0 {
					a.shift("VSHL", "B16", t, from, up)
					from = t
				}
				a.op3("VAND", "B16", t, from, top)
				a.Ssra(8, v, t, 8-width-place)
			}
		}
	})
}
