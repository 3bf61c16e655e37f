package gguf

import (
	"os"
	"unsafe"

	"github.com/nrt-go/nrt/internal/mapping"
	"github.com/nrt-go/nrt/tensor"
)

// Rest says that a tensor's bytes will not be read for a while, usually because they were copied into another order: its
// mapped pages then no longer count as the process's memory. They are there again as soon as they are read. Where the
// file is not mapped nothing happens.
func (f *File) Rest(t *tensor.Tensor) {
	for _, p := range f.parts {
		if p.release != nil && contains(p.data, t.Data) {
			mapping.Rest(wholePages(t.Data))
		}
	}
}

// contains tells whether part is a piece of whole.
func contains(whole, part []byte) bool {
	if len(part) == 0 || len(whole) == 0 {
		return false
	}
	first, at := address(whole), address(part)
	return at >= first && at+uintptr(len(part)) <= first+uintptr(len(whole))
}

// wholePages is the part of data that consists of whole memory pages: neighbours of its ends stay as they are.
func wholePages(data []byte) []byte {
	page := uintptr(os.Getpagesize())
	skip := int(-address(data) & (page - 1))
	if skip >= len(data) {
		return nil
	}
	data = data[skip:]
	return data[:len(data)&^int(page-1)]
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
