package models

import (
	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/tensor"
)

// Model is a loaded model: a shape and views of the file's weights. It is never written to and may be shared; the
// file must stay open as long as the model is used.
type Model struct {
	cfg Config
	w   *weights
}

// Load checks that the file is a model that can run and binds its weights. Everything that is wrong with it is
// reported at once, as a *LoadError.
func Load(f *gguf.File) (*Model, error) {
	if _, err := kernels.ISA(); err != nil {
		return nil, err
	}
	var m *Model
	err := tensor.Guard(func() error {
		r := &reader{f: f}
		cfg := r.config()
		if err := r.err(); err != nil {
			return err
		}
		m = &Model{cfg: cfg, w: r.bind(cfg)}
		return r.err()
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Config is the model's shape.
func (m *Model) Config() Config { return m.cfg }

// Tied tells whether the embedding serves as the output matrix too.
func (m *Model) Tied() bool { return m.w.output == m.w.embed }

// Params is the number of the file's weights.
func (m *Model) Params() int64 { return m.w.params }

// Bytes is the size of the file's weights.
func (m *Model) Bytes() int64 { return m.w.bytes }

// Usage is what running a model takes, in bytes.
type Usage struct {
	Weights  int64 // the file's tensors, shared with the page cache where the file is mapped
	KVToken  int64 // keys and values of one position
	Scratch  int64 // a Runner's buffers, without logits
	LogitRow int64 // one row of logits
}

// Memory is what a model of that shape takes with keys and values in elem and a Runner for maxBatch tokens and that
// many workers.
func Memory(c Config, weightBytes int64, elem kv.Elem, maxBatch, workers int) Usage {
	return Usage{
		Weights:  weightBytes,
		KVToken:  c.KV(elem).TokenBytes(),
		Scratch:  scratchBytes(c, maxBatch, workers),
		LogitRow: 4 * int64(c.Vocab),
	}
}
