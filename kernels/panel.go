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

// longestCall bounds the weights times columns of one call of assembly, in which the runtime cannot stop the worker:
// under 0.2 ms on a slow core.
const longestCall = 1 << 19

// panelRows is the row kernel of packed weights. A panel meets all columns of a group and block before the next block,
// so a row's sum grows block by block as the Go loops have it.
func panelRows(l *layout, run panelRun) rowKernel {
	block, record, form := l.format.Block, record32, needsRecord32
	if block == 256 {
		record, form = record256, needsRecord256
	}
	return rowKernel{form, func(p *product, w *room, start, end int) {
		size, records := p.x.Cols/block*record, p.records32
		if block == 256 {
			records = p.records256
		}
		for first := 0; first < p.x.Rows; first += columnGroup {
			g := group{layout: l, run: run, acc: w.acc, records: records[first*size:], record: record,
				first: first, columns: min(columnGroup, p.x.Rows-first), blocks: p.x.Cols / block}
			for r := start; r < end; r += PanelRows {
				g.multiply(p, r, min(r+PanelRows, end))
			}
		}
	}}
}

// group is the columns of a product that a panel meets at once.
type group struct {
	*layout
	run     panelRun
	acc     []float32 // [2][columns][PanelRows]
	records []byte    // [blocks][columns][record]
	record  int
	first   int // column
	columns int
	blocks  int
}

// multiply computes rows start to end-1, those of one panel.
func (g *group) multiply(p *product, start, end int) {
	clear(g.acc[:2*g.columns*PanelRows])
	size := g.bytes()
	panel := p.weight.Data[start/PanelRows*g.blocks*size:]
	step := max(1, longestCall/(PanelRows*g.format.Block*g.columns))
	for b := 0; b < g.blocks; b += step {
		multiplyPanel(g.run, g.acc, panel[b*size:], g.records[b*g.columns*g.record:], min(step, g.blocks-b), g.columns)
	}
	for i := range g.columns {
		copy(p.dst.Row(g.first + i)[start:end], g.acc[i*PanelRows:])
	}
}

// multiplyPanel is not inlined, so that the loop around it has a place where the runtime can stop it: assembly has none.
//
//go:noinline
func multiplyPanel(run panelRun, acc []float32, panel, records []byte, blocks, n int) {
	run(&acc[0], &panel[0], &records[0], blocks, n)
}
