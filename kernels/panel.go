//go:build (amd64 || arm64) && !purego && !race

package kernels

import "github.com/nrt-go/nrt/quant"

// panelRun adds to acc [n][16] the products of blocks of a panel at w and n columns of records at x. Behind acc there is
// room for as many integers, all zero.
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
			clear(acc)
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
