package kernels

import (
	"fmt"
	"math"
	"testing"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// TestFloatProductsAreDots wants of every instruction set and format, with float32 activations, the bits that decoding a
// row and the Go loop's dot give: for rows and columns that fill tiles and that do not, and for rows of odd lengths.
func TestFloatProductsAreDots(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	for _, f := range quant.Formats() {
		for _, cols := range []int{f.Block, 2 * f.Block, 40, 512, 1040} {
			if cols%f.Block != 0 {
				continue
			}
			const rows, most = 37, 13
			w, x := randomWeights(t, f, rows, cols), randomInput(most, cols, 1).x
			want := dots(f, w, x)
			for _, row := range isas {
				for _, n := range []int{1, 2, 3, 4, 5, 6, 8, most} {
					t.Run(fmt.Sprintf("%s/%s/%dx%d", row.name, f.Name, cols, n), func(t *testing.T) {
						old := active
						defer func() { active = old }()
						active = row
						in, dst := NewInput(n, cols, 2, Float32), tensor.NewMatrix(n, rows)
						in.Set(x.Top(n))
						if err := MatMul(pool, dst, w, in); err != nil {
							t.Fatal(err)
						}
						for i, v := range dst.Data {
							if math.Float32bits(v) != math.Float32bits(want.Data[i]) {
								t.Fatalf("column %d, row %d: %g, want %g", i/rows, i%rows, v, want.Data[i])
							}
						}
					})
				}
			}
		}
	}
}

// dots is the product as its contract says it.
func dots(f *quant.Format, w *tensor.Tensor, x tensor.Matrix) tensor.Matrix {
	dst, row := tensor.NewMatrix(x.Rows, w.Rows()), make([]float32, w.Cols())
	for r := range w.Rows() {
		f.Decode(row, w.Row(r))
		for i := range x.Rows {
			dst.Row(i)[r] = dotGeneric(row, x.Row(i))
		}
	}
	return dst
}

// TestDecodersAreTheFormats wants the bits of the format's own decoder, for every number of sixteen bits among others.
func TestDecodersAreTheFormats(t *testing.T) {
	src := make([]byte, 2<<16)
	for i := range 1 << 16 {
		src[2*i], src[2*i+1] = byte(i), byte(i>>8)
	}
	for _, row := range isas {
		for typ, decode := range row.floats.decode {
			f := format(typ)
			for _, cut := range []int{0, 1} { // a length that fills no register at its end
				n := (len(src)/f.Bytes - cut) * f.Block
				got, want := make([]float32, n), make([]float32, n)
				decode(got, src[:f.RowBytes(n)])
				f.Decode(want, src)
				for i := range want {
					if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
						t.Fatalf("%s, %s: number %d is %x, want %x", row.name, f.Name, i, math.Float32bits(got[i]), math.Float32bits(want[i]))
					}
				}
			}
		}
	}
}

func BenchmarkFloatProducts(b *testing.B) {
	pool := NewPool(1)
	defer pool.Close()
	for _, row := range isas {
		for _, f := range quant.Formats() {
			for _, n := range []int{1, 4, 64} {
				b.Run(fmt.Sprintf("%s/%s/%d", row.name, f.Name, n), func(b *testing.B) {
					old := active
					defer func() { active = old }()
					active = row
					const rows, cols = 512, 2048
					w, x, dst := randomWeights(b, f, rows, cols), randomInput(n, cols, 1).x, tensor.NewMatrix(n, rows)
					in := NewInput(n, cols, 1, Float32)
					in.Set(x)
					for b.Loop() {
						if err := MatMul(pool, dst, w, in); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(n*rows*cols)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
				})
			}
		}
	}
}
