package requant

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// chunkWeights is how many weights a worker takes at a time, if a row is not longer. The sums of a chunk are added in
// chunk order, so that a report does not depend on the number of threads.
const chunkWeights = 1 << 15

// conversion carries the rows of one tensor from one format to another.
type conversion struct {
	t        *tensor.Tensor
	from, to *quant.Format
	threads  int
	progress func(bytes int64) // source bytes that are done
}

// write converts all rows in parallel and writes them in order.
func (c *conversion) write(ctx context.Context, dst io.Writer) (tally, error) {
	rows, perChunk := c.t.Rows(), max(1, chunkWeights/c.t.Cols())
	out := make([]byte, min(rows, c.threads*4*perChunk)*c.to.RowBytes(c.t.Cols()))
	var all tally
	for first := 0; first < rows; {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		last := min(rows, first+c.threads*4*perChunk)
		sums, err := c.batch(out, first, last, perChunk)
		if err != nil {
			return all, err
		}
		for _, sum := range sums {
			all.add(sum)
		}
		if _, err := dst.Write(out[:(last-first)*c.to.RowBytes(c.t.Cols())]); err != nil {
			return all, err
		}
		c.progress(int64((last - first) * c.from.RowBytes(c.t.Cols())))
		first = last
	}
	return all, nil
}

// batch converts rows first to last into out, each chunk by whichever worker is free.
func (c *conversion) batch(out []byte, first, last, perChunk int) ([]tally, error) {
	chunks := (last - first + perChunk - 1) / perChunk
	sums, errs := make([]tally, chunks), make([]error, chunks)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(c.threads, chunks) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < chunks; i = int(next.Add(1)) - 1 {
				from := first + i*perChunk
				errs[i] = tensor.Guard(func() error {
					return c.rows(out[i*perChunk*c.to.RowBytes(c.t.Cols()):], from, min(last, from+perChunk), &sums[i])
				})
			}
		})
	}
	workers.Wait()
	for _, err := range errs { // the first in row order, whoever met his first
		if err != nil {
			return nil, err
		}
	}
	return sums, nil
}

func (c *conversion) rows(out []byte, first, last int, sum *tally) error {
	cols, size := c.t.Cols(), c.to.RowBytes(c.t.Cols())
	x, y := make([]float32, cols), make([]float32, cols)
	for row := first; row < last; row++ {
		c.from.Decode(x, c.t.Row(row))
		encoded := out[:size]
		if err := c.to.EncodeRow(encoded, x); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		c.to.Decode(y, encoded)
		sum.compare(x, y)
		out = out[size:]
	}
	return nil
}

// copyBytes writes a tensor as it is.
func copyBytes(ctx context.Context, dst io.Writer, t *tensor.Tensor, progress func(int64)) error {
	for data := t.Data; len(data) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := data[:min(len(data), 1<<20)]
		err := tensor.Guard(func() error {
			_, err := dst.Write(piece)
			return err
		})
		if err != nil {
			return err
		}
		progress(int64(len(piece)))
		data = data[len(piece):]
	}
	return nil
}
