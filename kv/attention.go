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

	// Where there are too few spans and heads to keep the workers busy, they share out tiles too.
	tiles    int       // of the longest span
	parts    []float32 // [row][query head][tile][partHead+Dim]
	tileBody func(worker, start, end int)
}

const (
	partHead = 2       // a part's largest score and total stand before it
	maxParts = 1 << 13 // bounds the room for parts
)

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
	a.body, a.tileBody = a.work, a.workTiles
	return a
}

// AttentionBytes is the memory that NewAttention takes, and that the parts of shared tiles take at most.
func AttentionBytes(shape Shape, heads, workers int) int64 {
	worker := 4*kernels.TilePositions*(2*shape.Dim+1) + 4*shape.Dim + SpanRows*heads/shape.Heads*12
	return int64(workers)*int64(worker) + 2*4*maxParts*int64(partHead+shape.Dim)
}

// Run writes to dst [rows][heads*Dim], for every query q [rows][heads*Dim] of the spans, the attention over all
// positions of its sequence up to its own. The keys and values of those positions have been Put.
func (a *Attention) Run(pool *kernels.Pool, layer int, dst, q tensor.Matrix, spans []Span) error {
	a.layer, a.dst, a.q, a.spans, a.tiles = layer, dst, q, spans, 0
	for _, s := range spans {
		a.tiles = max(a.tiles, s.tiles())
	}
	if !a.few(pool.Workers()) {
		return pool.Run(len(spans)*a.shape.Heads, 1, a.body)
	}
	if n := dst.Rows * a.heads * a.tiles * (partHead + a.shape.Dim); n > len(a.parts) {
		a.parts = make([]float32, 2*n) // twice: a growing context asks for more with every tile
	}
	if err := pool.Run(len(spans)*a.shape.Heads*a.tiles, 1, a.tileBody); err != nil {
		return err
	}
	for _, s := range spans {
		a.mergeTiles(s)
	}
	return nil
}

// few tells whether tiles have to be shared out among that many workers, and are few enough to. It decides nothing
// but speed: parts are merged in the same order either way.
func (a *Attention) few(workers int) bool {
	return workers > 1 && a.tiles > 1 && len(a.spans)*a.shape.Heads < 4*workers && a.dst.Rows*a.heads*a.tiles <= maxParts
}

// tiles is the number of tiles that a span's last row sees.
func (s Span) tiles() int {
	return (s.Pos + s.Rows + kernels.TilePositions - 1) / kernels.TilePositions
}

// seen is how many positions of a tile a row of a span sees; none or less where the tile lies behind it.
func (s Span) seen(row, tile int) int {
	return min(kernels.TilePositions, s.Pos+row+1-tile*kernels.TilePositions)
}

func (a *Attention) workTiles(worker, start, end int) {
	w := &a.workers[worker]
	for i := start; i < end; i++ {
		s, head, tile := a.spans[i/a.tiles/a.shape.Heads], i/a.tiles%a.shape.Heads, i%a.tiles
		if tile >= s.tiles() {
			continue
		}
		s.Seq.load(&w.tile, a.layer, head, tile*kernels.TilePositions, s.seen(s.Rows-1, tile))
		for row := range s.Rows {
			n := s.seen(row, tile)
			if n < 1 {
				continue
			}
			for query := head * a.group(); query < (head+1)*a.group(); query++ {
				p := a.tilePart(s.Row+row, query, tile)
				p[0], p[1] = w.tile.Part(p[partHead:], a.part(a.q, s.Row+row, query), n, a.scale)
			}
		}
	}
}

// mergeTiles adds up the parts of a span's rows.
func (a *Attention) mergeTiles(s Span) {
	for row := range s.Rows {
		for query := range a.heads {
			var state kernels.Softened
			acc := a.part(a.dst, s.Row+row, query)
			for tile := 0; tile < s.tiles() && s.seen(row, tile) > 0; tile++ {
				p := a.tilePart(s.Row+row, query, tile)
				state.Merge(acc, p[partHead:], p[0], p[1])
			}
			state.Finish(acc)
		}
	}
}

func (a *Attention) tilePart(row, query, tile int) []float32 {
	size := partHead + a.shape.Dim
	return a.parts[((row*a.heads+query)*a.tiles+tile)*size:][:size]
}

// group is the number of query heads that share a key-value head.
func (a *Attention) group() int { return a.heads / a.shape.Heads }

func (a *Attention) work(worker, start, end int) {
	for i := start; i < end; i++ {
		a.span(&a.workers[worker], a.spans[i/a.shape.Heads], i%a.shape.Heads)
	}
}

// span is the attention of a span's queries to one key-value head, tile after tile.
func (a *Attention) span(w *workspace, s Span, head int) {
	group := a.group()
	states := w.states[:s.Rows*group]
	clear(states)
	for tile := range s.tiles() {
		s.Seq.load(&w.tile, a.layer, head, tile*kernels.TilePositions, s.seen(s.Rows-1, tile))
		for i := range states {
			row, query := i/group, head*group+i%group
			if seen := s.seen(row, tile); seen > 0 {
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
