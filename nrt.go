// Package nrt runs language models in pure Go: it maps a GGUF file, computes, and talks.
//
//	m, err := nrt.Open("model.gguf")
//	if err != nil {
//		return err
//	}
//	defer m.Close()
//	for ev, err := range m.Chat(ctx, &chat.Request{Messages: messages}) {
//		if err != nil {
//			return err
//		}
//		fmt.Print(ev.Text)
//	}
//
// A Model answers several requests at once: one step computes a token of each. What a request gets back does not depend
// on the others. It keeps the keys and values of recent conversations, so that sending the growing list of messages
// computes only what is new. All methods may be called from several goroutines.
package nrt

import (
	"context"
	"iter"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/engine"
	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/packed"
	"github.com/nrt-go/nrt/tokenizer"
)

// Model is an open model. It is a chat.Service.
type Model struct {
	engine *engine.Engine
}

var _ chat.Service = (*Model)(nil)

// Option changes how Open opens a model.
type Option func(*engine.Config)

// Threads sets the number of workers; the default is the machine's physical cores.
func Threads(n int) Option { return func(c *engine.Config) { c.Threads = n } }

// Context sets how many tokens a conversation may have; the default is the model's own length, at most
// engine.DefaultContext. Memory grows with use, not with this bound.
func Context(tokens int) Option { return func(c *engine.Config) { c.Context = tokens } }

// Parallel sets how many answers are computed together; others wait. The default is engine.DefaultParallel. Each may
// take keys and values for a whole context, so the bound on memory grows with it; the memory itself grows with use.
func Parallel(answers int) Option { return func(c *engine.Config) { c.Parallel = answers } }

// KVType sets the element type of the KV pages: "f16", "f32" or "q8_0". The default, also "", is f32 where the model's
// weights or the activations are, and f16 everywhere else.
func KVType(name string) Option { return func(c *engine.Config) { c.KV = name } }

// Activations sets the form in which activations meet quantised weights: "int8", the default, or "f32", which rounds
// nothing: every row of weights is decoded, so prompts take about five times as long and single tokens about ten times. It is
// for reference: what separates a run with int8 from one with f32 is the rounding of activations, and what separates two
// engines that both keep f32 is a difference of theirs. The logits are bit for bit those of the same weights as F32.
func Activations(name string) Option { return func(c *engine.Config) { c.Activations = name } }

// NoMap reads the file into memory instead of mapping it.
func NoMap() Option { return func(c *engine.Config) { c.NoMap = true } }

// Packed keeps the weights on disk in the order in which this machine reads them, in a folder of at most limit bytes (0
// is packed.DefaultLimit): the next Open maps them and is ready at once. The file is written after the first answer. What
// goes wrong with it is no error; notice, which may be nil, hears of it, on a goroutine of its own.
func Packed(dir string, limit int64, notice func(string)) Option {
	return func(c *engine.Config) {
		c.Packed, c.Notice = &packed.Cache{Dir: dir, Limit: limit}, notice
	}
}

// Template sets the source of the chat template to use instead of the model's own.
func Template(source string) Option { return func(c *engine.Config) { c.Template = source } }

// Open opens a GGUF file; of a split model, any of its files. What is wrong with the file is the error: its message
// names the file, what was found and what was wanted.
func Open(path string, opts ...Option) (*Model, error) {
	var cfg engine.Config
	for _, opt := range opts {
		opt(&cfg)
	}
	e, err := engine.Open(path, cfg)
	if err != nil {
		return nil, err
	}
	return &Model{engine: e}, nil
}

// Close waits for the running answer and releases the model. Calls that come later get an error.
func (m *Model) Close() error { return m.engine.Close() }

// Chat answers a request, token by token. The last event has Final. Leaving the loop or cancelling ctx ends the
// answer; a cancelled one yields ctx's error.
func (m *Model) Chat(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return m.engine.Chat(ctx, req)
}

// Generate continues a text without a chat template; req says how, its Messages, Prompt and Tokens are not used.
func (m *Model) Generate(ctx context.Context, prompt string, req chat.Request) iter.Seq2[chat.Event, error] {
	req.Messages, req.Tokens, req.Prompt = nil, nil, &prompt
	return m.engine.Chat(ctx, &req)
}

// Render is what the model will really see of a request: the text after its chat template, and the token ids.
func (m *Model) Render(req *chat.Request) (text string, ids []int32, err error) {
	return m.engine.Render(req)
}

// Embed is the final hidden state of a text, pooled over its tokens and scaled to length 1.
func (m *Model) Embed(ctx context.Context, text string, pooling engine.Pooling) ([]float32, error) {
	return m.engine.Embed(ctx, text, pooling)
}

// Score feeds tokens and hands over the logits after each of them; the slice is valid during the call only.
func (m *Model) Score(ctx context.Context, tokens []int32, each func(pos int, logits []float32) error) error {
	return m.engine.Score(ctx, tokens, each)
}

// Tokenize turns text into ids.
func (m *Model) Tokenize(text string, opt tokenizer.Options) []int32 {
	return m.engine.Tokenizer().Encode(text, opt)
}

// Detokenize turns ids into text, without special tokens.
func (m *Model) Detokenize(ids []int32) string { return m.engine.Tokenizer().Decode(ids, false) }

// Tokenizer is the model's vocabulary.
func (m *Model) Tokenizer() *tokenizer.Tokenizer { return m.engine.Tokenizer() }

// Config is the model's configuration.
func (m *Model) Config() models.Config { return m.engine.ModelConfig() }

// ContextSize is how many tokens a conversation may have.
func (m *Model) ContextSize() int { return m.engine.Context() }

// File is the open model file: its metadata and tensors.
func (m *Model) File() *gguf.File { return m.engine.File() }
