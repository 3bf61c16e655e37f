package kv

import (
	"math"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/tensor"
)

// SpanRows is the largest number of rows in a Span: enough to share the loading of a page, few enough to share the
// work among workers.
const SpanRows = 16

// Span is a run of consecutive positions of one sequence in a batch: row Row+i of the batch is position Pos+i.
type Span struct {
	Seq            *Sequence
	Row, Pos, Rows int
}

// Attention computes causal attention over pages, with room for it. It is for one goroutine at a time.
type Attention struct {
	heads   int // query heads; heads/Shape.Heads of them share a key-value head
	shape   Shape
	scale   float32
	workers []workspace

	// The call in progress.
	layer  int
	dst, q tensor.Matrix
	spans  []Span
	body   func(worker, start, end int)
}

// workspace is one worker's room: a tile, and the running softmax of every query head of a span.
type workspace struct {
	tile   kernels.Tile
	states []kernels.Softened
}

// NewAttention makes room for attention of that many query heads by that many workers.
func NewAttention(shape Shape, heads, workers int) *Attention {
	a := &Attention{heads: heads, shape: shape, scale: float32(1 / math.Sqrt(float64(shape.Dim)))}
	a.workers = make([]workspace, workers)
	for i := range a.workers {
		a.workers[i] = workspace{
			tile:   kernels.NewTile(shape.Dim, shape.tokens()),
			states: make([]kernels.Softened, SpanRows*heads/shape.Heads),
		}
	}
	a.body = a.work
	return a
}

// AttentionBytes is the memory that NewAttention takes.
func AttentionBytes(shape Shape, heads, workers int) int64 {
	return int64(workers) * int64(4*kernels.TilePositions*(2*shape.Dim+1)+SpanRows*heads/shape.Heads*12)
}

// Run writes to dst [rows][heads*Dim], for every query q [rows][heads*Dim] of the spans, the attention over all
// positions of its sequence up to its own. The keys and values of those positions have been Put.
func (a *Attention) Run(pool *kernels.Pool, layer int, dst, q tensor.Matrix, spans []Span) error {
	a.layer, a.dst, a.q, a.spans = layer, dst, q, spans
	return pool.Run(len(spans)*a.shape.Heads, 1, a.body)
}

func (a *Attention) work(worker, start, end int) {
	for i := start; i < end; i++ {
		a.span(&a.workers[worker], a.spans[i/a.shape.Heads], i%a.shape.Heads)
	}
}

// span is the attention of a span's queries to one key-value head, tile after tile.
func (a *Attention) span(w *workspace, s Span, head int) {
	group := a.heads / a.shape.Heads
	states := w.states[:s.Rows*group]
	clear(states)
	for start := 0; start < s.Pos+s.Rows; start += kernels.TilePositions {
		n := min(kernels.TilePositions, s.Pos+s.Rows-start)
		s.Seq.load(&w.tile, a.layer, head, start, n)
		for i := range states {
			row, query := i/group, head*group+i%group
			if seen := min(n, s.Pos+row+1-start); seen > 0 {
				kernels.Attend(&states[i], a.part(a.dst, s.Row+row, query), a.part(a.q, s.Row+row, query),
					&w.tile, seen, a.scale)
			}
		}
	}
	for i := range states {
		states[i].Finish(a.part(a.dst, s.Row+i/group, head*group+i%group))
	}
}

// part is one query head of one row.
func (a *Attention) part(m tensor.Matrix, row, head int) []float32 {
	return m.Row(row)[head*a.shape.Dim : (head+1)*a.shape.Dim]
}
