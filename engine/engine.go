// Package engine is one loaded model that answers chats: it owns the mapped file, the runner with its scratch, the
// worker pool and the KV pages. It is a chat.Service.
package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/grammar"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/packed"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/sched"
	"github.com/nrt-go/nrt/tensor"
	"github.com/nrt-go/nrt/tokenizer"
)

// DefaultContext bounds the context where the caller names none, so that a model trained on 128k tokens does not ask
// for gigabytes of KV pages.
const DefaultContext = 8192

// PrefillChunk is how many prompt tokens one forward takes: large enough to share each weight row among many tokens,
// small enough that cancelling is felt at once.
const PrefillChunk = 64

// DefaultParallel is how many answers are computed together where the caller does not say.
const DefaultParallel = 4

// Config says how a model is opened; zero values are the defaults.
type Config struct {
	Threads  int    // workers; 0 is the machine's physical cores
	Context  int    // tokens of context; 0 is the model's own, at most DefaultContext
	Parallel int    // answers that are computed together, others wait; 0 is DefaultParallel
	KV       string // element type of KV pages: "f16", "f32" or "q8_0"; "" is f32 where weights or activations are, else f16
	NoMap    bool   // read the file instead of mapping it
	Template string // source of a chat template to use instead of the model's own

	// Activations is the form in which activations meet quantised weights: "int8", also "", or "f32".
	Activations string

	Packed *packed.Cache // where packed weights are kept between starts; nil packs them at each
	Notice func(string)  // told what the cache does; may be nil, and is called from another goroutine
}

// Engine answers many requests at once: one loop computes a step of all of them, then the next.
type Engine struct {
	cfg     Config
	file    *gguf.File
	vocab   *tokenizer.Tokenizer
	model   *models.Model
	pool    *kernels.Pool
	keeper  keeper // of the packed weights
	runner  *models.Runner
	pages   *kv.Store
	context int

	template    *tokenizer.Template
	templateErr error // why there is no template; told to whoever needs one

	breakersMu sync.Mutex
	breakersOf map[string][][]int32 // DRY's texts as token sequences

	turn     chan struct{} // holds one token: whoever has it owns the runner, and all below
	prefixes prefixes
	failed   error // set for good once the file or the pool broke

	formats formats

	desk    desk
	sched   *sched.Scheduler
	answers map[string]*answer // those the scheduler knows
	parts   []part
	batch   models.Batch
	ended   chan struct{} // closed when the loop is over

	closing sync.Once
	closed  chan struct{}
}

// Open maps the file and makes the model ready. Close releases it.
func Open(path string, cfg Config) (e *Engine, err error) {
	var opts []gguf.Option
	if cfg.NoMap {
		opts = append(opts, gguf.NoMap())
	}
	file, err := gguf.Open(path, opts...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	e = &Engine{
		cfg: cfg, file: file, turn: make(chan struct{}, 1), closed: make(chan struct{}), breakersOf: map[string][][]int32{},
		formats: formats{kept: map[string]*grammar.Constraint{}}, desk: desk{wake: make(chan struct{}, 1)}, answers: map[string]*answer{}, ended: make(chan struct{}),
	}
	err = tensor.Guard(e.load)
	if err != nil {
		return nil, err
	}
	e.turn <- struct{}{}
	go e.loop()
	return e, nil
}

func (e *Engine) load() error {
	var err error
	if e.vocab, err = tokenizer.FromGGUF(e.file); err != nil {
		return err
	}
	if e.model, err = models.Load(e.file); err != nil {
		return err
	}
	if have, want := e.vocab.VocabSize(), e.model.Config().Vocab; have > want {
		return fmt.Errorf("engine: %s: the tokenizer has %d tokens and the embedding only %d rows", e.file.Path(), have, want)
	}
	if e.context, err = contextSize(e.cfg.Context, e.model.Config().Context); err != nil {
		return err
	}
	form, err := kernels.ParseActivations(e.cfg.Activations)
	if err != nil {
		return err
	}
	elem, err := e.kvElem(form)
	if err != nil {
		return err
	}
	e.template, e.templateErr = e.loadTemplate()
	if e.templateErr != nil && e.cfg.Template != "" {
		return e.templateErr
	}
	parallel, err := parallelAnswers(e.cfg.Parallel)
	if err != nil {
		return err
	}
	// Room for as many conversations as long as the context, and for the kept ones as far as they leave some.
	shape := e.model.Config().KV(elem)
	pages := (e.context + shape.PageTokens - 1) / shape.PageTokens
	if e.pages, err = kv.NewStore(shape, int64(parallel+1)*int64(pages)*shape.PageBytes()); err != nil {
		return err
	}
	if e.sched, err = sched.New(policy(parallel, shape.PageTokens, (parallel+1)*pages)); err != nil {
		return err
	}
	e.pool = kernels.NewPool(e.cfg.Threads)
	if form == kernels.Int8 {
		cache := e.cfg.Packed
		if e.cfg.NoMap {
			cache = nil
		}
		panels, err := packed.Prepare(cache, e.pool, e.file, e.model)
		if err != nil {
			e.pool.Close()
			return err
		}
		e.keeper = newKeeper(panels, e.cfg.Notice)
	}
	e.runner = models.NewRunner(e.model, e.pool, PrefillChunk+parallel, form)
	return nil
}

// policy is how steps are cut. A token of a prompt costs about an eighth of what a step costs anyway, less where memory
// is fast and more where it is slow; that is near enough to keep those who talk from waiting more than twice as long
// while somebody's prompt is read.
func policy(parallel, pageTokens, pages int) sched.Config {
	return sched.Config{
		PageTokens: pageTokens, Pages: pages, Active: parallel, Prefill: PrefillChunk, Chunked: true,
		Stretch: 100, MinChunk: 4, Cost: sched.Cost{Step: 8, Token: 1}, Patience: 64,
	}
}

func (e *Engine) loadTemplate() (*tokenizer.Template, error) {
	if e.cfg.Template != "" {
		return tokenizer.ParseTemplate(e.vocab, e.cfg.Template)
	}
	return tokenizer.ModelTemplate(e.vocab)
}

func contextSize(asked, trained int) (int, error) {
	switch {
	case asked < 0:
		return 0, fmt.Errorf("engine: context of %d tokens asked for; want at least 1, or 0 for the model's own", asked)
	case asked > trained:
		return 0, fmt.Errorf("engine: context of %d tokens asked for; the model was trained for %d", asked, trained)
	case asked > 0:
		return asked, nil
	}
	return min(trained, DefaultContext), nil
}

// maxParallel bounds the room that a step's batch takes.
const maxParallel = 1024

func parallelAnswers(asked int) (int, error) {
	switch {
	case asked < 0 || asked > maxParallel:
		return 0, fmt.Errorf("engine: %d answers together asked for; want 1 to %d, or 0 for %d", asked, maxParallel, DefaultParallel)
	case asked == 0:
		return DefaultParallel, nil
	}
	return asked, nil
}

// kvElem is the element type of KV pages. A model whose weights or activations are in full precision keeps it there: half
// precision would be the only rounding in its way.
func (e *Engine) kvElem(form kernels.Activations) (kv.Elem, error) {
	if e.cfg.KV == "" {
		if t, err := e.file.Tensor("blk.0.attn_k.weight"); form == kernels.Float32 || err == nil && t.Type == quant.F32 {
			return kv.F32, nil
		}
		return kv.F16, nil
	}
	return kv.ParseElem(e.cfg.KV)
}

// acquire waits for the engine; release gives it back.
func (e *Engine) acquire(ctx context.Context) error {
	select {
	case <-e.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	case <-e.turn:
	}
	if err := e.usable(); err != nil {
		e.release()
		return err
	}
	return nil
}

func (e *Engine) release() {
	if e.failed == nil && e.sched.Len() == 0 {
		e.keeper.start()
	}
	e.turn <- struct{}{}
}

// usable refuses to compute for a closed engine.
func (e *Engine) usable() error {
	select {
	case <-e.closed:
		return errClosed
	default:
		return e.broken()
	}
}

// broken refuses to compute with weights that are no longer those that were opened.
func (e *Engine) broken() error {
	if e.failed == nil {
		// A file replaced by another leaves the mapped one whole; one changed in place does not.
		if err := e.file.Check(); err != nil && !errors.Is(err, gguf.ErrReplaced) {
			e.failed = chat.Errorf(chat.ModelFailed, "engine: %w", err)
		}
	}
	return e.failed
}

// Close waits for the answers that were begun and releases the model; those that wait are refused. A second Close does
// nothing.
func (e *Engine) Close() error {
	var err error
	e.closing.Do(func() {
		e.desk.close()
		<-e.ended
		close(e.closed)
		<-e.turn
		e.prefixes.drop()
		e.pool.Close()
		err = errors.Join(e.keeper.close(), e.file.Close())
		e.turn <- struct{}{}
	})
	return err
}

// File is the open model file.
func (e *Engine) File() *gguf.File { return e.file }

// Tokenizer is the model's vocabulary.
func (e *Engine) Tokenizer() *tokenizer.Tokenizer { return e.vocab }

// ModelConfig is the model's configuration.
func (e *Engine) ModelConfig() models.Config { return e.model.Config() }

// Template is the chat template, or why there is none.
func (e *Engine) Template() (*tokenizer.Template, error) { return e.template, e.templateErr }

// Context is how many tokens a conversation may have.
func (e *Engine) Context() int { return e.context }
