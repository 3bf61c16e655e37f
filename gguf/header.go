package gguf

import (
	"fmt"
	"io"
	"math/bits"
)

// header is everything in front of a file's weights, checked against the file's size.
type header struct {
	version uint32
	align   uint64
	metadata
	tensors []tensorInfo // in file order
	start   int64        // where the weights begin
	end     int64        // where the last weight ends, at most the file's size
}

// The fewest bytes of a key with its value, and of a tensor's record; that their names are not empty is checked later.
const (
	minKeyBytes    = 8 + 4 + 1
	minTensorBytes = 8 + 4 + 8 + 4 + 8
)

// parse reads and checks a file's header.
func parse(src io.ReaderAt, size int64, path string) (*header, error) {
	r := newReader(src, size, path)
	h := &header{version: r.preamble()}
	tensors := r.count("tensor count", maxTensors, minTensorBytes)
	keys := r.count("key count", maxKeys, minKeyBytes)
	if r.err != nil {
		return nil, r.err
	}
	h.metadata = r.metadata(keys)
	h.align = r.alignment(h.values)
	h.tensors = r.tensors(tensors)
	r.place(h)
	return h, r.err
}

// preamble reads magic and version.
func (r *reader) preamble() uint32 {
	if r.size < 4 || string(r.bytes("magic", 4)) != magic {
		if r.err == nil {
			r.err = notGGUF(r.src, r.size, r.path)
		}
		return 0
	}
	at := r.pos
	v := r.uint32("version")
	switch want := "version 2 or 3, little-endian"; {
	case v == 2 || v == 3:
	case v == 1:
		r.fail(at, "version", "GGUF v1, which nrt does not read", want)
	case bits.ReverseBytes32(v) >= 1 && bits.ReverseBytes32(v) <= 3:
		r.fail(at, "version", fmt.Sprintf("a big-endian GGUF v%d, which nrt does not read", bits.ReverseBytes32(v)), want)
	default:
		r.fail(at, "version", fmt.Sprint(v), want)
	}
	return v
}

// alignment is what the weights' offsets are multiples of.
func (r *reader) alignment(values map[string]Value) uint64 {
	v, ok := values[keyAlignment]
	if !ok {
		return defaultAlign
	}
	r.field = fmt.Sprintf("key %q", keyAlignment)
	defer func() { r.field = "" }()
	n, ok := v.data.(uint32)
	if !ok {
		r.fail(-1, "", found(v), "uint32")
		return defaultAlign
	}
	if n < 8 || n > maxAlign || bits.OnesCount32(n) != 1 {
		r.fail(-1, "", fmt.Sprint(n), fmt.Sprintf("a power of two from 8 to %d", maxAlign))
		return defaultAlign
	}
	return uint64(n)
}
