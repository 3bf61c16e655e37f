package kernels

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// PanelRows is the number of rows in a panel: sixteen rows interleaved four weights at a time, so that a vector register
// holds the same four columns of several rows, and each row keeps a lane of its own from the first block to the last.
const PanelRows = 16

// layout is how a panel stores a format; asm/internal/x86 and asm/internal/arm64 say the same to the kernels. A block of
// 16 rows has in blocks of 32 the scales of the rows, their offsets where the format has them, and the codes; in blocks
// of 256 eight parts of codes, the small scales and offsets of each pair of groups, [16 rows][2], the scales and the
// offsets. Codes are not negative: the format's smallest weight is 0.
type layout struct {
	format *quant.Format
	part   int // bytes of the codes of 32 weights of sixteen rows
	offset bool
	small  int // of blocks of 256, bytes of the small scales and offsets of sixteen rows

	// pack copies a row's block to its place in the sixteen rows' block.
	pack func(dst []byte, row int, src []byte)
}

var layouts = []layout{
	{format: format(quant.Q4_0), part: 256, pack: packQ4_0},
	{format: format(quant.Q4_1), part: 256, offset: true, pack: packQ4_1},
	{format: format(quant.Q5_0), part: 320, pack: packQ5_0},
	{format: format(quant.Q5_1), part: 320, offset: true, pack: packQ5_1},
	{format: format(quant.Q8_0), part: 512, pack: packQ8_0},
	{format: format(quant.IQ4_NL), part: 256, pack: packIQ4_NL},
	{format: format(quant.Q2_K), part: 128, small: 256, offset: true, pack: packQ2_K},
	{format: format(quant.Q3_K), part: 192, small: 256, pack: packQ3_K},
	{format: format(quant.Q4_K), part: 256, small: 256, offset: true, pack: packQ4_K},
	{format: format(quant.Q5_K), part: 320, small: 256, offset: true, pack: packQ5_K},
	{format: format(quant.Q6_K), part: 384, small: 256, pack: packQ6_K},
}

func format(t quant.Type) *quant.Format {
	f, err := quant.Lookup(t)
	if err != nil {
		panic(err) // the table above names formats of quant's table only
	}
	return f
}

// bytes is the size of a block of sixteen rows.
func (l *layout) bytes() int {
	headers := 2 * PanelRows
	if l.offset {
		headers *= 2
	}
	if l.format.Block == 32 {
		return headers + l.part
	}
	return 8*l.part + l.small + headers
}

// PanelSum is a checksum of the layout of panels, made of samples of every format: panels that another program or
// machine has made can be used where it is the same.
func PanelSum() uint64 {
	const rows = PanelRows + 4
	sum := fnv.New64a()
	for i := range layouts {
		l := &layouts[i]
		w := &tensor.Tensor{Type: l.format.Type, Shape: []int{l.format.Block, rows}, Data: make([]byte, rows*l.format.Bytes)}
		for j := range w.Data {
			w.Data[j] = byte(j*j>>3 + 7*j)
		}
		panel := make([]byte, l.bytes())
		for first := 0; first < rows; first += PanelRows {
			l.packPanel(panel, w, first)
			sum.Write(panel)
		}
	}
	return sum.Sum64()
}

// PackedBytes is the size of a weight's panels; 0 where the instruction set in use has no kernel for them.
func PackedBytes(t *tensor.Tensor) int {
	if _, ok := active.rows[t.Type|quant.Packed]; !ok {
		return 0
	}
	l := layoutOf(t.Type)
	return panels(t) * l.panelBytes(t)
}

func panels(t *tensor.Tensor) int { return (t.Rows() + PanelRows - 1) / PanelRows }

func (l *layout) panelBytes(t *tensor.Tensor) int { return t.Cols() / l.format.Block * l.bytes() }

// Pack copies a weight into panels for the instruction set in use. It returns t itself where that has no kernel for
// them. The last panel is filled up with zeros. An error means that there is no memory, or that the weight's bytes
// could not be read.
func Pack(pool *Pool, t *tensor.Tensor, arena *Arena) (*tensor.Tensor, error) {
	n := PackedBytes(t)
	if n == 0 {
		return t, nil
	}
	data, err := arena.Alloc(n)
	if err != nil {
		return nil, err
	}
	l := layoutOf(t.Type)
	size := l.panelBytes(t)
	err = pool.Run(panels(t), 1, func(_, start, end int) {
		for p := start; p < end; p++ {
			l.packPanel(data[p*size:(p+1)*size], t, p*PanelRows)
		}
	})
	if err != nil {
		return nil, err
	}
	return &tensor.Tensor{Name: t.Name, Type: t.Type | quant.Packed, Shape: t.Shape, Data: data}, nil
}

func layoutOf(t quant.Type) *layout {
	for i := range layouts {
		if layouts[i].format.Type == t {
			return &layouts[i]
		}
	}
	panic("kernels: " + t.String() + " has no layout") // an instruction set's table names a format that is not above
}

// packPanel packs rows first to first+15 of t.
func (l *layout) packPanel(dst []byte, t *tensor.Tensor, first int) {
	var rows [PanelRows][]byte
	for r := range rows {
		if first+r < t.Rows() {
			rows[r] = t.Row(first + r)
		} else {
			rows[r] = make([]byte, len(t.Row(0)))
		}
	}
	size, block := l.bytes(), l.format.Bytes
	for at := 0; len(dst) > 0; at, dst = at+block, dst[size:] {
		for r, row := range rows {
			l.pack(dst[:size], r, row[at:at+block])
		}
	}
}

// copyHalf copies a row's scale or offset in half precision to its place among those of 16 rows.
func copyHalf(dst []byte, row int, src []byte) {
	binary.LittleEndian.PutUint16(dst[2*row:], binary.LittleEndian.Uint16(src))
}

// vectors4 is four vectors, from a row's bytes of the first to its bytes of the last.
type vectors4 [3*4*PanelRows + 4]byte

// vectors2 is two of them.
type vectors2 [4*PanelRows + 4]byte

// put stores a row's four bytes of a vector of 16 rows; q begins with the row's bytes of vector 0.
func put(q []byte, vector int, v uint32) { binary.LittleEndian.PutUint32(q[vector*4*PanelRows:], v) }

// Masks of the low bits of each byte, of the even pairs of bits, of the even bits.
const (
	lowHalf  = 0x0f0f0f0f0f0f0f0f
	evenPair = 0x3333333333333333
	evenBit  = 0x5555555555555555
)

// join puts eight codes of four bits, the bytes of x, into a word: the first four in the low halves of its bytes, the
// others in the high ones.
func join(x uint64) uint32 { return uint32(x | x>>28) }

// turnPairs transposes four words of four bytes of four pairs of bits: pair k of byte j of word t becomes pair t of byte
// j of word k. Two words stand in each argument.
func turnPairs(a, b uint64) (uint64, uint64) {
	t := (a>>4 ^ b) & lowHalf
	a, b = a^t<<4, b^t
	t, u := (a>>30^a)&(evenPair<<2&math.MaxUint32), (b>>30^b)&(evenPair<<2&math.MaxUint32)
	return a ^ t ^ t<<30, b ^ u ^ u<<30
}

// turnBits transposes eight words of four bytes: bit i of byte j of word g becomes bit g of byte j of word i. Two words
// stand in each argument.
func turnBits(a, b, c, d uint64) (uint64, uint64, uint64, uint64) {
	t, u := (a>>4^c)&lowHalf, (b>>4^d)&lowHalf
	a, b, c, d = a^t<<4, b^u<<4, c^t, d^u
	t, u = (a>>2^b)&evenPair, (c>>2^d)&evenPair
	a, b, c, d = a^t<<2, b^t, c^u<<2, d^u
	return swapOddBits(a), swapOddBits(b), swapOddBits(c), swapOddBits(d)
}

// swapOddBits exchanges the odd bits of the lower word with the even bits of the upper one.
func swapOddBits(x uint64) uint64 {
	t := (x>>31 ^ x) & (evenBit << 1 & math.MaxUint32)
	return x ^ t ^ t<<31
}
