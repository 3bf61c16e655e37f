package kv

import "github.com/nrt-go/nrt/kernels"

// page holds for each layer the keys of all heads and then their values, each head a kernels.Block: as a whole it is one
// too, of all of them one behind the other.
type page kernels.Block

func newPage(s Shape) *page {
	rows := 2 * s.Layers * s.Heads * s.PageTokens
	switch n := rows * s.Dim; s.Elem {
	case F32:
		return &page{F32: make([]float32, n)}
	case Q8_0:
		return &page{Q8: make([]int8, n), Scale: make([]float32, rows)}
	default:
		return &page{F16: make([]uint16, n)}
	}
}

func (p *page) clear() {
	clear(p.F32)
	clear(p.F16)
	clear(p.Q8)
	clear(p.Scale)
}

// keys is where a head's keys are among the blocks of a page, and values where its values are.
func (s Shape) keys(layer, head int) int { return layer*2*s.Heads + head }

func (s Shape) values(layer, head int) int { return s.keys(layer, s.Heads+head) }

// block is number i of a page's blocks.
func (p *page) block(s Shape, i int) kernels.Block {
	rows := s.PageTokens
	n := rows * s.Dim
	switch {
	case p.F32 != nil:
		return kernels.Block{F32: p.F32[i*n : (i+1)*n]}
	case p.Q8 != nil:
		return kernels.Block{Q8: p.Q8[i*n : (i+1)*n], Scale: p.Scale[i*rows : (i+1)*rows]}
	}
	return kernels.Block{F16: p.F16[i*n : (i+1)*n]}
}

// putValue stores the values x [Dim] of a head at a position of a page.
func putValue(b kernels.Block, at int, x []float32) {
	from, to := at*len(x), (at+1)*len(x)
	switch {
	case b.F32 != nil:
		copy(b.F32[from:to], x)
	case b.Q8 != nil:
		b.Scale[at], _ = kernels.QuantiseRow(b.Q8[from:to], x)
	default:
		kernels.F32ToF16(b.F16[from:to], x)
	}
}

// putKey stores the keys x [Dim] of a head as a column of a page of that many positions. Their place among the values is
// room for them on the way.
func putKey(b, values kernels.Block, at, tokens int, x []float32) {
	putValue(values, at, x)
	from, to := at*len(x), (at+1)*len(x)
	switch {
	case b.F32 != nil:
		for d, v := range x {
			b.F32[d*tokens+at] = v
		}
	case b.Q8 != nil:
		b.Scale[at] = values.Scale[at]
		for d, v := range values.Q8[from:to] {
			b.Q8[(d/4*tokens+at)*4+d%4] = v
		}
	default:
		for d, v := range values.F16[from:to] {
			b.F16[d*tokens+at] = v
		}
	}
}
