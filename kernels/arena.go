package kernels

import (
	"errors"
	"unsafe"
)

// Arena is memory for packed weights, outside the Go heap and in huge pages where the machine has them. The zero value
// is empty. It is for one goroutine at a time.
type Arena struct {
	rest  []byte // of the newest block
	frees []func() error
	bytes int64
}

const (
	arenaBlock = 32 << 20 // what is not used of a block is never touched, so it costs no memory
	cacheLine  = 64
)

// Alloc returns n zero bytes at the start of a cache line.
func (a *Arena) Alloc(n int) ([]byte, error) {
	size := (n + cacheLine - 1) / cacheLine * cacheLine
	if size > len(a.rest) {
		block, free, err := reserve((max(size, arenaBlock) + hugePage - 1) / hugePage * hugePage)
		if err != nil {
			return nil, err
		}
		a.rest, a.frees = block, append(a.frees, free)
	}
	memory := a.rest[:n:n]
	a.rest, a.bytes = a.rest[size:], a.bytes+int64(size)
	return memory, nil
}

// Bytes is what Alloc has handed out.
func (a *Arena) Bytes() int64 { return a.bytes }

// Free gives all memory back; nothing may use it any more.
func (a *Arena) Free() error {
	var errs []error
	for _, free := range a.frees {
		errs = append(errs, free())
	}
	*a = Arena{}
	return errors.Join(errs...)
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
