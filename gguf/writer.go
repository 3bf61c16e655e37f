package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/nrt-go/nrt/quant"
)

// Writer collects metadata and tensors and writes them as a GGUF v3 file. It writes only what Open accepts. The first
// thing that is wrong is the error of WriteTo or WriteFile; nothing is written then.
type Writer struct {
	meta    metadata
	tensors []pending
	err     *Error // the first thing that was wrong in Set or AddTensor
}

// pending is a tensor to write; src gives its bytes when their turn comes.
type pending struct {
	name  string
	typ   quant.Type
	shape []int
	src   func(io.Writer) error

	offset uint64 // from the weights' beginning
	size   uint64
}

// NewWriter is a Writer of an empty file.
func NewWriter() *Writer { return &Writer{meta: metadata{values: map[string]Value{}}} }

// Set gives a key a value, of a Go type that ValueOf takes. Keys are written in the order of their first Set; a later
// Set replaces the value. Setting general.alignment, a uint32, moves the tensors.
func (w *Writer) Set(key string, value any) {
	v, err := ValueOf(value)
	if err != nil {
		w.fail("key "+quoted(key), err)
		return
	}
	if _, ok := w.meta.values[key]; !ok {
		w.meta.keys = append(w.meta.keys, key)
	}
	w.meta.values[key] = v
}

// AddTensor appends a tensor; shape is in GGUF order, row length first. src is called while the file is written and
// has to write exactly the tensor's bytes, row after row of whole blocks.
func (w *Writer) AddTensor(name string, t quant.Type, shape []int, src func(io.Writer) error) {
	p := pending{name: name, typ: t, shape: slices.Clone(shape), src: src}
	format, err := quant.Lookup(t)
	if err != nil {
		w.fail("tensor "+quoted(name), err)
		return
	}
	if len(shape) < 1 || len(shape) > maxDims || slices.Min(shape) < 1 {
		w.fail("tensor "+quoted(name), fmt.Errorf("found shape %v, want 1 to %d dimensions of at least 1", shape, maxDims))
		return
	}
	size, flaw := weightBytes(format, shape)
	if flaw != "" {
		w.fail("tensor "+quoted(name), fmt.Errorf("found shape %v of %s, %s", shape, t, flaw))
		return
	}
	p.size = size
	w.tensors = append(w.tensors, p)
}

func (w *Writer) fail(field string, err error) {
	if w.err == nil {
		w.err = &Error{Field: field, Offset: -1, Err: err}
	}
}

// WriteTo writes the file and returns the number of its bytes. Writes are small: a slow dst should be buffered.
func (w *Writer) WriteTo(dst io.Writer) (int64, error) { return w.writeTo(dst, "") }

// writeTo is WriteTo; path is for errors.
func (w *Writer) writeTo(dst io.Writer, path string) (int64, error) {
	header, align, err := w.header(path)
	if err != nil {
		return 0, err
	}
	out := &counter{dst: dst}
	if _, err := out.Write(header); err != nil {
		return out.n, err
	}
	for i := range w.tensors {
		t := &w.tensors[i]
		if err := t.write(out); err != nil {
			return out.n, &Error{Path: path, Field: "tensor " + quoted(t.name), Offset: out.n, Err: err}
		}
		if _, err := out.Write(make([]byte, padding(t.size, align))); err != nil {
			return out.n, err
		}
	}
	return out.n, nil
}

// write streams a tensor and insists on its size.
func (t *pending) write(dst io.Writer) error {
	out := &counter{dst: dst, limit: int64(t.size), limited: true}
	buffered := bufio.NewWriterSize(out, chunkSize)
	if err := t.src(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if out.n != int64(t.size) {
		return fmt.Errorf("found %d bytes written, want %d", out.n, t.size)
	}
	return nil
}

// counter counts what passes, and stops where it is limited.
type counter struct {
	dst     io.Writer
	n       int64
	limit   int64
	limited bool
}

func (c *counter) Write(b []byte) (int, error) {
	if c.limited && int64(len(b)) > c.limit-c.n {
		return 0, fmt.Errorf("found more than %d bytes written, want that many", c.limit)
	}
	n, err := c.dst.Write(b)
	c.n += int64(n)
	return n, err
}

// header is everything in front of the weights. It is read back before anybody sees it: what the reader would
// refuse is refused here, by the same rules and in the same words.
func (w *Writer) header(path string) (b []byte, align uint64, err error) {
	if w.err != nil {
		first := *w.err
		first.Path = path
		return nil, 0, &first
	}
	align = defaultAlign
	if n, ok := w.meta.values[keyAlignment].data.(uint32); ok && n > 0 && n&(n-1) == 0 {
		align = uint64(n)
	}
	weights, fits := w.layOut(align)
	b = w.encode()
	if len(w.tensors) > 0 { // without weights there is no place to keep
		b = append(b, make([]byte, padding(uint64(len(b)), align))...)
	}
	size, ok := add(uint64(len(b)), weights)
	if !fits || !ok || size > math.MaxInt64 {
		return nil, 0, &Error{Path: path, Field: "weights", Offset: -1, Found: "more bytes than can be counted", Want: "fewer"}
	}
	_, err = parse(planned(b), int64(size), path)
	return b, align, err
}

// layOut gives each tensor its offset and returns the bytes of all, and whether they can be counted.
func (w *Writer) layOut(align uint64) (total uint64, fits bool) {
	for i := range w.tensors {
		t := &w.tensors[i]
		t.offset = total
		if total, fits = add(total, t.size+padding(t.size, align)); !fits {
			return 0, false
		}
	}
	return total, true
}

// planned is a header as the file will have it, the weights still zero.
type planned []byte

func (p planned) ReadAt(b []byte, at int64) (int, error) {
	n := 0
	if at < int64(len(p)) {
		n = copy(b, p[at:])
	}
	clear(b[n:])
	return len(b), nil
}

func (w *Writer) encode() []byte {
	b := append([]byte(nil), magic...)
	b = binary.LittleEndian.AppendUint32(b, 3)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(w.tensors)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(w.meta.keys)))
	for _, key := range w.meta.keys {
		v := w.meta.values[key]
		b = appendString(b, key)
		b = binary.LittleEndian.AppendUint32(b, uint32(v.kind))
		b = appendValue(b, v)
	}
	for i := range w.tensors {
		b = w.tensors[i].append(b)
	}
	return b
}

func (t *pending) append(b []byte) []byte {
	b = appendString(b, t.name)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.shape)))
	for _, d := range t.shape {
		b = binary.LittleEndian.AppendUint64(b, uint64(d))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(t.typ))
	return binary.LittleEndian.AppendUint64(b, t.offset)
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

func appendValue(b []byte, v Value) []byte {
	if v.kind == KindArray {
		b = binary.LittleEndian.AppendUint32(b, uint32(v.elem))
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Len()))
	}
	switch data := v.data.(type) {
	case string:
		return appendString(b, data)
	case []string:
		for _, s := range data {
			b = appendString(b, s)
		}
		return b
	case []Value:
		for _, e := range data {
			b = appendValue(b, e)
		}
		return b
	}
	// The rest are numbers, bools and slices of them: Append has nothing to refuse.
	b, _ = binary.Append(b, binary.LittleEndian, v.data)
	return b
}
