package tensor

// Matrix is a dense float32 matrix, row-major.
type Matrix struct {
	Rows, Cols int
	Data       []float32 // [Rows][Cols]
}

// NewMatrix allocates a zero matrix.
func NewMatrix(rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, Data: make([]float32, rows*cols)}
}

// Row is a view of row i, [Cols].
func (m Matrix) Row(i int) []float32 {
	return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols]
}

// Top is a view of the first n rows.
func (m Matrix) Top(n int) Matrix {
	return Matrix{Rows: n, Cols: m.Cols, Data: m.Data[:n*m.Cols]}
}
