package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/packed"
)

// Model is a model opened for measuring: mapped and packed as package engine does it, without a tokenizer.
type Model struct {
	file   *gguf.File
	model  *models.Model
	panels *packed.Panels
	form   kernels.Activations
}

// OpenModel maps a model and packs it as the form of its activations wants. Close releases it.
func OpenModel(path string, form kernels.Activations) (m *Model, err error) {
	file, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	m = &Model{file: file, form: form}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	if m.model, err = models.Load(file); err != nil {
		return nil, err
	}
	return m, m.pack(0, nil)
}

func (m *Model) pack(threads int, cache *packed.Cache) (err error) {
	if m.form == kernels.Float32 {
		return nil
	}
	pool := kernels.NewPool(threads)
	defer pool.Close()
	m.panels, err = packed.Prepare(cache, pool, m.file, m.model)
	return err
}

// Close releases the model.
func (m *Model) Close() error {
	var err error
	if m.panels != nil {
		err = m.panels.Close()
	}
	return errors.Join(err, m.file.Close())
}

// Check refuses a test that does not fit the model.
func (m *Model) Check(t Test) error {
	if have, want := m.model.Config().Context, t.Depth+t.Prompt+t.Gen; want > have {
		return fmt.Errorf("bench: %s: %s wants %d tokens of context, the model has %d", m.file.Path(), t.Name(), want, have)
	}
	return nil
}

// session is a model with the context of one test. It is a subject.
type session struct {
	test   Test
	vocab  int
	pool   *kernels.Pool
	runner *models.Runner
	seqs   []*kv.Sequence
	batch  models.Batch
	tokens *rand.Rand
}

// seed makes every run's tokens the same.
const seed = 20260115

func (m *Model) session(t Test) (*session, error) {
	c := m.model.Config()
	shape := c.KV(t.KV)
	pages := (t.Depth + t.Prompt + t.Gen + shape.PageTokens - 1) / shape.PageTokens
	store, err := kv.NewStore(shape, int64(pages)*int64(t.Parallel)*shape.PageBytes())
	if err != nil {
		return nil, err
	}
	s := &session{test: t, vocab: c.Vocab, pool: kernels.NewPool(t.Threads), tokens: rand.New(rand.NewPCG(seed, 0))}
	s.runner = models.NewRunner(m.model, s.pool, max(min(t.Batch, max(t.Prompt, t.Depth)), t.Parallel), m.form)
	for range t.Parallel {
		s.seqs = append(s.seqs, store.NewSequence())
	}
	if err := s.makePages(t.Depth + t.Prompt + t.Gen); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// makePages allocates what the test needs, so that no run pays for it.
func (s *session) makePages(tokens int) error {
	for _, seq := range s.seqs {
		if err := seq.Reserve(tokens); err != nil {
			return err
		}
	}
	for _, seq := range s.seqs {
		seq.Free()
	}
	return nil
}

func (s *session) close() { s.pool.Close() }

func (s *session) rewind(ctx context.Context) error {
	for _, seq := range s.seqs {
		if seq.Len() > s.test.Depth {
			seq.Truncate(s.test.Depth)
		}
		if err := s.extend(ctx, seq, s.test.Depth-seq.Len(), false); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) prefill(ctx context.Context, n int) error { return s.extend(ctx, s.seqs[0], n, true) }

// extend computes n tokens of a sequence; with logits, those of the last of them too.
func (s *session) extend(ctx context.Context, seq *kv.Sequence, n int, logits bool) error {
	for n > 0 {
		chunk := min(n, s.test.Batch)
		n -= chunk
		s.begin(seq)
		for i := range chunk {
			s.add(seq.Len()+i, 0, logits && n == 0 && i == chunk-1)
		}
		if _, err := s.runner.Forward(ctx, &s.batch); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) decode(ctx context.Context, n int) error {
	for range n {
		s.begin(s.seqs...)
		for i, seq := range s.seqs {
			s.add(seq.Len(), i, true)
		}
		if _, err := s.runner.Forward(ctx, &s.batch); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) begin(seqs ...*kv.Sequence) {
	s.batch.Tokens, s.batch.Seqs = s.batch.Tokens[:0], append(s.batch.Seqs[:0], seqs...)
}

func (s *session) add(pos, seq int, logits bool) {
	id := int32(s.tokens.IntN(s.vocab))
	s.batch.Tokens = append(s.batch.Tokens, models.Token{ID: id, Pos: pos, Seq: seq, Logits: logits})
}
