//go:build unix

package mapping

import (
	"os"

	"golang.org/x/sys/unix"
)

// Available tells that Map works.
const Available = true

// Map maps the first n bytes of f for reading.
func Map(f *os.File, n int) (data []byte, release func() error, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return os.NewSyscallError("munmap", unix.Munmap(data)) }, nil
}

// Rest gives whole pages back until they are read again. It is a wish: what goes wrong costs memory only.
func Rest(pages []byte) {
	if len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_DONTNEED)
	}
}
