package arm64

// floatProducts emits the products of float weights and float32 activations. Each pair of a row and a column has its sixteen
// lanes in registers of its own from the first weight to the last; multiply and add are two roundings, and lanes are
// added up as the Go loops do it.
func floatProducts(a *Asm) {
	for _, f := range []storage{
		{"F32", 4, func(a *Asm, from R, disp int) [2]V {
			v := [2]V{a.Vec(), a.Vec()}
			a.LoadPair(at(from, disp), v[0], v[1])
			return v
		}},
		{"F16", 2, halves},
		{"BF16", 2, brains},
	} {
		floatProduct(a, "product"+f.name, f, 4, 1)
		if f.bytes == 4 {
			floatProduct(a, "tile", f, 2, 3)
		}
	}
}

// storage is a format of single weights: how many bytes one takes, and how to load eight of them as float32.
type storage struct {
	name  string
	bytes int
	load  func(a *Asm, from R, disp int) [2]V
}

// brains reads eight bfloat16 numbers.
func brains(a *Asm, from R, disp int) [2]V {
	v := [2]V{a.Vec(), a.Vec()}
	a.Load(at(from, disp), v[0])
	a.Shll2(v[1], v[0])
	a.Shll(v[0], v[0])
	return v
}

// lines takes pointers to n arrays that lie a stride apart.
func lines(a *Asm, base, stride string, n int) []R {
	all := []R{a.Param(base)}
	step := a.Param(stride)
	for len(all) < n {
		next := a.Reg()
		a.Op("ADD", step, all[len(all)-1], next)
		all = append(all, next)
	}
	return all
}

func floatProduct(a *Asm, name string, f storage, rows, columns int) {
	count := []string{"no", "one", "two", "three", "four"}
	a.Func(name+"NEON", "dst *float32, w *byte, x *float32, n int, wStride int, xStride int, dstStride int",
		"multiplies "+count[rows]+" rows of "+f.name+" weights by "+count[columns]+
			" of activations and writes dst [columns][rows]; n is a multiple of 16, at least 16, strides are in bytes.")
	w, x := lines(a, "w", "wStride", rows), lines(a, "x", "xStride", columns)
	dst, stride, n, ahead := a.Param("dst"), a.Param("dstStride"), a.Param("n"), a.Reg()
	if columns == 1 { // weights that come from memory: the next rows are called while these are used
		a.Op("SUB", w[0], w[rows-1], ahead)
		a.Op("ADD", w[1], ahead, ahead)
	}
	sums := make([][][]V, columns)
	for c := range sums {
		for range rows {
			sums[c] = append(sums[c], a.zeros())
		}
	}
	a.Op("LSR", 4, n)
	a.Loop("sixteen", n, func() {
		for half := range 2 {
			a.Scope(func() { multiplyEight(a, f, w, x, half, sums) })
		}
		if columns == 1 {
			for line := 0; line < rows*16*f.bytes; line += 64 {
				a.Op("PRFM", at(ahead, line), "PLDL1KEEP")
			}
			a.Op("ADD", rows*16*f.bytes, ahead)
		}
		for _, p := range w {
			a.Op("ADD", 16*f.bytes, p)
		}
		for _, p := range x {
			a.Op("ADD", 64, p)
		}
	})
	for c, column := range sums {
		if c > 0 {
			a.Op("ADD", stride, dst)
		}
		storeSums(a, column, dst)
	}
	a.Return()
}

// multiplyEight adds to the lanes [columns][rows][4] the products of one half of sixteen weights.
func multiplyEight(a *Asm, f storage, w, x []R, half int, sums [][][]V) {
	weights := make([][2]V, len(w))
	for r, p := range w {
		weights[r] = f.load(a, p, 8*f.bytes*half)
	}
	v, p := a.Vecs(2), a.Vec()
	for c, column := range sums {
		a.LoadPair(at(x[c], 32*half), v[0], v[1])
		for r, lanes := range column {
			for q := range v {
				a.Fmul(p, weights[r][q], v[q])
				a.Fadd(lanes[2*half+q], lanes[2*half+q], p)
			}
		}
	}
}

// storeSums adds up the sixteen lanes of two or four rows and stores the sums side by side. It keeps the order of the Go
// loops: lane j+8 to lane j, then j+4, j+2 and j+1.
func storeSums(a *Asm, rows [][]V, dst R) {
	for _, lanes := range rows {
		a.Fadd(lanes[0], lanes[0], lanes[2])
		a.Fadd(lanes[1], lanes[1], lanes[3])
		a.Fadd(lanes[0], lanes[0], lanes[1])
	}
	var pairs []V
	for r := 0; r < len(rows); r += 2 {
		x, y, low, high := rows[r][0], rows[r+1][0], rows[r][1], rows[r+1][1]
		a.op3("VZIP1", "D2", low, x, y)
		a.op3("VZIP2", "D2", high, x, y)
		a.Fadd(low, low, high)
		pairs = append(pairs, low)
	}
	first, last, even, odd := pairs[0], pairs[len(pairs)-1], rows[0][2], rows[0][3]
	a.op3("VUZP1", "S4", even, first, last)
	a.op3("VUZP2", "S4", odd, first, last)
	a.Fadd(even, even, odd)
	if len(rows) == 4 {
		a.Store(even, at(dst, 0))
	} else {
		a.Op("FMOVD", float(even), at(dst, 0))
	}
}
