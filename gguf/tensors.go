package gguf

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nrt-go/nrt/quant"
)

// tensorInfo is a tensor's place in its file.
type tensorInfo struct {
	name   string
	typ    quant.Type
	shape  []int
	record int64 // file offset of the record that says all this
	offset int64 // file offset of the weights
	size   int64
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
	t.shape = r.shape()
	t.typ, t.size = r.format(t.shape)
	at := r.pos
	offset := r.uint64("offset")
	if offset > math.MaxInt64 {
		r.fail(at, "offset", fmt.Sprint(offset), fmt.Sprintf("one inside the file of %d bytes", r.size))
	}
	t.offset = int64(offset)
	return t
}

// shape reads the dimensions.
func (r *reader) shape() []int {
	at := r.pos
	n := r.uint32("dimensions")
	if r.err == nil && (n < 1 || n > maxDims) {
		r.fail(at, "dimensions", fmt.Sprint(n), fmt.Sprintf("1 to %d", maxDims))
	}
	if r.err != nil {
		return nil
	}
	shape := make([]int, n)
	for i := range shape {
		at := r.pos
		d := r.uint64("dimension")
		if d < 1 || d > math.MaxInt {
			r.fail(at, fmt.Sprintf("dimension %d", i), fmt.Sprint(d), fmt.Sprintf("1 to %d", math.MaxInt))
		}
		shape[i] = int(d)
	}
	return shape
}

// format reads the number format and works out the bytes that weights of it take.
func (r *reader) format(shape []int) (t quant.Type, size int64) {
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
	n, flaw := weightBytes(f, shape)
	if flaw != "" {
		r.fail(at, "shape", fmt.Sprintf("%v of %s, %s", shape, f.Name, flaw), "whole blocks that fit the file")
	}
	return t, int64(n)
}

// weightBytes is the size of a tensor, or why it cannot have one. Every dimension is at least 1.
func weightBytes(f *quant.Format, shape []int) (n uint64, flaw string) {
	if shape[0]%f.Block != 0 {
		return 0, fmt.Sprintf("rows of no multiple of %d", f.Block)
	}
	n, ok := mul(uint64(shape[0]/f.Block), uint64(f.Bytes))
	for _, d := range shape[1:] {
		if ok {
			n, ok = mul(n, uint64(d))
		}
	}
	// The elements have to be countable too: a block may hold more of them than it has bytes.
	if !ok || n > math.MaxInt/uint64(f.Block) {
		return 0, "more bytes than can be counted"
	}
	return n, ""
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
	slices.SortFunc(order, func(a, b *tensorInfo) int { return cmp.Compare(a.offset, b.offset) })
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if a.offset+a.size > b.offset {
			r.field = "tensor " + quoted(b.name)
			r.fail(b.record, "offset", fmt.Sprintf("weights that overlap those of tensor %s", quoted(a.name)), "each tensor's bytes for itself")
			return
		}
	}
}
