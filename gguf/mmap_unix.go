//go:build unix

package gguf

import (
	"os"

	"golang.org/x/sys/unix"
)

const canMap = true

// mapFile maps the first n bytes of f for reading. Shared, so that every process which runs a model has one copy of
// it; a file that shrinks faults either way.
func mapFile(f *os.File, n int) (data []byte, release func() error, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() error { return os.NewSyscallError("munmap", unix.Munmap(data)) }, nil
}

// restPages gives whole pages back until they are read again. It is a wish: what goes wrong costs memory only.
func restPages(pages []byte) {
	if len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_DONTNEED)
	}
}
