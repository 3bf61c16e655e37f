package gguf

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/nrt-go/nrt/quant"
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

// tensorInfo is a tensor's place in its file.
type tensorInfo struct {
	name   string
	typ    quant.Type
	shape  []int
	record int64 // file offset of the record that says all this
	offset int64 // file offset of the weights
	size   int64
}

// fewest bytes of a key with its value, and of a tensor's record
const (
	minKeyBytes    = 8 + 1 + 4 + 1
	minTensorBytes = 8 + 1 + 4 + 8 + 4 + 8
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
	at, v := r.pos, r.uint32("version")
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
		r.fail(-1, "", v.Type(), "uint32")
		return defaultAlign
	}
	if n < 8 || n > maxAlign || bits.OnesCount32(n) != 1 {
		r.fail(-1, "", fmt.Sprint(n), fmt.Sprintf("a power of two from 8 to %d", maxAlign))
		return defaultAlign
	}
	return uint64(n)
}

func (r *reader) tensors(n int) []tensorInfo {
	out := make([]tensorInfo, 0, n)
	seen := make(map[string]bool, n)
	for range n {
		t := r.tensor()
		if r.err == nil && seen[t.name] {
			r.fail(t.record, "", "it twice", "every tensor once")
		}
		if r.err != nil {
			return nil
		}
		seen[t.name] = true
		out = append(out, t)
	}
	r.field = ""
	return out
}

// tensor reads one record; its offset still counts from the weights' beginning.
func (r *reader) tensor() tensorInfo {
	t := tensorInfo{record: r.pos}
	r.field = "tensor"
	t.name = r.string("name", maxName)
	r.field = "tensor " + quoted(t.name)
	if flaw := nameFlaw(t.name); flaw != "" {
		r.fail(t.record, "name", flaw, "readable UTF-8")
	}
	var elems uint64
	t.shape, elems = r.shape()
	t.typ, t.size = r.format(t.shape, elems)
	at, offset := r.pos, r.uint64("offset")
	if offset > math.MaxInt64 {
		r.fail(at, "offset", fmt.Sprint(offset), fmt.Sprintf("one inside the file of %d bytes", r.size))
	}
	t.offset = int64(offset)
	return t
}

// shape reads the dimensions and their product.
func (r *reader) shape() (shape []int, elems uint64) {
	at, n := r.pos, r.uint32("dimensions")
	if r.err == nil && (n < 1 || n > maxDims) {
		r.fail(at, "dimensions", fmt.Sprint(n), fmt.Sprintf("1 to %d", maxDims))
	}
	if r.err != nil {
		return nil, 0
	}
	shape, elems = make([]int, n), 1
	for i := range shape {
		at, d := r.pos, r.uint64("dimension")
		if d < 1 || d > math.MaxInt {
			r.fail(at, fmt.Sprintf("dimension %d", i), fmt.Sprint(d), "a size from 1 up that fits the file")
		}
		var ok bool
		if elems, ok = mul(elems, d); !ok || elems > math.MaxInt {
			r.fail(at, fmt.Sprintf("dimension %d", i), fmt.Sprintf("%d, more elements in all than can be counted", d), "a shape that fits the file")
		}
		if r.err != nil {
			return nil, 0
		}
		shape[i] = int(d)
	}
	return shape, elems
}

// format reads the number format and works out the bytes that a tensor of it takes.
func (r *reader) format(shape []int, elems uint64) (t quant.Type, size int64) {
	at := r.pos
	t = quant.Type(r.uint32("type"))
	if r.err != nil {
		return 0, 0
	}
	f, err := quant.Lookup(t)
	if err != nil {
		r.err = &Error{Path: r.path, Field: joined(r.field, "type"), Offset: at, Err: err}
		return 0, 0
	}
	if shape[0]%f.Block != 0 {
		r.fail(at, "shape", fmt.Sprintf("rows of %d", shape[0]), fmt.Sprintf("a multiple of %d, the block of %s", f.Block, f.Name))
	}
	n, ok := mul(elems/uint64(f.Block), uint64(f.Bytes))
	if !ok || n > math.MaxInt {
		r.fail(at, "shape", fmt.Sprintf("%v of %s, more bytes than can be counted", shape, f.Name), "a shape that fits the file")
	}
	return t, int64(n)
}

// place turns the tensors' offsets into file offsets and checks that each lies in the file, alone.
func (r *reader) place(h *header) {
	if r.err != nil {
		return
	}
	h.start = r.pos + int64(padding(uint64(r.pos), h.align))
	h.end = min(h.start, r.size)
	for i := range h.tensors {
		t := &h.tensors[i]
		r.field = "tensor " + quoted(t.name)
		if uint64(t.offset)%h.align != 0 {
			r.fail(t.record, "offset", fmt.Sprint(t.offset), fmt.Sprintf("a multiple of the alignment %d", h.align))
		}
		begin, ok1 := add(uint64(h.start), uint64(t.offset))
		end, ok2 := add(begin, uint64(t.size))
		if !ok1 || !ok2 || end > uint64(r.size) {
			r.fail(t.record, "weights", fmt.Sprintf("%d bytes at offset %d of weights that begin at %d", t.size, t.offset, h.start),
				fmt.Sprintf("them inside the file of %d bytes", r.size))
		}
		if r.err != nil {
			return
		}
		t.offset = int64(begin)
		h.end = max(h.end, int64(end))
	}
	r.noOverlap(h.tensors)
}

func (r *reader) noOverlap(tensors []tensorInfo) {
	order := make([]*tensorInfo, len(tensors))
	for i := range tensors {
		order[i] = &tensors[i]
	}
	slices.SortFunc(order, func(a, b *tensorInfo) int { return int(min(1, max(-1, a.offset-b.offset))) })
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if a.offset+a.size > b.offset {
			r.field = "tensor " + quoted(b.name)
			r.fail(b.record, "offset", fmt.Sprintf("weights that overlap those of tensor %s", quoted(a.name)), "each tensor's bytes for itself")
			return
		}
	}
}
