//go:build !amd64

package kernels

// candidates are the instruction sets that this architecture has kernels for, best first: none.
func candidates() []candidate { return nil }

func (c candidate) isa() *isa {
	panic("kernels: " + c.name + " is not an instruction set of this architecture")
}
