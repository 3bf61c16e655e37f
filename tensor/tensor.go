// Package tensor is a typed view of bytes that somebody else owns (usually a mapped file), and a float32 matrix.
package tensor

import (
	"fmt"

	"github.com/nrt-go/nrt/quant"
)

// Tensor is a view; whoever opened the bytes closes them. The opener has checked that Data holds exactly the rows
// that Shape and Type ask for.
type Tensor struct {
	Name  string
	Type  quant.Type
	Shape []int  // GGUF order: Shape[0] is the contiguous one (columns), Shape[1] rows, …; 1 to 4 entries
	Data  []byte // row after row of whole blocks
}

// Cols is the length of a row in weights.
func (t *Tensor) Cols() int { return t.Shape[0] }

// Rows is the product of all dimensions but the first.
func (t *Tensor) Rows() int {
	n := 1
	for _, d := range t.Shape[1:] {
		n *= d
	}
	return n
}

// Elems is the number of weights.
func (t *Tensor) Elems() int { return t.Cols() * t.Rows() }

// Row is the bytes of row i.
func (t *Tensor) Row(i int) []byte {
	n := len(t.Data) / t.Rows()
	return t.Data[i*n : (i+1)*n : (i+1)*n]
}

// DecodeRow writes row i into dst, [Cols].
func (t *Tensor) DecodeRow(dst []float32, i int) error {
	f, err := quant.Lookup(t.Type)
	if err != nil {
		return fmt.Errorf("tensor: %q: %w", t.Name, err)
	}
	f.Decode(dst[:t.Cols()], t.Row(i))
	return nil
}

// String is name, type and shape, as error messages show them.
func (t *Tensor) String() string { return fmt.Sprintf("%s %s %v", t.Name, t.Type, t.Shape) }
