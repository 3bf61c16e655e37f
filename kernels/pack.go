package kernels

import (
	"encoding/binary"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// PanelRows is the number of rows in a panel: sixteen rows interleaved four weights at a time, so that a vector register
// holds the same four columns of several rows, and each row keeps a lane of its own from the first block to the last.
const PanelRows = 16

// layout is how a panel stores a format; asm/internal/x86 and asm/internal/arm64 say the same to the kernels. A block of
// 16 rows has in blocks of 32 the scales of the rows, their offsets where the format has them, and the codes; in blocks
// of 256 eight parts of codes, the small scales and offsets of each pair of groups, [16 rows][2], the scales and the
// offsets.
type layout struct {
	format *quant.Format
	unpack func(s *strip, row []byte)
	bias   int // codes are the strip's q plus bias
	part   int // bytes of the codes of 32 weights of sixteen rows
	place  func(part []byte, row int, codes *[32]uint8)
	offset bool

	// Of blocks of 256 only:
	group  int  // weights with one small scale
	packed bool // small scale in the low half of a byte, small offset in the high half
}

var layouts = []layout{
	{format: format(quant.Q4_0), unpack: unpackQ4_0, bias: 8, part: 256, place: placeNibbles},
	{format: format(quant.Q4_1), unpack: unpackQ4_1, part: 256, place: placeNibbles, offset: true},
	{format: format(quant.Q5_0), unpack: unpackQ5_0, bias: 16, part: 320, place: placeFive},
	{format: format(quant.Q5_1), unpack: unpackQ5_1, part: 320, place: placeFive, offset: true},
	{format: format(quant.Q8_0), unpack: unpackQ8_0, bias: 128, part: 512, place: placeBytes},
	{format: format(quant.IQ4_NL), unpack: unpackQ4_0, bias: 8, part: 256, place: placeNibbles}, // codes, not yet looked up
	{format: format(quant.Q2_K), unpack: unpackQ2_K, part: 128, place: placeTwo, offset: true, group: 16, packed: true},
	{format: format(quant.Q3_K), unpack: unpackQ3_K, bias: 4, part: 192, place: placeThree, group: 16},
	{format: format(quant.Q4_K), unpack: unpackQ4_K, part: 256, place: placeNibbles, offset: true, group: 32},
	{format: format(quant.Q5_K), unpack: unpackQ5_K, part: 320, place: placeFive, offset: true, group: 32},
	{format: format(quant.Q6_K), unpack: unpackQ6_K, bias: 32, part: 384, place: placeSix, group: 16},
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
	small := PanelRows * 256 / l.group
	if l.offset && !l.packed {
		small *= 2
	}
	return 8*l.part + small + headers
}

// Pack copies a weight into panels for the instruction set in use. It returns t itself where that has no kernel for
// them. The last panel is filled up with zeros. An error means that there is no memory, or that the weight's bytes
// could not be read.
func Pack(pool *Pool, t *tensor.Tensor, arena *Arena) (*tensor.Tensor, error) {
	if _, ok := active.rows[t.Type|quant.Packed]; !ok {
		return t, nil
	}
	l := layoutOf(t.Type)
	panels, size := (t.Rows()+PanelRows-1)/PanelRows, t.Cols()/l.format.Block*l.bytes()
	data, err := arena.Alloc(panels * size)
	if err != nil {
		return nil, err
	}
	err = pool.Run(panels, 1, func(_, start, end int) {
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

// packer is where one worker unpacks blocks on their way into panels.
type packer struct {
	*layout
	strip strip
	codes [32]uint8
}

// packPanel packs rows first to first+15 of t.
func (l *layout) packPanel(dst []byte, t *tensor.Tensor, first int) {
	p := &packer{layout: l, strip: newStrip(l.format.Block)}
	var rows [PanelRows][]byte
	for r := range rows {
		if first+r < t.Rows() {
			rows[r] = t.Row(first + r)
		} else {
			rows[r] = make([]byte, len(t.Row(0)))
		}
	}
	size := l.bytes()
	for b := 0; len(dst) > 0; b, dst = b+1, dst[size:] {
		for r, row := range rows {
			l.unpack(&p.strip, row[b*l.format.Bytes:][:l.format.Bytes])
			if l.format.Block == 32 {
				p.packRow32(dst, r)
			} else {
				p.packRow256(dst, r)
			}
		}
	}
}

func (p *packer) packRow32(panel []byte, row int) {
	putHalf(panel, row, p.strip.scale[0])
	panel = panel[2*PanelRows:]
	if p.offset {
		putHalf(panel, row, p.strip.offset[0])
		panel = panel[2*PanelRows:]
	}
	p.placePart(panel, row, p.strip.q)
}

func (p *packer) packRow256(panel []byte, row int) {
	for i := range 8 {
		p.placePart(panel[i*p.part:], row, p.strip.q[32*i:])
	}
	panel = p.placeSmall(panel[8*p.part:], row, p.strip.sub, p.strip.less)
	putHalf(panel, row, p.strip.scale[0])
	if p.offset {
		putHalf(panel[2*PanelRows:], row, p.strip.offset[0])
	}
}

func (p *packer) placePart(part []byte, row int, q []int8) {
	for i, v := range (*[32]int8)(q) {
		p.codes[i] = uint8(int(v) + p.bias)
	}
	p.place(part, row, &p.codes)
}

// placeSmall writes a row's small scales and offsets, two neighbours side by side, and returns what follows them.
func (l *layout) placeSmall(dst []byte, row int, sub, less []int32) []byte {
	n := 256 / l.group
	for g := range n {
		at, from := g/2*2*PanelRows+row*2+g%2, g*16/n
		dst[at] = byte(sub[from])
		switch {
		case l.packed:
			dst[at] |= byte(less[from]) << 4
		case l.offset:
			dst[PanelRows*n+at] = byte(less[from])
		}
	}
	if l.offset && !l.packed {
		n *= 2
	}
	return dst[PanelRows*n:]
}

// putHalf stores a number that came from half precision.
func putHalf(dst []byte, row int, v float32) {
	binary.LittleEndian.PutUint16(dst[2*row:], quant.F32ToF16(v))
}

// four is four codes as the bytes of a word.
func four(codes *[32]uint8, at int) uint32 { return binary.LittleEndian.Uint32(codes[at:]) }

// put stores a row's four bytes of a vector of 16 rows.
func put(q []byte, vector, row int, v uint32) { binary.LittleEndian.PutUint32(q[vector*64+row*4:], v) }

// placeNibbles puts weights 8p+j in the low halves and 8p+4+j in the high halves of vector p.
func placeNibbles(q []byte, row int, codes *[32]uint8) {
	for p := range 4 {
		put(q, p, row, four(codes, 8*p)&0x0f0f0f0f|four(codes, 8*p+4)&0x0f0f0f0f<<4)
	}
}

// placeFive adds a vector of fifth bits: bit g of byte j belongs to weight 4g+j.
func placeFive(q []byte, row int, codes *[32]uint8) {
	placeNibbles(q, row, codes)
	put(q, 4, row, gather(codes, 0, 8, 4, 1))
}

// placeSix adds two vectors of upper bits: bits 2t and 2t+1 of byte j of vector v belong to weight 16v+4t+j.
func placeSix(q []byte, row int, codes *[32]uint8) {
	placeNibbles(q, row, codes)
	for v := range 2 {
		put(q, 4+v, row, gather(codes, 16*v, 4, 4, 2))
	}
}

// placeTwo puts weight 16v+4t+j in bits 2t and 2t+1 of byte j of vector v.
func placeTwo(q []byte, row int, codes *[32]uint8) {
	for v := range 2 {
		put(q, v, row, gather(codes, 16*v, 4, 0, 2))
	}
}

// placeThree adds a vector of third bits: bit g of byte j belongs to weight 4g+j.
func placeThree(q []byte, row int, codes *[32]uint8) {
	placeTwo(q, row, codes)
	put(q, 2, row, gather(codes, 0, 8, 2, 1))
}

// gather takes bits from..from+width-1 of n times four codes and lays them side by side in each byte.
func gather(codes *[32]uint8, first, n, from, width int) uint32 {
	mask := uint32(1<<width-1) * 0x01010101
	var sum uint32
	for g := range n {
		sum |= four(codes, first+4*g) >> from & mask << (g * width)
	}
	return sum
}

// placeBytes puts weight 4g+j in byte j of vector g.
func placeBytes(q []byte, row int, codes *[32]uint8) {
	for g := range 8 {
		put(q, g, row, four(codes, 4*g))
	}
}
