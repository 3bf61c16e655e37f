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

// workspace is one worker's room: a tile, the queries it meets, and the running softmax of every query head of a span.
type workspace struct {
	tile   kernels.Tile
	room   *kernels.Attender
	states []kernels.Softened
	span   int // whose queries are in room, with those of head; -1 is none
	head   int
}

// NewAttention makes room for attention of that many query heads by that many workers.
func NewAttention(shape Shape, heads, workers int) *Attention {
	a := &Attention{heads: heads, shape: shape, workers: make([]workspace, workers)}
	queries, pages := SpanRows*heads/shape.Heads, kernels.TilePositions/shape.tokens()
	for i := range a.workers {
		a.workers[i] = workspace{
			tile:   kernels.Tile{Keys: make([]kernels.Block, 0, pages), Values: make([]kernels.Block, 0, pages)},
			room:   kernels.NewAttender(queries, shape.Dim, shape.tokens(), float32(1/math.Sqrt(float64(shape.Dim)))),
			states: make([]kernels.Softened, queries),
		}
	}
	a.body, a.tileBody = a.work, a.workTiles
	return a
}

// AttentionBytes is the memory that NewAttention takes, and that the parts of shared tiles take at most.
func AttentionBytes(shape Shape, heads, workers int) int64 {
	queries := SpanRows * heads / shape.Heads
	worker := kernels.AttenderBytes(queries, shape.Dim, shape.tokens()) + 12*queries
	return int64(workers)*int64(worker) + 2*4*maxParts*int64(partHead+shape.Dim)
}

// Run writes to dst [rows][heads*Dim], for every query q [rows][heads*Dim] of the spans, the attention over all
// positions of its sequence up to its own. The keys and values of those positions have been Put.
func (a *Attention) Run(pool *kernels.Pool, layer int, dst, q tensor.Matrix, spans []Span) error {
	a.layer, a.dst, a.q, a.spans, a.tiles = layer, dst, q, spans, 0
	for _, s := range spans {
		a.tiles = max(a.tiles, s.tiles())
	}
	for i := range a.workers {
		a.workers[i].span = -1
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
		span, head, tile := i/a.tiles/a.shape.Heads, i/a.tiles%a.shape.Heads, i%a.tiles
		s := a.spans[span]
		if tile >= s.tiles() {
			continue
		}
		if w.span != span || w.head != head {
			w.span, w.head = span, head
			a.take(w, s, head)
		}
		a.attend(w, s, head, tile, func(query int) {
			part, top, total := w.room.Part(query % kernels.QueryRows)
			p := a.tilePart(s.Row+query/a.group(), head*a.group()+query%a.group(), tile)
			p[0], p[1] = top, total
			copy(p[partHead:], part)
		})
	}
}

// take brings the queries of a span that meet a key-value head to a worker, row after row.
func (a *Attention) take(w *workspace, s Span, head int) {
	w.room.Reset()
	from, to := head*a.group()*a.shape.Dim, (head+1)*a.group()*a.shape.Dim
	for row := range s.Rows {
		w.room.Add(a.q.Row(s.Row + row)[from:to], s.Seq.Shape().Elem == Q8_0)
	}
}

// attend computes the parts of the queries that a worker has taken in a tile, and calls each for those that see it.
func (a *Attention) attend(w *workspace, s Span, head, tile int, each func(query int)) {
	s.Seq.load(&w.tile, a.layer, head, tile*kernels.TilePositions, s.seen(s.Rows-1, tile))
	group, t := a.group(), w.room.Widen(&w.tile)
	for first := 0; first < s.Rows*group; first += kernels.QueryRows {
		var seen [kernels.QueryRows]int
		n := min(kernels.QueryRows, s.Rows*group-first)
		for i := range n {
			seen[i] = max(0, s.seen((first+i)/group, tile))
		}
		if seen[n-1] == 0 {
			continue
		}
		w.room.Attend(t, first, seen[:n])
		for i := range n {
			if seen[i] > 0 {
				each(first + i)
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
	a.take(w, s, head)
	for tile := range s.tiles() {
		a.attend(w, s, head, tile, func(i int) {
			part, top, total := w.room.Part(i % kernels.QueryRows)
			states[i].Merge(a.part(a.dst, s.Row+i/group, head*group+i%group), part, top, total)
		})
	}
	for i := range states {
		states[i].Finish(a.part(a.dst, s.Row+i/group, head*group+i%group))
	}
}

// part is one query head of one row.
func (a *Attention) part(m tensor.Matrix, row, head int) []float32 {
	return m.Row(row)[head*a.shape.Dim : (head+1)*a.shape.Dim]
}
