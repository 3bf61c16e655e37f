package arm64

import "math/bits"

// machine is an instruction set. A panel's sixteen rows are walked in two halves of eight: a group, the same four
// weights of eight rows, is two registers.
type machine interface {
	suffix() string
	// columns is how many columns dot takes at once.
	columns() int
	// wide says that sums have 32 bits from the first product on.
	wide() bool
	// arrange brings what unpack has left into the order that dot reads. Where it takes off the bias, none is left.
	arrange(a *Asm, groups [][2]V, bias int) int
	// dot returns eight sums for each column. Registers of activations are free afterwards, unless they are kept.
	dot(a *Asm, p product) [][2]V
}

// product is that of groups of signed bytes, less bias, and the activations of some columns, four for each group.
type product struct {
	groups [][2]V
	x      [][]V // of each column
	top    int   // the largest magnitude among the weights
	bias   int
	metas  []V // where there is a bias: of each column, with the sum of its activations times -8
	count  counter
	keep   bool // activations are met again
}

// begin returns the sums of a column before the first product, less what the bias takes off.
func (p product) begin(a *Asm, column int) [2]V {
	s := [2]V{a.Vec(), a.Vec()}
	if p.bias == 0 {
		a.LoadPair(at(p.count.start, 0), s[0], s[1])
		return s
	}
	a.shift("VSHL", "S4", s[0], p.metas[column], bits.Len(uint(p.bias/8))-1)
	if p.count.exact {
		a.op3("VADD", "S4", s[0], s[0], p.count.rounder)
	}
	a.Op("VDUP", s[0].lane("S", metaLess8), s[0].of("S4"))
	a.Op("VMOV", s[0].of("B16"), s[1].of("B16"))
	return s
}

// eachColumn emits body for the columns that a machine takes at once, n in all, with a register for each column and
// walker. Of an odd number the last is met as both columns of a pair: body must load everything before it stores.
func eachColumn(a *Asm, columns int, name string, n R, walkers []walker, body func(at [][]R)) {
	firsts := make([]R, len(walkers))
	for i, w := range walkers {
		firsts[i] = w.at
	}
	count := a.Copy(n)
	if columns == 1 {
		a.Loop(name, count, func() {
			body([][]R{firsts})
			for _, w := range walkers {
				a.Op("ADD", w.step, w.at)
			}
		})
		return
	}
	label := a.Label(name)
	a.Scope(func() {
		a.Op("CMP", 1, count)
		seconds := make([]R, len(walkers))
		for i, w := range walkers {
			seconds[i] = a.Reg()
			a.Op("ADD", w.step, w.at, seconds[i])
			a.Op("CSEL", "GT", seconds[i], w.at, seconds[i])
		}
		body([][]R{firsts, seconds})
		for i, w := range walkers {
			a.Op("ADD", w.step, seconds[i], w.at)
		}
	})
	a.Op("SUBS", 2, count)
	a.Op("BGT", label)
}

// walker is a pointer that goes from column to column.
type walker struct {
	at   R
	step int
}

// Kernels emits everything that package kernels has for arm64.
func Kernels(a *Asm) {
	for _, m := range []machine{base{}, dotprod{}, i8mm{}} {
		rows32(a, m)
		rows256(a, m)
	}
	oneColumn(a)
	attention(a)
	floats(a)
	floatProducts(a)
	records(a)
}
