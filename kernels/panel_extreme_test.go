package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// halvesOf says where the half-precision numbers of a block lie.
var halvesOf = map[quant.Type][]int{
	quant.Q4_0: {0}, quant.Q4_1: {0, 2}, quant.Q5_0: {0}, quant.Q5_1: {0, 2}, quant.Q8_0: {0}, quant.IQ4_NL: {0},
	quant.Q2_K: {80, 82}, quant.Q3_K: {108}, quant.Q4_K: {0, 2}, quant.Q5_K: {0, 2}, quant.Q6_K: {208},
}

// TestPanelsAtTheirLimits multiplies the largest codes of every format by the largest activations: sums in 16 bits must
// hold them.
func TestPanelsAtTheirLimits(t *testing.T) {
	pool := NewPool(1)
	defer pool.Close()
	var arena Arena
	defer arena.Free()
	const rows, cols, n = 16, 512, 17
	for _, row := range isas {
		for typ := range row.rows {
			if typ&quant.Packed == 0 {
				continue
			}
			typ &^= quant.Packed
			for _, code := range []byte{0x00, 0x0f, 0x7f, 0x80, 0x81, 0xf0, 0xff} {
				for _, alternate := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/%02x/%v", row.name, typ, code, alternate), func(t *testing.T) {
						w := filledWeight(t, typ, rows, cols, code)
						x := tensor.NewMatrix(n, cols)
						rng := rand.New(rand.NewPCG(uint64(code), 1))
						for i := range x.Data {
							x.Data[i] = 1
							if alternate && rng.IntN(2) == 0 {
								x.Data[i] = -1
							}
						}
						comparePacked(t, pool, &arena, row, w, x)
					})
				}
			}
		}
	}
}

// filledWeight has one byte everywhere but in its half-precision numbers, which are 1.
func filledWeight(t *testing.T, typ quant.Type, rows, cols int, code byte) *tensor.Tensor {
	t.Helper()
	halves := halvesOf[typ]
	if len(halves) == 0 {
		t.Fatalf("%s: where are its half-precision numbers?", typ)
	}
	f := format(typ)
	data := make([]byte, rows*f.RowBytes(cols))
	for i := range data {
		data[i] = code
	}
	for o := 0; o < len(data); o += f.Bytes {
		for _, h := range halves {
			data[o+h], data[o+h+1] = 0x00, 0x3c
		}
	}
	return &tensor.Tensor{Name: "w", Type: typ, Shape: []int{cols, rows}, Data: data}
}

// comparePacked holds the product of packed weights against the Go loop's.
func comparePacked(t *testing.T, pool *Pool, arena *Arena, row *isa, w *tensor.Tensor, x tensor.Matrix) {
	t.Helper()
	old := active
	defer func() { active = old }()
	active = row
	p, err := Pack(pool, w, arena)
	if err != nil {
		t.Fatal(err)
	}
	in := NewInput(x.Rows, x.Cols, 1, Int8)
	in.Set(x)
	want, got := tensor.NewMatrix(x.Rows, w.Rows()), tensor.NewMatrix(x.Rows, w.Rows())
	if err := MatMul(pool, want, w, in); err != nil {
		t.Fatal(err)
	}
	if err := MatMul(pool, got, p, in); err != nil {
		t.Fatal(err)
	}
	for i := range want.Data {
		if math.Float32bits(want.Data[i]) != math.Float32bits(got.Data[i]) {
			t.Fatalf("element %d: got %g, want %g", i, got.Data[i], want.Data[i])
		}
	}
}
