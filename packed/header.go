package packed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/nrt-go/nrt/quant"
)

// A packed file begins with a header, all numbers little-endian:
//
//	magic    8 bytes
//	version  u32     of this header
//	length   u32     of the header, with its checksum
//	size     u64     of the file
//	key      32 bytes
//	source   u16 bytes, the path of the model
//	count    u32     of weights
//	weights  each: name u16 bytes, type u32, offset u64 in the file, size u64
//	sum      32 bytes, SHA-256 of all before
//
// The weights follow, each at the start of a cache line, as kernels.Pack makes them.
type header struct {
	size    int64
	key     key
	source  string
	entries []entry
}

// entry is one weight.
type entry struct {
	name         string
	typ          quant.Type
	offset, size int64
}

const (
	magic      = "nrt-pack"
	version    = 1
	fixed      = len(magic) + 4 + 4 // what says how long the header is
	maxHeader  = 16 << 20
	maxWeights = 1 << 16
	alignment  = 64
)

// layOut gives every weight its place and the header its size.
func (h *header) layOut() {
	at := int64(len(h.encode()))
	for i := range h.entries {
		at = (at + alignment - 1) / alignment * alignment
		h.entries[i].offset = at
		at += h.entries[i].size
	}
	h.size = at
}

func (h *header) encode() []byte {
	b := []byte(magic)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.size))
	b = append(b, h.key[:]...)
	b = appendText(b, h.source)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(h.entries)))
	for _, e := range h.entries {
		b = appendText(b, e.name)
		b = binary.LittleEndian.AppendUint32(b, uint32(e.typ))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.offset))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.size))
	}
	binary.LittleEndian.PutUint32(b[len(magic)+4:], uint32(len(b)+sha256.Size))
	return seal(b)
}

// seal returns data with its checksum behind it.
func seal(data []byte) []byte {
	sum := sha256.Sum256(data)
	return append(data[:len(data):len(data)], sum[:]...)
}

func appendText(b []byte, s string) []byte {
	s = s[:min(len(s), math.MaxUint16)]
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(s))), s...)
}

func readHeaderOf(path string) (*header, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readHeader(f)
}

// readHeader reads and checks the header of a file.
func readHeader(f *os.File) (*header, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	start := make([]byte, fixed)
	if _, err := io.ReadFull(f, start); err != nil {
		return nil, fmt.Errorf("found %d bytes, wanted a header", info.Size())
	}
	n := int64(binary.LittleEndian.Uint32(start[len(magic)+4:]))
	if string(start[:len(magic)]) != magic || n < int64(fixed) || n > min(maxHeader, info.Size()) {
		return nil, fmt.Errorf("found %q and a header of %d bytes, wanted %q and one inside the file's %d", start[:len(magic)], n, magic, info.Size())
	}
	data := make([]byte, n)
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	return parseHeader(data, info.Size())
}

// parseHeader checks a header against the size of its file.
func parseHeader(data []byte, size int64) (*header, error) {
	end := len(data) - sha256.Size
	if end < fixed || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("found %d bytes, wanted a header that begins with %q", len(data), magic)
	}
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return nil, errors.New("found a header with another checksum than it names, wanted it whole")
	}
	c := &cursor{data: data[len(magic):end]}
	if v := c.uint32(); v != version {
		return nil, fmt.Errorf("found version %d, wanted %d", v, version)
	}
	if n := c.uint32(); int64(n) != int64(len(data)) {
		return nil, fmt.Errorf("found a header of %d bytes that says %d, wanted them equal", len(data), n)
	}
	h := &header{size: int64(c.uint64())}
	copy(h.key[:], c.bytes(len(h.key)))
	h.source = c.text()
	if h.size != size {
		return nil, fmt.Errorf("found a file of %d bytes, wanted %d", size, h.size)
	}
	n := c.uint32()
	if n > maxWeights {
		return nil, fmt.Errorf("found %d weights, wanted at most %d", n, maxWeights)
	}
	for range n {
		e := entry{c.text(), quant.Type(c.uint32()), int64(c.uint64()), int64(c.uint64())}
		if c.short {
			break
		}
		if e.offset < int64(len(data)) || e.size < 0 || e.offset > size-e.size || e.offset%alignment != 0 {
			return nil, fmt.Errorf("found weight %q at %d with %d bytes, wanted it inside the file's %d", e.name, e.offset, e.size, size)
		}
		h.entries = append(h.entries, e)
	}
	if c.short || len(c.data) > 0 {
		return nil, fmt.Errorf("found a header of %d bytes, wanted room for %d weights and no more", len(data), n)
	}
	return h, nil
}

// cursor reads a header front to back; once it is short, everything reads as zero.
type cursor struct {
	data  []byte
	short bool
}

func (c *cursor) bytes(n int) []byte {
	if n > len(c.data) {
		c.data, c.short = nil, true
		return make([]byte, min(n, 64))
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

func (c *cursor) uint16() uint16 { return binary.LittleEndian.Uint16(c.bytes(2)) }
func (c *cursor) uint32() uint32 { return binary.LittleEndian.Uint32(c.bytes(4)) }
func (c *cursor) uint64() uint64 { return binary.LittleEndian.Uint64(c.bytes(8)) }
func (c *cursor) text() string   { return string(c.bytes(int(c.uint16()))) }
