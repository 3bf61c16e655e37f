package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
)

const chunkSize = 64 << 10

// reader reads a file's header front to back, in chunks, and never past its end. It goes through ReadAt and not
// through the mapping, so that a file cut meanwhile is an ordinary error. The first error sticks: later reads return
// zeros, and a caller checks err once per record.
type reader struct {
	src  io.ReaderAt
	path string
	size int64 // of the file
	pos  int64 // of the next byte in the file
	err  error

	field string // what is being read, for errors: `key "general.name"`
	buf   []byte // a chunk of the file
	at    int    // the next byte in buf
	text  string // buf as a string, made when the first string is taken from the chunk: one allocation for thousands

	arrays int // arrays of arrays' elements met so far
}

func newReader(src io.ReaderAt, size int64, path string) *reader {
	return &reader{src: src, size: size, path: path}
}

// left is how many bytes of the file are not read yet.
func (r *reader) left() uint64 { return uint64(r.size - r.pos) }

// fail notes that what, a part of the current field, is wrong at file offset at.
func (r *reader) fail(at int64, what, found, want string) {
	if r.err == nil {
		r.err = &Error{Path: r.path, Field: joined(r.field, what), Offset: at, Found: found, Want: want}
	}
}

func joined(field, what string) string {
	if field == "" || what == "" {
		return field + what
	}
	return field + ": " + what
}

// has checks that the next n bytes are in the file and within the limit for headers.
func (r *reader) has(what string, n uint64) bool {
	if r.err != nil {
		return false
	}
	if n > r.left() {
		r.fail(r.pos, what, fmt.Sprintf("a file that ends %d bytes later", r.left()), fmt.Sprintf("%d bytes", n))
		return false
	}
	if uint64(r.pos)+n > maxHeader {
		r.fail(r.pos, what, fmt.Sprintf("a header of more than %d bytes", maxHeader), "a smaller one")
		return false
	}
	return true
}

// load makes the next n bytes stand in buf; n is at most chunkSize.
func (r *reader) load(what string, n int) bool {
	if !r.has(what, uint64(n)) {
		return false
	}
	if len(r.buf)-r.at >= n {
		return true
	}
	want := int(min(chunkSize, r.left()))
	if cap(r.buf) < want {
		r.buf = make([]byte, want)
	}
	r.buf, r.at, r.text = r.buf[:want], 0, ""
	return r.readAt(what, r.buf)
}

func (r *reader) readAt(what string, dst []byte) bool {
	n, err := r.src.ReadAt(dst, r.pos)
	if n == len(dst) {
		return true
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	r.err = &Error{Path: r.path, Field: joined(r.field, what), Offset: r.pos, Err: err}
	r.buf = r.buf[:0]
	return false
}

func (r *reader) skip(n int) {
	r.at += n
	r.pos += int64(n)
}

// bytes is the next n bytes, n at most 8, valid until the next read.
func (r *reader) bytes(what string, n int) []byte {
	if !r.load(what, n) {
		return make([]byte, n)
	}
	b := r.buf[r.at : r.at+n]
	r.skip(n)
	return b
}

func (r *reader) uint8(what string) uint8   { return r.bytes(what, 1)[0] }
func (r *reader) uint16(what string) uint16 { return binary.LittleEndian.Uint16(r.bytes(what, 2)) }
func (r *reader) uint32(what string) uint32 { return binary.LittleEndian.Uint32(r.bytes(what, 4)) }
func (r *reader) uint64(what string) uint64 { return binary.LittleEndian.Uint64(r.bytes(what, 8)) }

// bool reads a byte that has to be 0 or 1.
func (r *reader) bool(what string) bool {
	at := r.pos
	b := r.uint8(what)
	if b > 1 {
		r.fail(at, what, fmt.Sprintf("bool byte %d", b), "0 or 1")
	}
	return b == 1
}

// count reads a number of things of which each takes at least size bytes of the file, at most limit of them.
func (r *reader) count(what string, limit, size uint64) int {
	at := r.pos
	n := r.uint64(what)
	if r.err != nil {
		return 0
	}
	if n > limit {
		r.fail(at, what, fmt.Sprint(n), fmt.Sprintf("at most %d", limit))
		return 0
	}
	if n*size > r.left() { // both are small: no product of the limits comes near 2^64
		r.fail(at, what, fmt.Sprintf("%d with %d bytes of file left", n, r.left()), fmt.Sprintf("at most %d", r.left()/size))
		return 0
	}
	return int(n)
}

// string reads a length of at most limit, and that many bytes.
func (r *reader) string(what string, limit uint64) string {
	n := r.length(what, limit)
	if n <= chunkSize {
		return r.shortString(what, n)
	}
	if !r.has(what, uint64(n)) {
		return ""
	}
	long := make([]byte, n)
	if !r.readAt(what, long) {
		return ""
	}
	r.pos += int64(n)
	r.buf, r.at, r.text = r.buf[:0], 0, ""
	return string(long)
}

// length reads that of a string. A vocabulary has hundreds of thousands: only those that are wrong are given a name.
func (r *reader) length(what string, limit uint64) int {
	if len(r.buf)-r.at >= 8 && r.has(what, 8) {
		if n := binary.LittleEndian.Uint64(r.buf[r.at:]); n <= min(limit, r.left()-8) {
			r.skip(8)
			return int(n)
		}
	}
	return r.count(what+" length", limit, 1)
}

func (r *reader) shortString(what string, n int) string {
	if n == 0 || !r.load(what, n) {
		return ""
	}
	if r.text == "" {
		r.text = string(r.buf)
	}
	s := r.text[r.at : r.at+n]
	r.skip(n)
	return s
}

// numbers reads n values of size bytes each, which the caller knows to be there.
func numbers[T any](r *reader, n, size int) []T {
	out := make([]T, n)
	for done := 0; done < n; {
		step := min(n-done, chunkSize/size)
		if !r.load("elements", step*size) {
			return nil
		}
		// The slices are of fixed-size numbers and the bytes are exactly theirs: Decode has nothing to refuse. (With
		// more bytes than numbers it would panic for []int8, as of Go 1.26.)
		_, _ = binary.Decode(r.buf[r.at:r.at+step*size], binary.LittleEndian, out[done:done+step])
		r.skip(step * size)
		done += step
	}
	return out
}
