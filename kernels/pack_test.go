package kernels

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/nrt-go/nrt/quant"
)

// reference is what a panel holds, written down weight by weight.
type reference struct {
	unpack func(s *strip, row []byte)
	bias   int // codes are the strip's q plus bias
	place  func(part []byte, row int, codes *[32]uint8)

	// Of blocks of 256 only:
	group  int  // weights with one small scale
	packed bool // small scale in the low half of a byte, small offset in the high half
}

var references = map[quant.Type]reference{
	quant.Q4_0:   {unpack: unpackQ4_0, bias: q4Bias, place: placeNibbles},
	quant.Q4_1:   {unpack: unpackQ4_1, place: placeNibbles},
	quant.Q5_0:   {unpack: unpackQ5_0, bias: 16, place: placeFive},
	quant.Q5_1:   {unpack: unpackQ5_1, place: placeFive},
	quant.Q8_0:   {unpack: unpackQ8_0, bias: q8Bias, place: placeBytes},
	quant.IQ4_NL: {unpack: unpackQ4_0, bias: 8, place: placeNibbles},
	quant.Q2_K:   {unpack: unpackQ2_K, place: placeTwo, group: 16, packed: true},
	quant.Q3_K:   {unpack: unpackQ3_K, bias: 4, place: placeThree, group: 16},
	quant.Q4_K:   {unpack: unpackQ4_K, place: placeNibbles, group: 32},
	quant.Q5_K:   {unpack: unpackQ5_K, place: placeFive, group: 32},
	quant.Q6_K:   {unpack: unpackQ6_K, bias: 32, place: placeSix, group: 16},
}

// TestPack compares blocks of sixteen rows of every format with what the weight by weight description says.
func TestPack(t *testing.T) {
	for i := range layouts {
		l := &layouts[i]
		t.Run(l.format.Name, func(t *testing.T) {
			const blocks = 3
			ref, ok := references[l.format.Type]
			if !ok {
				t.Fatal("no reference")
			}
			w := randomWeight(t, l.format.Type, PanelRows, blocks*l.format.Block)
			got, want := make([]byte, blocks*l.bytes()), make([]byte, blocks*l.bytes())
			l.packPanel(got, w, 0)
			s := newStrip(l.format.Block)
			for b := range blocks {
				for r := range PanelRows {
					ref.unpack(&s, w.Row(r)[b*l.format.Bytes:][:l.format.Bytes])
					ref.packRow(l, want[b*l.bytes():][:l.bytes()], r, &s)
				}
			}
			if !slices.Equal(got, want) {
				at := firstDifference(got, want)
				t.Errorf("byte %d of block %d: %#02x, want %#02x", at%l.bytes(), at/l.bytes(), got[at], want[at])
			}
		})
	}
}

// TestPackEveryBit sets one bit of a row's block at a time: a bit that is lost or put at two places shows.
func TestPackEveryBit(t *testing.T) {
	for i := range layouts {
		l := &layouts[i]
		ref := references[l.format.Type]
		t.Run(l.format.Name, func(t *testing.T) {
			s := newStrip(l.format.Block)
			for bit := range 8 * l.format.Bytes {
				src := make([]byte, l.format.Bytes)
				src[bit/8] = 1 << (bit % 8)
				got, want := make([]byte, l.bytes()), make([]byte, l.bytes())
				l.pack(got, 5, src)
				ref.unpack(&s, src)
				ref.packRow(l, want, 5, &s)
				if !slices.Equal(got, want) {
					t.Fatalf("bit %d: byte %d differs", bit, firstDifference(got, want))
				}
			}
		})
	}
}

func (p *reference) packRow(l *layout, panel []byte, row int, s *strip) {
	if l.format.Block == 32 {
		p.packRow32(l, panel, row, s)
	} else {
		p.packRow256(l, panel, row, s)
	}
}

func (p *reference) packRow32(l *layout, panel []byte, row int, s *strip) {
	putHalf(panel, row, s.scale[0])
	panel = panel[2*PanelRows:]
	if l.offset {
		putHalf(panel, row, s.offset[0])
		panel = panel[2*PanelRows:]
	}
	p.placePart(panel, row, s.q)
}

func (p *reference) packRow256(l *layout, panel []byte, row int, s *strip) {
	for i := range 8 {
		p.placePart(panel[i*l.part:], row, s.q[32*i:])
	}
	panel = p.placeSmall(l, panel[8*l.part:], row, s.sub, s.less)
	putHalf(panel, row, s.scale[0])
	if l.offset {
		putHalf(panel[2*PanelRows:], row, s.offset[0])
	}
}

func (p *reference) placePart(part []byte, row int, q []int8) {
	var codes [32]uint8
	for i, v := range (*[32]int8)(q) {
		codes[i] = uint8(int(v) + p.bias)
	}
	p.place(part, row, &codes)
}

// placeSmall writes a row's small scales and offsets, two neighbours side by side, and returns what follows them.
func (p *reference) placeSmall(l *layout, dst []byte, row int, sub, less []int32) []byte {
	n := 256 / p.group
	for g := range n {
		at, from := g/2*2*PanelRows+row*2+g%2, g*16/n
		dst[at] = byte(sub[from])
		switch {
		case p.packed:
			dst[at] |= byte(less[from]) << 4
		case l.offset:
			dst[PanelRows*n+at] = byte(less[from])
		}
	}
	if l.offset && !p.packed {
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

// place4 stores a row's four bytes of a vector of 16 rows.
func place4(q []byte, vector, row int, v uint32) {
	binary.LittleEndian.PutUint32(q[vector*64+row*4:], v)
}

// placeNibbles puts weights 8p+j in the low halves and 8p+4+j in the high halves of vector p.
func placeNibbles(q []byte, row int, codes *[32]uint8) {
	for p := range 4 {
		place4(q, p, row, four(codes, 8*p)&0x0f0f0f0f|four(codes, 8*p+4)&0x0f0f0f0f<<4)
	}
}

// placeFive adds a vector of fifth bits: bit g of byte j belongs to weight 4g+j.
func placeFive(q []byte, row int, codes *[32]uint8) {
	placeNibbles(q, row, codes)
	place4(q, 4, row, gather(codes, 0, 8, 4, 1))
}

// placeSix adds two vectors of upper bits: bits 2t and 2t+1 of byte j of vector v belong to weight 16v+4t+j.
func placeSix(q []byte, row int, codes *[32]uint8) {
	placeNibbles(q, row, codes)
	for v := range 2 {
		place4(q, 4+v, row, gather(codes, 16*v, 4, 4, 2))
	}
}

// placeTwo puts weight 16v+4t+j in bits 2t and 2t+1 of byte j of vector v.
func placeTwo(q []byte, row int, codes *[32]uint8) {
	for v := range 2 {
		place4(q, v, row, gather(codes, 16*v, 4, 0, 2))
	}
}

// placeThree adds a vector of third bits: bit g of byte j belongs to weight 4g+j.
func placeThree(q []byte, row int, codes *[32]uint8) {
	placeTwo(q, row, codes)
	place4(q, 2, row, gather(codes, 0, 8, 2, 1))
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
		place4(q, g, row, four(codes, 4*g))
	}
}

// TestPanelSum wants the sum to change with any byte's place in any format.
func TestPanelSum(t *testing.T) {
	before := PanelSum()
	for i := range layouts {
		l := &layouts[i]
		pack := l.pack
		l.pack = func(dst []byte, row int, src []byte) {
			pack(dst, row, src)
			dst[2*row], dst[2*row+1] = dst[2*row+1], dst[2*row]
		}
		if PanelSum() == before {
			t.Errorf("%s: another order of bytes has the same sum", l.format.Name)
		}
		l.pack = pack
	}
	if PanelSum() != before {
		t.Error("the same layouts have another sum")
	}
}
