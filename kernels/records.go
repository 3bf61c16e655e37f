package kernels

import (
	"encoding/binary"
	"math"
)

// columnGroup is how many rows of activations a panel of weights meets before the next panel: their sums and their
// records of a block fit the first-level cache, with a block of the panel.
const columnGroup = 64

// record32 is the size of the record of 32 activations that panels meet: 32 signed bytes, their scale, scale times
// their sum, and what biases of 8 and 128 take off: the sum times -8 and times -128, as integers. Rows stand in groups of
// columnGroup, whose records are [block][row], row fastest: a panel meets all rows of a group before its next block.
const record32 = 48

// recordPlace is where row i's first record stands, and how far from it the next.
func (in *Input) recordPlace(i, blocks, size int) (at, stride int) {
	first := i - i%columnGroup
	group := min(columnGroup, in.x.Rows-first)
	return (first*blocks + i - first) * size, group * size
}

func (in *Input) writeRecords32(_, start, end int) {
	for i := start; i < end; i++ {
		at, stride := in.recordPlace(i, in.x.Cols/32, record32)
		active.record32(in.records32[at:], in.x.Row(i), stride)
	}
}

func record32Generic(dst []byte, x []float32, stride int) {
	var q [32]int8
	var scale, sum [1]float32
	for ; len(x) > 0; x = x[32:] {
		quant32Generic(q[:], scale[:], sum[:], x[:32])
		var n int32
		for i, v := range q {
			dst[i] = byte(v)
			n += int32(v)
		}
		binary.LittleEndian.PutUint32(dst[32:], math.Float32bits(scale[0]))
		binary.LittleEndian.PutUint32(dst[36:], math.Float32bits(sum[0]))
		binary.LittleEndian.PutUint32(dst[40:], uint32(-8*n))
		binary.LittleEndian.PutUint32(dst[44:], uint32(-128*n))
		dst = dst[min(stride, len(dst)):]
	}
}

// record256 is the size of the record of 256 activations: 256 signed bytes, the negated sums of every 16 and of every
// 32 as words, the scale, and room.
const record256 = 320

func (in *Input) writeRecords256(_, start, end int) {
	for i := start; i < end; i++ {
		at, stride := in.recordPlace(i, in.x.Cols/256, record256)
		active.record256(in.records256[at:], in.x.Row(i), stride)
	}
}

func record256Generic(dst []byte, x []float32, stride int) {
	var q [256]int8
	var scale [1]float32
	var sums [16]int16
	for ; len(x) > 0; x = x[256:] {
		quant256Generic(q[:], scale[:], sums[:], x[:256])
		for i, v := range q {
			dst[i] = byte(v)
		}
		for g, s := range sums {
			binary.LittleEndian.PutUint16(dst[256+2*g:], uint16(-s))
		}
		for g := range 8 {
			binary.LittleEndian.PutUint16(dst[288+2*g:], uint16(-sums[2*g]-sums[2*g+1]))
		}
		binary.LittleEndian.PutUint32(dst[304:], math.Float32bits(scale[0]))
		dst = dst[min(stride, len(dst)):]
	}
}
