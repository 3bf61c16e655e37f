package kernels

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Huge pages are 2 MiB: walking the page tables of small ones costs a third of the read bandwidth.
const hugePage = 2 << 20

// reserve maps n zero bytes, a multiple of hugePage, at the start of a huge page.
func reserve(n int) (memory []byte, free func() error, err error) {
	whole, err := unix.Mmap(-1, 0, n+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, fmt.Errorf("kernels: no memory for %d bytes of packed weights: %w", n, err)
	}
	skip := int(-addressOf(whole) & (hugePage - 1))
	memory = whole[skip : skip+n : skip+n]
	unix.Madvise(memory, unix.MADV_HUGEPAGE) // a wish: a kernel without huge pages is only slower
	return memory, func() error { return unix.Munmap(whole) }, nil
}
