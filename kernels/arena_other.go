//go:build !linux

package kernels

// Arena is memory for packed weights.
type Arena struct{ blocks [][]byte }

// Alloc returns n zero bytes.
func (a *Arena) Alloc(n int) ([]byte, error) {
	a.blocks = append(a.blocks, make([]byte, n))
	return a.blocks[len(a.blocks)-1], nil
}

// Free gives the memory back; nothing may use it any more.
func (a *Arena) Free() error {
	a.blocks = nil
	return nil
}
