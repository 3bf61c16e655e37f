package arm64

import "math"

// floats emits the float32 operations. Sums go in sixteen lanes, four in each of four registers; multiply and add are
// two roundings, as in the Go loops.
func floats(a *Asm) {
	dotLanes(a)
	maximum(a)
	expLanes(a)
	swiglu(a)
	scaleBy(a)
	widen(a)
	widenBrain(a)
	narrow(a)
	decodeNibbles(a)
	decodeBytes(a)
}

// float32s takes a register with v in every lane, words one with bits.
func (a *Asm) float32s(v float32) V { return a.words(math.Float32bits(v)) }

func (a *Asm) words(bits uint32) V {
	v := a.Vec()
	a.Scope(func() {
		r := a.Reg()
		a.Op("MOVD", int(bits), r)
		a.Op("VDUP", r, v.of("S4"))
	})
	return v
}

// zeros takes four cleared registers.
func (a *Asm) zeros() []V {
	vs := a.Vecs(4)
	for _, v := range vs {
		a.Zero(v)
	}
	return vs
}

// loadFour and storeFour move sixteen float32.
func (a *Asm) loadFour(p R, v []V) {
	a.LoadPair(at(p, 0), v[0], v[1])
	a.LoadPair(at(p, 32), v[2], v[3])
}

func (a *Asm) storeFour(v []V, p R) {
	a.StorePair(v[0], v[1], at(p, 0))
	a.StorePair(v[2], v[3], at(p, 32))
}

// sixteen emits body for every sixteen of n elements, with the pointers moved on behind it. n is consumed.
func (a *Asm) sixteen(n R, pointers []R, body func()) {
	a.Op("LSR", 4, n)
	a.Loop("sixteen", n, func() {
		body()
		for _, p := range pointers {
			a.Op("ADD", 64, p)
		}
	})
}

// addProducts adds the products of the sixteen floats at p and at q to the lanes.
func (a *Asm) addProducts(p, q R, lanes []V) {
	a.Scope(func() {
		x, y := a.Vecs(4), a.Vecs(4)
		a.loadFour(p, x)
		a.loadFour(q, y)
		for i, l := range lanes {
			a.Fmul(x[i], x[i], y[i])
			a.Fadd(l, l, x[i])
		}
	})
}

func dotLanes(a *Asm) {
	a.Func("dotLanesAsm", "lane *[16]float32, a *float32, b *float32, n int",
		"sets lane i mod 16 to the sum of a[i]*b[i]; n is a multiple of 16, at least 16.")
	lane, x, y, n := a.Param("lane"), a.Param("a"), a.Param("b"), a.Param("n")
	sums := a.zeros()
	a.sixteen(n, []R{x, y}, func() { a.addProducts(x, y, sums) })
	a.storeFour(sums, lane)
	a.Return()
}

// maximum needs no special case: FMAX of a NaN and anything is a NaN.
func maximum(a *Asm) {
	a.Func("maxAsm", "x *float32, n int", "is the largest of n elements, or NaN where there is one; n is a multiple of 8, at least 8.", "float32")
	x, n := a.Param("x"), a.Param("n")
	most, v := a.Vecs(2), a.Vecs(2)
	a.LoadPair(at(x, 0), most[0], most[1])
	a.Op("LSR", 3, n)
	a.Loop("eight", n, func() {
		a.LoadPair(at(x, 0), v[0], v[1])
		for i, m := range most {
			a.Fmax(m, m, v[i])
		}
		a.Op("ADD", 32, x)
	})
	a.Fmax(most[0], most[0], most[1])
	a.Fmaxv(most[0], most[0])
	a.Op("FMOVS", float(most[0]), a.frame("ret"))
	a.Return()
}

// exponential is the Go loop's exp32 with its constants in registers.
type exponential struct {
	log2e, round, ln2hi, ln2lo, one, bias V
	lowest, highest, infinity             V
	polynomial                            []V
}

func newExponential(a *Asm) exponential {
	e := exponential{
		log2e: a.float32s(1.44269504), round: a.float32s(12582912), ln2hi: a.float32s(0.693359375), ln2lo: a.float32s(-2.12194440e-4),
		one: a.float32s(1), bias: a.words(127),
		lowest: a.float32s(-87.33654), highest: a.float32s(88.72283), infinity: a.float32s(float32(math.Inf(1))),
	}
	for _, c := range []float32{1.9875691e-4, 1.3981999e-3, 8.3334519e-3, 4.1665796e-2, 1.6666665e-1, 5.0000001e-1} {
		e.polynomial = append(e.polynomial, a.float32s(c))
	}
	return e
}

// of sets p to e to the x in every lane.
func (e exponential) of(a *Asm, p, x V) {
	a.Scope(func() {
		n, r := a.Vec(), a.Vec()
		a.Fmul(n, x, e.log2e)
		a.Fadd(n, n, e.round)
		a.Fsub(n, n, e.round)
		a.Fmul(p, n, e.ln2hi)
		a.Fsub(r, x, p)
		a.Fmul(p, n, e.ln2lo)
		a.Fsub(r, r, p)
		a.Fmul(p, r, e.polynomial[0])
		for _, c := range e.polynomial[1:] {
			a.Fadd(p, p, c)
			a.Fmul(p, p, r)
		}
		a.Fmul(p, p, r)
		a.Fadd(p, p, r)
		a.Fadd(p, p, e.one)
		half := r
		a.Fcvtns(n, n)
		a.shift("VUSHR", "S4", half, n, 31) // one where n is negative: the division rounds towards zero
		a.op3("VADD", "S4", half, half, n)
		a.Sshr(32, half, half, 1)
		a.op3("VSUB", "S4", n, n, half)
		for _, power := range []V{half, n} {
			a.op3("VADD", "S4", power, power, e.bias)
			a.shift("VSHL", "S4", power, power, 23)
			a.Fmul(p, p, power)
		}
		mask := r
		a.Fcmgt(mask, e.lowest, x)
		a.op3("VEOR", "B16", n, n, n)
		a.op3("VBIT", "B16", p, n, mask)
		a.Fcmgt(mask, x, e.highest)
		a.op3("VBIT", "B16", p, e.infinity, mask)
		a.Fcmeq(mask, x, x)
		a.op3("VBIF", "B16", p, x, mask)
	})
}

func expLanes(a *Asm) {
	a.Func("expLanesAsm", "lane *[16]float32, x *float32, max float32, n int",
		"replaces x[i] by e^(x[i]-max) and sets lane i mod 16 to their sum; n is a multiple of 16, at least 16.")
	lane, x, n := a.Param("lane"), a.Param("x"), a.Param("n")
	top := a.FloatParam("max")
	a.Op("VDUP", top.lane("S", 0), top.of("S4"))
	expSums(a, lane, x, n, top)
}

// expSums emits the rest of a function that replaces x by e^(x-top) and sums it up in sixteen lanes.
func expSums(a *Asm, lane, x, n R, top V) {
	sums, e := a.zeros(), newExponential(a)
	a.sixteen(n, []R{x}, func() {
		for i, s := range sums {
			a.Scope(func() {
				v, p := a.Vec(), a.Vec()
				a.Load(at(x, 16*i), v)
				a.Fsub(v, v, top)
				e.of(a, p, v)
				a.Store(p, at(x, 16*i))
				a.Fadd(s, s, p)
			})
		}
	})
	a.storeFour(sums, lane)
	a.Return()
}

// eight emits body for every eight of n elements, with the pointers moved on behind it by as many bytes as an element
// has. n is consumed.
func (a *Asm) eight(n R, body func(), pointers []R, bytes []int) {
	a.Op("LSR", 3, n)
	a.Loop("eight", n, func() {
		body()
		for i, p := range pointers {
			a.Op("ADD", 8*bytes[i], p)
		}
	})
	a.Return()
}

func swiglu(a *Asm) {
	a.Func("swigluAsm", "gate *float32, up *float32, n int",
		"replaces gate by gate/(1+e^-gate)*up; n is a multiple of 8, at least 8.")
	gate, up, n := a.Param("gate"), a.Param("up"), a.Param("n")
	e := newExponential(a)
	a.eight(n, func() {
		g, u, minus, p := a.Vecs(2), a.Vecs(2), a.Vec(), a.Vec()
		a.LoadPair(at(gate, 0), g[0], g[1])
		a.LoadPair(at(up, 0), u[0], u[1])
		for i, v := range g {
			a.Fneg(minus, v)
			e.of(a, p, minus)
			a.Fadd(p, p, e.one)
			a.Fdiv(v, v, p)
			a.Fmul(v, v, u[i])
		}
		a.StorePair(g[0], g[1], at(gate, 0))
	}, []R{gate, up}, []int{4, 4})
}

func scaleBy(a *Asm) {
	a.Func("scaleByAsm", "dst *float32, x *float32, weight *float32, n int, scale float32",
		"writes x*scale*weight to dst; n is a multiple of 8, at least 8.")
	dst, x, weight, n := a.Param("dst"), a.Param("x"), a.Param("weight"), a.Param("n")
	scale := a.FloatParam("scale")
	a.eight(n, func() {
		v, w := a.Vecs(2), a.Vecs(2)
		a.LoadPair(at(x, 0), v[0], v[1])
		a.LoadPair(at(weight, 0), w[0], w[1])
		for i := range v {
			a.FmulLane(v[i], v[i], scale, 0)
			a.Fmul(v[i], v[i], w[i])
		}
		a.StorePair(v[0], v[1], at(dst, 0))
	}, []R{dst, x, weight}, []int{4, 4, 4})
}

func widen(a *Asm) {
	a.Func("widenAsm", "dst *float32, src *uint16, n int",
		"widens half-precision numbers; n is a multiple of 8, at least 8.")
	dst, src, n := a.Param("dst"), a.Param("src"), a.Param("n")
	a.eight(n, func() {
		v := halves(a, src, 0)
		a.StorePair(v[0], v[1], at(dst, 0))
	}, []R{dst, src}, []int{4, 2})
}

func widenBrain(a *Asm) {
	a.Func("widenBrainAsm", "dst *float32, src *uint16, n int",
		"widens bfloat16 numbers; n is a multiple of 8, at least 8.")
	dst, src, n := a.Param("dst"), a.Param("src"), a.Param("n")
	a.eight(n, func() {
		v := brains(a, src, 0)
		a.StorePair(v[0], v[1], at(dst, 0))
	}, []R{dst, src}, []int{4, 2})
}

func narrow(a *Asm) {
	a.Func("narrowAsm", "dst *uint16, src *float32, n int",
		"rounds to half precision, ties to even; n is a multiple of 8, at least 8.")
	dst, src, n := a.Param("dst"), a.Param("src"), a.Param("n")
	a.eight(n, func() {
		v, h := a.Vecs(2), a.Vec()
		a.LoadPair(at(src, 0), v[0], v[1])
		a.Fcvtn(h, v[0])
		a.Fcvtn2(h, v[1])
		a.Store(h, at(dst, 0))
	}, []R{dst, src}, []int{2, 4})
}
