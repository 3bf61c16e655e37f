package arm64

// base is what every arm64 has. Products of bytes are added in 16 bits, as many as fit there whatever the activations.
type base struct{}

func (base) suffix() string                         { return "NEON" }
func (base) columns() int                           { return 1 }
func (base) wide() bool                             { return false }
func (base) arrange(_ *Asm, _ [][2]V, bias int) int { return bias }

func (base) dot(a *Asm, p product) [][2]V {
	const word, activation = 32767, 127
	fit := word / (p.top * activation)
	x := p.x[0]
	var sums [2]V
	if p.bias > 0 {
		sums = p.begin(a, 0)
	} else {
		sums = [2]V{a.Vec(), a.Vec()}
	}
	a.Scope(func() {
		four, words := a.Vec(), a.Vecs(4)
		if len(p.groups) <= fit/2 {
			products(a, p.groups, 0, x, four, words)
			for q, s := range sums { // twice as many fit: neighbours too are added in 16 bits
				a.op3("VADDP", "H8", words[2*q], words[2*q], words[2*q+1])
				widen16(a, s, words[2*q], p.bias == 0)
			}
			return
		}
		halves := words // two neighbouring lanes make a row
		if len(p.groups) > fit {
			halves = a.Vecs(4)
		}
		for first := 0; first < len(p.groups); first += fit {
			products(a, p.groups[first:min(first+fit, len(p.groups))], first, x, four, words)
			for i, h := range halves {
				widen16(a, h, words[i], first == 0)
			}
		}
		for q, s := range sums {
			if p.bias == 0 {
				a.op3("VADDP", "S4", s, halves[2*q], halves[2*q+1])
				continue
			}
			a.op3("VADDP", "S4", halves[2*q], halves[2*q], halves[2*q+1])
			a.op3("VADD", "S4", s, s, halves[2*q])
		}
	})
	a.Free(x...)
	return [][2]V{sums}
}

// products sets the 16-bit sums words: rows 0 and 1, 2 and 3, 4 and 5, 6 and 7, four lanes each.
func products(a *Asm, groups [][2]V, first int, x []V, four V, words []V) {
	for i, w := range groups {
		g := first + i
		a.Op("VDUP", x[g/4].lane("S", g%4), four.of("S4"))
		for q, v := range w {
			if i == 0 {
				a.Smull(words[2*q], v, four)
				a.Smull2(words[2*q+1], v, four)
			} else {
				a.Smlal(words[2*q], v, four)
				a.Smlal2(words[2*q+1], v, four)
			}
		}
	}
}

// widen16 adds neighbouring words to d, or sets it.
func widen16(a *Asm, d, words V, set bool) {
	if set {
		a.Saddlp(d, words)
	} else {
		a.Sadalp(d, words)
	}
}
