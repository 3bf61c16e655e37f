package kernels

import (
	"fmt"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// rowKernel multiplies rows start..end of a product's weight, start being a multiple of PanelRows, by every row of an
// input whose activations have the form it needs.
type rowKernel struct {
	needs needs
	run   func(p *product, w *room, start, end int)
}

// Product is a weight [rows][cols] that meets an input [n][cols], and where the result goes, [n][rows].
type Product struct {
	Dst    tensor.Matrix
	Weight *tensor.Tensor
}

// product is a Product under way.
type product struct {
	*Input
	dst      tensor.Matrix
	weight   *tensor.Tensor
	kernel   rowKernel
	rowBytes int
	first    int // the place of its first panel in the loop over all products
}

const (
	// smallProduct is the number of multiplications below which waking workers costs more than it saves.
	smallProduct = 1 << 15
	// smallPiece is the number of multiplications below which handing out a piece costs more than it saves.
	smallPiece = 1 << 14
	// pieceBytes bounds the weights of a piece, which stay in the second-level cache while they meet one group of
	// columns after the other.
	pieceBytes = 512 << 10
)

// MatMul writes to dst [n][rows] the product of the weight w [rows][cols] and the rows of the input [n][cols]:
//
//	dst[i][r] = Σ_c w[r][c] * x[i][c]
//
// Weights in F32, F16, BF16 and every format without an integer kernel meet float32 activations as Dot adds them.
// The others meet int8 activations: integer dots per block, folded to float32 in block order; unless the input is in
// Float32, which takes all weights in their file's order. An error means that the weight's bytes could not be read.
func MatMul(pool *Pool, dst tensor.Matrix, w *tensor.Tensor, in *Input) error {
	return MatMuls(pool, in, nil, Product{dst, w})
}

// MatMuls is MatMul for several weights that meet the same input: workers share out the rows of all of them at once.
// With then, the weights have the same number of rows, and the worker that has computed rows start to end-1 of all
// products calls then for them.
func MatMuls(pool *Pool, in *Input, then func(worker, start, end int), products ...Product) error {
	if in.x.Rows == 0 {
		return nil
	}
	in.then, in.products = then, in.products[:0]
	panels, work, bytes := 0, 0, 0
	for _, p := range products {
		first := panels
		if then != nil {
			first = 0
		}
		if err := in.add(pool, p, first); err != nil {
			return err
		}
		panels = first + panelsOf(p.Weight)
		work += in.x.Rows * p.Weight.Elems()
		bytes += len(p.Weight.Data)
	}
	in.unit = panels
	if work >= smallProduct {
		in.unit = max(1, panels*smallPiece/work)
	}
	units := (panels + in.unit - 1) / in.unit
	return pool.Run(units, min(pieceBytes*units/bytes+1, max(units-1, 1)), in.multiply)
}

// add makes a product part of the loop to come and brings the activations into the form that it needs.
func (in *Input) add(pool *Pool, p Product, first int) error {
	w, dst := p.Weight, p.Dst
	if w.Cols() != in.x.Cols || dst.Rows != in.x.Rows || dst.Cols != w.Rows() {
		panic(fmt.Sprintf("kernels: product %d x %d = %s times %d x %d", dst.Rows, dst.Cols, w, in.x.Rows, in.x.Cols))
	}
	kernel, err := kernelFor(w.Type, in.form)
	if err != nil {
		return fmt.Errorf("kernels: %q: %w", w.Name, err)
	}
	in.products = append(in.products, product{in, dst, w, kernel, len(w.Data) / w.Rows(), first})
	return in.prepare(pool, kernel.needs)
}

// panelsOf is the number of panels that hold a weight's rows.
func panelsOf(w *tensor.Tensor) int { return (w.Rows() + PanelRows - 1) / PanelRows }

// multiplyPieces computes the panels of pieces start to end-1 of all products.
func (in *Input) multiplyPieces(worker, start, end int) {
	start, end = start*in.unit*PanelRows, end*in.unit*PanelRows
	for i := range in.products {
		p := &in.products[i]
		from, to := max(start-p.first*PanelRows, 0), min(end-p.first*PanelRows, p.weight.Rows())
		if from < to {
			p.kernel.run(p, &in.rooms[worker], from, to)
		}
	}
	if in.then != nil {
		in.then(worker, start, min(end, in.products[0].weight.Rows()))
	}
}

func kernelFor(t quant.Type, form Activations) (rowKernel, error) {
	if k, ok := active.rows[t]; ok && form == Int8 {
		return k, nil
	}
	if t&quant.Packed != 0 {
		return rowKernel{}, fmt.Errorf("kernels: found %s weights in panels for int8 activations, want them in their file's order", t&^quant.Packed)
	}
	f, err := quant.Lookup(t)
	if err != nil {
		return rowKernel{}, err
	}
	if f.Decode == nil {
		return rowKernel{}, fmt.Errorf("kernels: format %s cannot be decoded", f.Name)
	}
	return rowKernel{needsF32, floatRows}, nil
}

func (p *product) weightRow(r int) []byte {
	return p.weight.Data[r*p.rowBytes : (r+1)*p.rowBytes]
}
