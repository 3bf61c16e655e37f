package kernels

import (
	"unsafe"

	"github.com/nrt-go/nrt/quant"
)

// floatRun writes to dst [columns][rows] the products of a few rows of weights at w and a few columns of activations at
// x, both of n numbers, as Dot adds them; n is a multiple of 16. Strides are in bytes.
type floatRun = func(dst *float32, w *byte, x *float32, n, wStride, xStride, dstStride int)

// floatProducts are the products of float weights that an instruction set does better than Go.
type floatProducts struct {
	// rows multiplies productRows rows, in the format in which they are stored, by one column.
	rows map[quant.Type]floatRun
	// tile multiplies tileRows rows of F32 by tileColumns columns.
	tile                  floatRun
	tileRows, tileColumns int
	// decodeFrom is the number of columns from which on it pays to decode what rows could multiply as it is.
	decodeFrom int
	// decode is faster than the format's own.
	decode map[quant.Type]func(dst []float32, src []byte)
}

const (
	productRows = 4
	// floatGroup is how many rows of weights are decoded before they meet the columns: a column that comes from a far
	// cache meets all of them. A multiple of productRows and of every tileRows.
	floatGroup = 8
)

// floatRows is the row kernel where weights meet float32 activations.
func floatRows(p *product, w *room, start, end int) {
	f := &active.floats
	if f.tile != nil && p.x.Cols%16 == 0 {
		for end-start >= productRows {
			n := min(floatGroup, (end-start)/productRows*productRows)
			f.multiply(p, w, start, n)
			start += n
		}
	}
	row := w.f32[:p.x.Cols]
	for ; start < end; start++ {
		f.decodeRows(row, p, start, 1)
		for i := range p.x.Rows {
			p.dst.Data[i*p.dst.Cols+start] = active.dot(row, p.x.Row(i))
		}
	}
}

// decodeRows decodes n rows from row r on.
func (f *floatProducts) decodeRows(dst []float32, p *product, r, n int) {
	decode := f.decode[p.weight.Type]
	if decode == nil {
		format, err := quant.Lookup(p.weight.Type)
		if err != nil {
			panic(err) // kernelFor has looked it up
		}
		decode = format.Decode
	}
	decode(dst[:n*p.x.Cols], p.weight.Data[r*p.rowBytes:(r+n)*p.rowBytes])
}

// multiply is the product of n rows from row r on and all columns: where the weights are float32, as many columns as
// there are in tiles, and the others one by one.
func (f *floatProducts) multiply(p *product, w *room, r, n int) {
	columns, whole := p.x.Rows, 0
	g := floatProduct{p: p, row: r, weights: &p.weight.Data[r*p.rowBytes], stride: p.rowBytes}
	run, decoded := f.rows[p.weight.Type], p.weight.Type == quant.F32
	if !decoded && (run == nil || columns >= f.decodeFrom) {
		f.decodeRows(w.f32, p, r, n)
		run, g.weights, g.stride, decoded = f.rows[quant.F32], (*byte)(unsafe.Pointer(&w.f32[0])), 4*p.x.Cols, true
	}
	if decoded {
		whole = columns - columns%f.tileColumns
	}
	for i := 0; i < whole; i += f.tileColumns {
		for at := 0; at < n; at += f.tileRows {
			g.run(f.tile, at, i)
		}
	}
	for i := whole; i < columns; i++ {
		for at := 0; at < n; at += productRows {
			g.run(run, at, i)
		}
	}
}

// floatProduct is a group of rows under way.
type floatProduct struct {
	p       *product
	row     int // the group's first
	weights *byte
	stride  int
}

// run multiplies from the group's row at and from column i on. It is not inlined, so that the loops around it have a
// place where the runtime can stop them: assembly has none.
//
//go:noinline
func (g *floatProduct) run(run floatRun, at, i int) {
	p := g.p
	w := (*byte)(unsafe.Add(unsafe.Pointer(g.weights), at*g.stride))
	run(&p.dst.Data[i*p.dst.Cols+g.row+at], w, &p.x.Row(i)[0], p.x.Cols, g.stride, 4*p.x.Cols, 4*p.dst.Cols)
}
