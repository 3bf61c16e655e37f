package models

import (
	"errors"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kv"
)

// Config is a model's shape, checked: every number is in its range and they fit one another.
type Config struct {
	Arch string // general.architecture
	Name string // general.name, may be empty

	Layers  int
	Context int // positions the model was trained for
	Embed   int // width of the residual stream
	FFN     int // width of the feed-forward layer
	Heads   int // query heads
	KVHeads int // key-value heads, a divisor of Heads
	HeadDim int // numbers in a head, even
	Vocab   int // rows of the embedding
	NormEps float32
	Rope    Rope

	arch *arch
}

// KV is the shape of the model's key-value store.
func (c Config) KV(elem kv.Elem) kv.Shape {
	return kv.Shape{Layers: c.Layers, Heads: c.KVHeads, Dim: c.HeadDim, PageTokens: kv.PageTokens, Elem: elem}
}

// ReadConfig reads and checks the metadata of a model. It reads no weights; its error lists everything that is wrong.
func ReadConfig(f *gguf.File) (Config, error) {
	r := &reader{f: f}
	c := r.config()
	return c, r.err()
}

// The largest numbers that a file may ask for: ten times what exists, and few enough that products stay far below 2^63.
const (
	maxLayers  = 1 << 10
	maxContext = 1 << 25
	maxWidth   = 1 << 20
	maxHeads   = 1 << 12
	maxHeadDim = 1 << 11
	maxVocab   = 1 << 22
)

func (r *reader) config() Config {
	var c Config
	name, err := r.f.String("general.architecture")
	if err != nil {
		r.problem(err)
		return c
	}
	c.Arch = name
	if c.arch, err = findArch(name); err != nil {
		r.problem(err)
		return c
	}
	if c.Name, err = r.f.String("general.name"); err != nil && !errors.Is(err, gguf.ErrMissing) {
		r.problem(err)
	}
	r.prefix = name + "."
	r.refuse()
	c.Layers = r.int("block_count", 1, maxLayers)
	c.Context = r.int("context_length", 1, maxContext)
	c.Embed = r.int("embedding_length", 1, maxWidth)
	c.FFN = r.int("feed_forward_length", 1, maxWidth)
	c.NormEps = float32(r.float("attention.layer_norm_rms_epsilon", 1e-12, 1e-1))
	r.heads(&c)
	r.vocab(&c)
	if len(r.problems) == 0 {
		c.Rope = r.rope(c)
	}
	return c
}

// refuse names what the forward pass does not compute and a file may ask for.
func (r *reader) refuse() {
	if n := r.intOr("expert_count", 0, 0, 1<<16); n > 0 {
		r.problemf("%sexpert_count is %d: mixtures of experts are not supported, want 0", r.prefix, n)
	}
}

func (r *reader) heads(c *Config) {
	c.Heads = r.int("attention.head_count", 1, maxHeads)
	c.KVHeads = r.intOr("attention.head_count_kv", c.Heads, 1, maxHeads)
	if c.Heads == 0 || c.KVHeads == 0 || c.Embed == 0 {
		return // already a problem
	}
	if c.Heads%c.KVHeads != 0 {
		r.problemf("%sattention.head_count_kv is %d, want a divisor of the %d heads", r.prefix, c.KVHeads, c.Heads)
	}
	if !r.has("attention.key_length") && c.Embed%c.Heads != 0 {
		r.problemf("%sembedding_length is %d, want a multiple of the %d heads", r.prefix, c.Embed, c.Heads)
		return
	}
	c.HeadDim = r.intOr("attention.key_length", c.Embed/c.Heads, 2, maxHeadDim)
	if c.HeadDim%2 != 0 {
		r.problemf("heads have %d numbers, want an even number", c.HeadDim)
	}
	if n := r.intOr("attention.value_length", c.HeadDim, 1, maxHeadDim); n != c.HeadDim {
		r.problemf("%sattention.value_length is %d, want the key's %d", r.prefix, n, c.HeadDim)
	}
}

// vocab takes the size of the vocabulary from the embedding: the metadata may have none, or one that is not padded.
func (r *reader) vocab(c *Config) {
	t, err := r.f.Tensor(embedding)
	if err != nil {
		r.problem(err)
		return
	}
	if len(t.Shape) != 2 || t.Shape[1] > maxVocab {
		r.problemf("tensor %q has shape %v, want [%d 1..%d]", t.Name, t.Shape, c.Embed, maxVocab)
		return
	}
	c.Vocab = t.Shape[1]
}
