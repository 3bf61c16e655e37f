//go:build !amd64

package kernels

// candidates are the instruction sets that this architecture has kernels for, best first: none.
func candidates() []candidate { return nil }
