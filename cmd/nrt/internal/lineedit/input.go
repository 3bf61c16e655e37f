package lineedit

import (
	"context"
	"io"
)

// input reads on demand, in a goroutine of its own, so that waiting for a key also ends by a context. It never reads
// ahead: between two messages the terminal belongs to whoever the program gives it to.
type input struct {
	wanted  chan struct{}
	chunks  chan result
	waiting bool // a read is under way
}

type result struct {
	bytes []byte
	err   error
}

func newInput(r io.Reader) input {
	in := input{wanted: make(chan struct{}, 1), chunks: make(chan result, 1)}
	go func() {
		buf := make([]byte, 4096)
		for range in.wanted {
			n, err := r.Read(buf)
			in.chunks <- result{append([]byte(nil), buf[:n]...), err}
		}
	}()
	return in
}

// chunk is what one read brings, at least one byte; resized calls redraw meanwhile.
func (in *input) chunk(ctx context.Context, resized <-chan struct{}, redraw func()) ([]byte, error) {
	if !in.waiting {
		in.wanted <- struct{}{}
		in.waiting = true
	}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-resized:
			redraw()
		case got := <-in.chunks:
			in.waiting = false
			if len(got.bytes) > 0 {
				return got.bytes, nil
			}
			if got.err != nil {
				return nil, got.err
			}
			in.wanted <- struct{}{}
			in.waiting = true
		}
	}
}

func (in *input) close() { close(in.wanted) }
