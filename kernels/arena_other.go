//go:build !linux

package kernels

const hugePage = 2 << 20

// reserve allocates n zero bytes.
func reserve(n int) (memory []byte, free func() error, err error) {
	return make([]byte, n), func() error { return nil }, nil
}
