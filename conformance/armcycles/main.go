// Command armcycles multiplies sixteen rows of weights by some columns of activations, once: armcycles.py traces it.
package main

import (
	"flag"
	"log"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

func main() {
	format := flag.String("type", "Q4_K", "format of the weights")
	weights := flag.Int("weights", 512, "weights of a row")
	columns := flag.Int("columns", 1, "columns of activations")
	flag.Parse()
	if err := multiply(*format, *weights, *columns); err != nil {
		log.Fatal(err)
	}
}

// multiply meets zeros with zeros: no kernel's way depends on the numbers.
func multiply(format string, weights, columns int) error {
	f, err := quant.ByName(format)
	if err != nil {
		return err
	}
	pool := kernels.NewPool(1)
	defer pool.Close()
	const rows = kernels.PanelRows
	w := &tensor.Tensor{Name: format, Type: f.Type, Shape: []int{weights, rows}, Data: make([]byte, rows*f.RowBytes(weights))}
	packed, err := kernels.Pack(pool, w, &kernels.Arena{})
	if err != nil {
		return err
	}
	in := kernels.NewInput(columns, weights, 1, kernels.Int8)
	in.Set(tensor.NewMatrix(columns, weights))
	return kernels.MatMul(pool, tensor.NewMatrix(columns, rows), packed, in)
}
