package kernels

import (
	"fmt"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// rowKernel multiplies rows start..end of a weight by every row of an input whose activations have the form it needs.
type rowKernel struct {
	needs needs
	unit  int // start is a multiple of it
	run   func(in *Input, w *room, start, end int)
}

// smallProduct is the number of multiplications below which waking workers costs more than it saves.
const smallProduct = 1 << 15

// MatMul writes to dst [n][rows] the product of the weight w [rows][cols] and the rows of the input [n][cols]:
//
//	dst[i][r] = Σ_c w[r][c] * x[i][c]
//
// Weights in F32, F16, BF16 and every format without an integer kernel meet float32 activations as Dot adds them.
// The others meet int8 activations: integer dots per block, folded to float32 in block order; unless the input is in
// Float32, which takes all weights in their file's order. An error means that the weight's bytes could not be read.
func MatMul(pool *Pool, dst tensor.Matrix, w *tensor.Tensor, in *Input) error {
	rows, cols := w.Rows(), w.Cols()
	if cols != in.x.Cols || dst.Rows != in.x.Rows || dst.Cols != rows {
		panic(fmt.Sprintf("kernels: product %d x %d = %s times %d x %d", dst.Rows, dst.Cols, w, in.x.Rows, in.x.Cols))
	}
	if in.x.Rows == 0 {
		return nil
	}
	kernel, err := kernelFor(w.Type, in.form)
	if err != nil {
		return fmt.Errorf("kernels: %q: %w", w.Name, err)
	}
	if err := in.prepare(pool, kernel.needs); err != nil {
		return err
	}
	in.dst, in.weight, in.kernel, in.rowBytes = dst, w, kernel, len(w.Data)/rows
	chunk := chunkRows(rows, cols*in.x.Rows, pool.Workers())
	return pool.Run(rows, (chunk+kernel.unit-1)/kernel.unit*kernel.unit, in.multiply)
}

// chunkRows cuts a product so that every worker gets several chunks, none so small that handing it out matters.
func chunkRows(rows, perRow, workers int) int {
	return max(rows/(8*workers), smallProduct/max(perRow, 1), 1)
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
	return rowKernel{needsF32, floatGroup, floatRows}, nil
}

func (in *Input) multiplyRows(worker, start, end int) {
	in.kernel.run(in, &in.rooms[worker], start, end)
}

func (in *Input) weightRow(r int) []byte {
	return in.weight.Data[r*in.rowBytes : (r+1)*in.rowBytes]
}
