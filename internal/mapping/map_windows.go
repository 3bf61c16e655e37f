package mapping

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Available tells whether Map works.
const Available = true

// Map maps the first n bytes of f for reading.
func Map(f *os.File, n int) (data []byte, release func() error, err error) {
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateFileMapping", err)
	}
	addr, err := windows.MapViewOfFile(mapping, windows.FILE_MAP_READ, 0, 0, uintptr(n))
	// The view keeps the mapping alive.
	if closed := windows.CloseHandle(mapping); err == nil {
		err = closed
	}
	if err != nil {
		return nil, nil, errors.Join(os.NewSyscallError("MapViewOfFile", err), unmap(addr))
	}
	// The address is of memory that Go does not manage; vet cannot know that of a plain conversion.
	data = unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), n)
	return data, func() error { return unmap(addr) }, nil
}

func unmap(addr uintptr) error {
	if addr == 0 {
		return nil
	}
	return os.NewSyscallError("UnmapViewOfFile", windows.UnmapViewOfFile(addr))
}

// Rest does nothing: Windows takes pages back by itself.
func Rest([]byte) {}
