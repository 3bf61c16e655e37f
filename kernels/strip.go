package kernels

import (
	"encoding/binary"

	"github.com/nrt-go/nrt/quant"
)

// strip is one row of weights unpacked to the shape that the integer dots read. With q the stored integers,
//
//	blocks of 32:   weight[c] = scale[c/32]*q[c] + offset[c/32]
//	blocks of 256:  weight[c] = scale[c/256]*sub[c/16]*q[c] - offset[c/256]*less[c/16]
type strip struct {
	q             []int8    // [cols]
	scale, offset []float32 // [cols/32], or [cols/256]
	sub, less     []int32   // [cols/16]
}

func newStrip(cols int) strip {
	return strip{
		q: make([]int8, cols), scale: make([]float32, cols/32), offset: make([]float32, cols/32),
		sub: make([]int32, cols/16), less: make([]int32, cols/16),
	}
}

// room is where one worker unpacks weights: a few rows to float32, or two rows to strips. For batches the two are packed
// into pair, the second 32 bits above the first, so that one multiplication serves both.
type room struct {
	f32   []float32 // [floatGroup][cols]
	first strip
	next  strip
	pair  []int64 // [cols]

	acc []float32 // [2][columnGroup][PanelRows], where a panel's products are summed
}

// makeStrips makes the part of a room that integer kernels need.
func (w *room) makeStrips(cols int) {
	w.first, w.next, w.pair = newStrip(cols), newStrip(cols), make([]int64, cols)
	w.acc = make([]float32, 2*columnGroup*PanelRows)
}

// stripBytes is the memory that makeStrips takes.
func stripBytes(cols int) int {
	return 2*(cols+4*(cols/32*2+cols/16*2)) + 8*cols + 8*columnGroup*PanelRows
}

func (w *room) pack(cols int) {
	a, b := w.first.q[:cols], w.next.q[:cols]
	for c := range w.pair[:cols] {
		w.pair[c] = int64(a[c]) + int64(b[c])<<32
	}
}

// unpacked separates the two sums of a pair. The lower one borrowed from the upper where it is negative.
func unpacked(sum int64) (first, next int32) {
	first = int32(sum)
	return first, int32((sum - int64(first)) >> 32)
}

// half reads a stored half-precision number.
func half(src []byte) float32 { return quant.F16ToF32(binary.LittleEndian.Uint16(src)) }
