package arm64

// dotprod has products of four bytes: Cortex-A76, Apple M1, Neoverse N1.
type dotprod struct{}

func (dotprod) suffix() string { return "NEONDot" }
func (dotprod) columns() int   { return 1 }
func (dotprod) wide() bool     { return true }

func (dotprod) arrange(a *Asm, groups [][2]V, bias int) int {
	if bias == 0 {
		return 0
	}
	a.Scope(func() {
		less := mask(a, bias)
		for _, g := range groups {
			for _, v := range g {
				a.op3("VSUB", "B16", v, v, less)
			}
		}
	})
	return 0
}

func (dotprod) dot(a *Asm, p product) [][2]V {
	sums := p.begin(a, 0)
	for g, w := range p.groups {
		for q, v := range w {
			a.Sdot(sums[q], v, p.x[0][g/4], g%4)
		}
	}
	if !p.keep {
		a.Free(p.x[0]...)
	}
	return [][2]V{sums}
}

// i8mm multiplies two rows of eight bytes by two columns: Cortex-A710, Apple M2, Neoverse V1. Two groups of two rows are
// a register then, which costs a permutation of the weights and pays from a few columns on.
type i8mm struct{}

func (i8mm) suffix() string { return "NEONI8MM" }
func (i8mm) columns() int   { return 2 }

func (i8mm) wide() bool { return true }

func (i8mm) arrange(a *Asm, groups [][2]V, bias int) int {
	dotprod{}.arrange(a, groups, bias)
	for g := 0; g < len(groups); g += 2 {
		even, odd := groups[g], groups[g+1]
		for q := range even {
			rows := [2]V{a.Vec(), even[q]}
			a.op3("VZIP1", "S4", rows[0], even[q], odd[q])
			a.op3("VZIP2", "S4", rows[1], even[q], odd[q])
			a.Free(odd[q])
			groups[g+q] = rows
		}
	}
	return 0
}

func (i8mm) dot(a *Asm, p product) [][2]V {
	s := a.Vecs(4)
	a.LoadPair(at(p.count.start, 0), s[0], s[1])
	a.LoadPair(at(p.count.start, 0), s[2], s[3])
	for g := 0; g < len(p.groups); g += 4 {
		first, second := p.x[0][g/4], p.x[1][g/4]
		x := [2]V{a.Vec(), second}
		a.op3("VZIP1", "D2", x[0], first, second)
		a.op3("VZIP2", "D2", x[1], first, second)
		for i, rows := range p.groups[g : g+4] {
			for j, v := range rows {
				a.Smmla(s[i%2*2+j], v, x[i/2])
			}
		}
		a.Free(first, x[0], x[1])
	}
	var sums [2][2]V
	for q := range 2 { // even lanes are the first column, odd ones the second
		upper, lower := s[2*q], s[2*q+1]
		sums[0][q], sums[1][q] = a.Vec(), lower
		a.op3("VUZP1", "S4", sums[0][q], upper, lower)
		a.op3("VUZP2", "S4", sums[1][q], upper, lower)
		a.Free(upper)
	}
	return sums[:]
}
