package kernels

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Arena is memory for packed weights outside the Go heap, in pages of 2 MiB where the kernel has them: walking the page
// tables of small ones costs a third of the read bandwidth.
type Arena struct{ blocks [][]byte }

const hugePage = 2 << 20

// Alloc returns n zero bytes, aligned to a huge page.
func (a *Arena) Alloc(n int) ([]byte, error) {
	size := (n + hugePage - 1) / hugePage * hugePage
	block, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("kernels: %d bytes for packed weights: %w", size, err)
	}
	unix.Madvise(block, unix.MADV_HUGEPAGE) // a hint: without it only speed is lost
	a.blocks = append(a.blocks, block)
	return block[:n:n], nil
}

// Free gives the memory back; nothing may use it any more.
func (a *Arena) Free() error {
	var first error
	for _, b := range a.blocks {
		if err := unix.Munmap(b); err != nil && first == nil {
			first = fmt.Errorf("kernels: packed weights: %w", err)
		}
	}
	a.blocks = nil
	return first
}
