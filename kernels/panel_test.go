package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

func randomWeight(t testing.TB, typ quant.Type, rows, cols int) *tensor.Tensor {
	f, err := quant.Lookup(typ)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, uint64(typ)))
	data := make([]byte, rows*f.RowBytes(cols))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	x := make([]float32, rows*cols)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	if f.Encode != nil {
		f.Encode(data, x)
	} else {
		for o := 0; o < len(data); o += f.Bytes {
			data[o+1] = data[o+1]&0x83 | 0x20
		}
	}
	return &tensor.Tensor{Name: "w", Type: typ, Shape: []int{cols, rows}, Data: data}
}

func TestPanels(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	for _, row := range isas {
		for typ := range row.rows {
			if typ&quant.Packed == 0 {
				continue
			}
			typ &^= quant.Packed
			for _, shape := range [][3]int{{16, 256, 0}, {16, 256, 1}, {40, 512, 3}, {33, 768, 17}, {16, 512, 11}, {64, 1536, 64}, {16, 256, 33}, {16, 512, 95}} {
				rows, cols, n := shape[0], shape[1], shape[2]
				t.Run(fmt.Sprintf("%s/%s/%dx%dx%d", row.name, typ, rows, cols, n), func(t *testing.T) {
					old := active
					defer func() { active = old }()
					active = row
					w := randomWeight(t, typ, rows, cols)
					x := tensor.NewMatrix(n, cols)
					rng := rand.New(rand.NewPCG(7, 7))
					for i := range x.Data {
						x.Data[i] = float32(rng.NormFloat64())
					}
					in := NewInput(n, cols, pool.Workers(), Int8)
					in.Set(x)
					want, got := tensor.NewMatrix(n, rows), tensor.NewMatrix(n, rows)
					if err := MatMul(pool, want, w, in); err != nil {
						t.Fatal(err)
					}
					p, err := Pack(pool, w, &Arena{})
					if err != nil {
						t.Fatal(err)
					}
					if p == w {
						t.Fatal("not packed")
					}
					if err := MatMul(pool, got, p, in); err != nil {
						t.Fatal(err)
					}
					for i := range want.Data {
						if math.Float32bits(want.Data[i]) != math.Float32bits(got.Data[i]) {
							t.Fatalf("element %d: got %g, want %g", i, got.Data[i], want.Data[i])
						}
					}
				})
			}
		}
	}
}

func BenchmarkPanels(b *testing.B) {
	pool := NewPool(1)
	defer pool.Close()
	for _, row := range isas {
		for typ := range row.rows {
			if typ&quant.Packed == 0 {
				continue
			}
			typ &^= quant.Packed
			for _, n := range []int{1, 8, 64} {
				b.Run(fmt.Sprintf("%s/%s/%d", row.name, typ, n), func(b *testing.B) {
					old := active
					defer func() { active = old }()
					active = row
					const rows, cols = 2048, 2048
					w := randomWeight(b, typ, rows, cols)
					p, _ := Pack(pool, w, &Arena{})
					x := tensor.NewMatrix(n, cols)
					for i := range x.Data {
						x.Data[i] = float32(i % 17)
					}
					in := NewInput(n, cols, 1, Int8)
					in.Set(x)
					dst := tensor.NewMatrix(n, rows)
					for b.Loop() {
						MatMul(pool, dst, p, in)
					}
					b.ReportMetric(2*rows*cols*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GOPS")
					b.ReportMetric(float64(len(p.Data))*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
				})
			}
		}
	}
}

// TestRows holds every float operation of every instruction set against the Go loop, bit for bit.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	odd := []float32{0, float32(math.Copysign(0, -1)), 1e-40, -1e-40, 1e-30, 88.8, -87.4, -104, 65504, 65520, 1e30, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	vector := func(n int, special bool) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * 3)
			if special && rng.IntN(9) == 0 {
				x[i] = odd[rng.IntN(len(odd))]
			}
		}
		return x
	}
	same := func(what string, got, want []float32) {
		t.Helper()
		for i := range want {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && !(want[i] != want[i] && got[i] != got[i]) {
				t.Errorf("%s: element %d of %d: got %g (%x), want %g (%x)", what, i, len(want), got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
				return
			}
		}
	}
	clone := func(x []float32) []float32 { return append([]float32(nil), x...) }
	for _, row := range isas {
		for n := range 100 {
			for _, special := range []bool{false, true} {
				a, b := vector(n, special), vector(n, special)
				what := fmt.Sprintf("%s: %d, special %v: ", row.name, n, special)
				same(what+"dot", []float32{row.dot(a, b)}, []float32{dotGeneric(a, b)})
				if n > 0 {
					same(what+"max", []float32{row.max(a)}, []float32{maxGeneric(a)})
				}
				x, y := clone(a), clone(a)
				top := float32(2.5)
				same(what+"expSum", []float32{row.expSum(x, top)}, []float32{expSumGeneric(y, top)})
				same(what+"exp", x, y)
				x, y = clone(a), clone(a)
				row.swiglu(x, b)
				swigluGeneric(y, b)
				same(what+"swiglu", x, y)
				if n > 0 {
					row.rmsNorm(x, a, b, 1e-5)
					rmsNormGeneric(y, a, b, 1e-5)
					same(what+"rmsNorm", x, y)
				}
				h, g := make([]uint16, n), make([]uint16, n)
				row.toF16(h, a)
				toF16Generic(g, a)
				row.toF32(x, h)
				toF32Generic(y, g)
				same(what+"half", x, y)
				x, y = clone(a), clone(a)
				row.blend(x, b, 0.3, 0.7)
				blendGeneric(y, b, 0.3, 0.7)
				same(what+"blend", x, y)
			}
		}
		for _, special := range []bool{false, true} {
			for range 20 {
				x := vector(512, special)
				if special {
					clear(x[64:96])
				}
				got, want := make([]byte, 3*16*record32), make([]byte, 3*16*record32)
				row.record32(got, x, 2*record32)
				record32Generic(want, x, 2*record32)
				if i := firstDifference(got, want); i >= 0 {
					t.Errorf("%s: record32: byte %d: %d, want %d", row.name, i, got[i], want[i])
				}
				got, want = make([]byte, 5*record256), make([]byte, 5*record256)
				row.record256(got, x, 2*record256)
				record256Generic(want, x, 2*record256)
				if i := firstDifference(got, want); i >= 0 {
					t.Errorf("%s: record256: byte %d: %d, want %d", row.name, i, got[i], want[i])
				}
			}
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
