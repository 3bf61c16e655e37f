package kernels

import (
	"encoding/binary"
	"math"

	"github.com/nrt-go/nrt/quant"
)

// panelRun adds to acc [n][16] the products of blocks of a panel at w and n columns of records at x. Behind acc there is
// room for as many integers.
type panelRun = func(acc *float32, w, x *byte, blocks, n int)

// addPanels gives an instruction set the kernels of packed weights.
func (row *isa) addPanels(runs map[quant.Type]panelRun) {
	for t, run := range runs {
		row.rows[t|quant.Packed] = panelRows(layoutOf(t), run)
	}
}

// panelRows is the row kernel of packed weights. A panel meets all columns of a block before the next block, so a row's
// sum grows block by block as the Go loops have it.
func panelRows(l *layout, run panelRun) rowKernel {
	size, block, form := l.bytes(), l.format.Block, needsRecord32
	if block == 256 {
		form = needsRecord256
	}
	return rowKernel{form, PanelRows, func(in *Input, w *room, start, end int) {
		n, blocks, records := in.x.Rows, in.x.Cols/block, &in.records32
		if block == 256 {
			records = &in.records256
		}
		for r := start; r < end; r += PanelRows {
			acc := w.acc[:2*n*PanelRows]
			clear(acc[:n*PanelRows])
			multiplyPanel(run, acc, in.weight.Data[r/PanelRows*blocks*size:], *records, blocks, n)
			for i := range n {
				copy(in.dst.Row(i)[r:min(r+PanelRows, end)], acc[i*PanelRows:])
			}
		}
	}}
}

// multiplyPanel is not inlined, so that the loop around it has a place where the runtime can stop it: assembly has none.
//
//go:noinline
func multiplyPanel(run panelRun, acc []float32, panel, records []byte, blocks, n int) {
	run(&acc[0], &panel[0], &records[0], blocks, n)
}

// record32 is the size of the record of 32 activations that panels meet: 32 signed bytes, their scale, scale times
// their sum, the negated sum as an integer, and room. Records are [block][row], row fastest.
const record32 = 48

func (in *Input) writeRecords32(_, start, end int) {
	for i := start; i < end; i++ {
		active.record32(in.records32[i*record32:], in.x.Row(i), in.x.Rows*record32)
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
		binary.LittleEndian.PutUint32(dst[40:], uint32(-n))
		dst = dst[min(stride, len(dst)):]
	}
}

// record256 is the size of the record of 256 activations: 256 signed bytes, the negated sums of every 16 and of every
// 32 as words, the scale, and room.
const record256 = 320

func (in *Input) writeRecords256(_, start, end int) {
	for i := start; i < end; i++ {
		active.record256(in.records256[i*record256:], in.x.Row(i), in.x.Rows*record256)
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
