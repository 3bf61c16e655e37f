package kv

import (
	"fmt"
	"testing"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/tensor"
)

// BenchmarkAttention is one layer's attention in the shapes of TinyLlama 1.1B and SmolLM2 135M: a decode step at a depth,
// and a chunk of a prompt up to it. Every iteration reads another layer, as a forward pass does.
func BenchmarkAttention(b *testing.B) {
	for _, model := range []struct {
		name            string
		heads, kv, deep int
	}{{"1.1B", 32, 4, 22}, {"135M", 9, 3, 30}} {
		for elem := range elems {
			for _, c := range []struct{ depth, rows int }{{64, 1}, {512, 1}, {2048, 1}, {256, 64}} {
				for _, workers := range []int{1, 2} {
					shape := Shape{Layers: model.deep, Heads: model.kv, Dim: 64, Elem: Elem(elem)}
					b.Run(fmt.Sprintf("%s/%s/%d@%d/t%d", model.name, shape.Elem, c.rows, c.depth, workers), func(b *testing.B) {
						benchmarkAttention(b, shape, model.heads, c.depth, c.rows, workers)
					})
				}
			}
		}
	}
}

func benchmarkAttention(b *testing.B, shape Shape, heads, depth, rows, workers int) {
	store, err := NewStore(shape, 1<<30)
	if err != nil {
		b.Fatal(err)
	}
	seq := store.NewSequence()
	if err := seq.Reserve(depth); err != nil {
		b.Fatal(err)
	}
	x := tensor.NewMatrix(1, shape.Heads*shape.Dim)
	randomise(x, 3)
	for pos := range depth {
		for layer := range shape.Layers {
			seq.Put(layer, pos, x.Data, x.Data)
		}
	}
	pool := kernels.NewPool(workers)
	defer pool.Close()
	attention := NewAttention(shape, heads, workers)
	q, dst := tensor.NewMatrix(rows, heads*shape.Dim), tensor.NewMatrix(rows, heads*shape.Dim)
	randomise(q, 9)
	var spans []Span
	for row := 0; row < rows; row += SpanRows {
		spans = append(spans, Span{Seq: seq, Row: row, Pos: depth - rows + row, Rows: min(SpanRows, rows-row)})
	}
	layer := 0
	b.ReportAllocs()
	for b.Loop() {
		if err := attention.Run(pool, layer, dst, q, spans); err != nil {
			b.Fatal(err)
		}
		layer = (layer + 1) % shape.Layers
	}
}
