package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// randomWeights is a tensor of random blocks: any code may occur, but scales are such that no weight is above 8.
func randomWeights(t testing.TB, f *quant.Format, rows, cols int) *tensor.Tensor {
	t.Helper()
	w := &tensor.Tensor{Name: f.Name, Type: f.Type, Shape: []int{cols, rows}, Data: make([]byte, rows*f.RowBytes(cols))}
	if f.Block == 1 {
		f.Encode(w.Data, randoms(11, rows*cols))
		return w
	}
	r := rand.New(rand.NewPCG(12, 13))
	values := make([]float32, f.Block)
	for at := 0; at < len(w.Data); at += f.Bytes {
		block := w.Data[at : at+f.Bytes]
		for largest := 0.0; !(largest > 1e-3 && largest < 8); {
			for i := range block {
				block[i] = byte(r.Uint32())
			}
			f.Decode(values, block)
			largest = magnitude(values)
		}
	}
	return w
}

// magnitude is the largest |x|, or NaN.
func magnitude(x []float32) float64 {
	var m float64
	for _, v := range x {
		m = math.Max(m, math.Abs(float64(v)))
	}
	return m
}

// seen is the activations as a kernel sees them: quantised and widened again.
func seen(in *Input, form needs, i int) []float64 {
	out := make([]float64, in.x.Cols)
	for c := range out {
		switch form {
		case needs32:
			out[c] = float64(in.row32(i).q[c]) * float64(in.row32(i).scale[c/32])
		case needs256:
			out[c] = float64(in.row256(i).q[c]) * float64(in.row256(i).scale[c/256])
		default:
			out[c] = float64(in.x.Row(i)[c])
		}
	}
	return out
}

func randomInput(n, cols, workers int) *Input {
	in := NewInput(n, cols, workers, Int8)
	in.Set(tensor.Matrix{Rows: n, Cols: cols, Data: randoms(14, n*cols)})
	return in
}

func TestMatMulOfEveryFormatAgainstFloat64(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	for _, f := range quant.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			for _, blocks := range []int{1, 2, 3} {
				const n, rows = 3, 37
				cols := blocks * f.Block
				w, in, dst := randomWeights(t, f, rows, cols), randomInput(n, cols, 2), tensor.NewMatrix(n, rows)
				if err := MatMul(pool, dst, w, in); err != nil {
					t.Fatal(err)
				}
				kernel, err := kernelFor(f.Type, Int8)
				if err != nil {
					t.Fatal(err)
				}
				row := make([]float32, cols)
				for r := range rows {
					f.Decode(row, w.Row(r))
					for i := range n {
						var want, scale float64
						for c, x := range seen(in, kernel.needs, i) {
							want += float64(row[c]) * x
							scale += math.Abs(float64(row[c])*x) + 8*math.Abs(x) // an offset may cancel a scale
						}
						near(t, fmt.Sprintf("%d blocks: dst[%d][%d]", blocks, i, r), dst.Row(i)[r], want, scale, 1e-6)
					}
				}
			}
		})
	}
}

func TestMatMulDoesNotDependOnBatchOrWorkers(t *testing.T) {
	for _, f := range quant.Formats() {
		const n, rows, cols = 7, 150, 512
		w, all := randomWeights(t, f, rows, cols), randoms(14, n*cols)
		var want tensor.Matrix
		for workers := 1; workers <= 3; workers++ {
			pool := NewPool(workers)
			in, dst := NewInput(n, cols, workers, Int8), tensor.NewMatrix(n, rows)
			for _, batch := range []int{n, 3, 1} {
				for start := 0; start < n; start += batch {
					end := min(start+batch, n)
					in.Set(tensor.Matrix{Rows: end - start, Cols: cols, Data: all[start*cols : end*cols]})
					part := tensor.Matrix{Rows: end - start, Cols: rows, Data: dst.Data[start*rows : end*rows]}
					if err := MatMul(pool, part, w, in); err != nil {
						t.Fatal(err)
					}
				}
				if want.Data == nil {
					want = tensor.Matrix{Rows: n, Cols: rows, Data: append([]float32(nil), dst.Data...)}
				}
				for i, v := range want.Data {
					if dst.Data[i] != v {
						t.Fatalf("%s, %d workers, batch %d: element %d is %g, was %g", f.Name, workers, batch, i, dst.Data[i], v)
					}
				}
				clear(dst.Data)
			}
			pool.Close()
		}
	}
}

func TestMatMulLetsWhatIsNotFiniteThrough(t *testing.T) {
	pool := NewPool(1)
	defer pool.Close()
	for _, f := range quant.Formats() {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			const rows, cols = 3, 512
			w, in, dst := randomWeights(t, f, rows, cols), randomInput(1, cols, 1), tensor.NewMatrix(1, rows)
			in.x.Data[300] = float32(bad)
			if err := MatMul(pool, dst, w, in); err != nil {
				t.Fatal(err)
			}
			for r, v := range dst.Data {
				if !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) {
					t.Errorf("%s: an activation of %g gave %g in row %d", f.Name, bad, v, r)
				}
			}
		}
	}
}

func TestQuantiseRounds(t *testing.T) {
	x := randoms(15, 512)
	copy(x[32:64], make([]float32, 32)) // a block of zeros
	for i := range 32 {
		x[64+i] = 1e-38 // a block too small to count
	}
	in := NewInput(1, 512, 1, Int8)
	in.Set(tensor.Matrix{Rows: 1, Cols: 512, Data: x})
	in.quantiseRows32(0, 0, 1)
	in.quantiseRows256(0, 0, 1)
	checkBlocks(t, x, in.q32, in.scale32, 32)
	checkBlocks(t, x, in.q256, in.scale256, 256)
	for b, got := range in.sum32 {
		near(t, "sum", got, float64(sumOf(in.q32[b*32:b*32+32]))*float64(in.scale32[b]), 1, 1e-6)
	}
	for g, got := range in.sums256 {
		if want := sumOf(in.q256[g*16 : g*16+16]); int(got) != want {
			t.Errorf("sum of sixteen %d is %d, want %d", g, got, want)
		}
	}
}

// checkBlocks wants every element within half a step, and the largest of a block at ±127.
func checkBlocks(t *testing.T, x []float32, q []int8, scale []float32, block int) {
	t.Helper()
	for b, s := range scale {
		part := x[b*block : (b+1)*block]
		if m := magnitude(part); m >= tiny {
			near(t, "scale", s, m/127, m, 1e-7)
		} else if s != 0 {
			t.Errorf("block %d of %g has scale %g, want 0", b, m, s)
		}
		for i, v := range part {
			near(t, "element", float32(q[b*block+i])*s, float64(v), 1, 0.50001*float64(s)+1e-37)
		}
	}
}

func sumOf(q []int8) int {
	n := 0
	for _, v := range q {
		n += int(v)
	}
	return n
}

func TestMatMulRefusesAnUnknownFormat(t *testing.T) {
	pool := NewPool(1)
	defer pool.Close()
	w := &tensor.Tensor{Name: "w", Type: 9999, Shape: []int{32, 1}, Data: make([]byte, 32)}
	if err := MatMul(pool, tensor.NewMatrix(1, 1), w, randomInput(1, 32, 1)); err == nil {
		t.Error("a tensor of type 9999 was multiplied")
	}
}

func TestMatMulAllocatesNothing(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	for _, f := range quant.Formats() {
		w, in, dst := randomWeights(t, f, 64, 256), randomInput(2, 256, 2), tensor.NewMatrix(2, 64)
		x := in.x
		n := testing.AllocsPerRun(10, func() {
			in.Set(x)
			if err := MatMul(pool, dst, w, in); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%s: a product allocates %g times", f.Name, n)
		}
	}
}

func BenchmarkMatMul(b *testing.B) {
	pool := NewPool(1)
	defer pool.Close()
	for _, f := range quant.Formats() {
		for _, n := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/batch=%d", f.Name, n), func(b *testing.B) {
				const rows, cols = 256, 2048
				w, in, dst := randomWeights(b, f, rows, cols), randomInput(n, cols, 1), tensor.NewMatrix(n, rows)
				x := in.x
				for b.Loop() {
					in.Set(x)
					if err := MatMul(pool, dst, w, in); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n*rows*cols)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
			})
		}
	}
}
