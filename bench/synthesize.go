package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/requant"
	"github.com/nrt-go/nrt/tensor"
)

// Shape is the dimensions of a model without its weights.
type Shape struct {
	Name    string
	Arch    string
	Layers  int
	Context int
	Embed   int
	FFN     int
	Heads   int
	KVHeads int
	Vocab   int
	Base    float64 // of the rotary embedding
	Eps     float64 // of the norms
	Tied    bool    // the embedding is the output matrix too
	Biases  bool    // queries, keys and values have them
	Factors bool    // the rotary embedding has factors for each frequency
}

// shapes are the dimensions of published models, from their configuration files.
var shapes = []Shape{
	{Name: "tinyllama-1.1b", Arch: "llama", Layers: 22, Context: 2048, Embed: 2048, FFN: 5632, Heads: 32, KVHeads: 4,
		Vocab: 32000, Base: 10000, Eps: 1e-5},
	{Name: "smollm2-135m", Arch: "llama", Layers: 30, Context: 8192, Embed: 576, FFN: 1536, Heads: 9, KVHeads: 3,
		Vocab: 49152, Base: 100000, Eps: 1e-5, Tied: true},
	{Name: "qwen2.5-0.5b", Arch: "qwen2", Layers: 24, Context: 32768, Embed: 896, FFN: 4864, Heads: 14, KVHeads: 2,
		Vocab: 151936, Base: 1e6, Eps: 1e-6, Tied: true, Biases: true},
	{Name: "llama-3.2-1b", Arch: "llama", Layers: 16, Context: 131072, Embed: 2048, FFN: 8192, Heads: 32, KVHeads: 8,
		Vocab: 128256, Base: 500000, Eps: 1e-5, Tied: true, Factors: true},
}

// ShapeNames lists the names that FindShape takes.
func ShapeNames() []string {
	names := make([]string, len(shapes))
	for i := range shapes {
		names[i] = shapes[i].Name
	}
	return names
}

// FindShape finds a shape by its name in any case.
func FindShape(name string) (Shape, error) {
	for _, s := range shapes {
		if strings.EqualFold(s.Name, name) {
			return s, nil
		}
	}
	return Shape{}, fmt.Errorf("bench: shape %q is unknown; there are %s", name, strings.Join(ShapeNames(), ", "))
}

// A sample matrix has this many rows; the model's are made of their blocks.
const sampleRows = 4

// Synthesize writes a model of a shape with random weights in a mixture of requant, for measuring speed: it says nothing
// of sense. The same arguments give the same file.
//
// Matrices of a few rows go through requant, which chooses the formats and encodes numbers of the spread that a trained
// model has. The file's matrices repeat those rows, each turned by a random number of blocks. progress counts bytes.
func Synthesize(ctx context.Context, s Shape, mixture, path string, progress func(done, total int64)) (err error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".nrt-synthesize-*")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	source, encoded := filepath.Join(dir, "source.gguf"), filepath.Join(dir, "encoded.gguf")
	if err := s.writeSample(source); err != nil {
		return err
	}
	if err := convert(ctx, source, encoded, mixture); err != nil {
		return err
	}
	sample, err := gguf.Open(encoded)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sample.Close()) }()
	return s.enlarge(ctx, sample, path, progress)
}

func convert(ctx context.Context, from, to, mixture string) (err error) {
	f, err := gguf.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = requant.Run(ctx, f, to, requant.Options{Mixture: mixture})
	return err
}

// matrix is a weight of the shape: cols, rows, the latter 0 for a vector.
type matrix struct {
	name       string
	cols, rows int
	mean       float64
	spread     float64
}

// tensors lists what the shape consists of, in the order of files from llama.cpp's converter.
func (s Shape) tensors() []matrix {
	deviation := func(cols int) float64 { return 1 / math.Sqrt(float64(cols)) }
	all := []matrix{{"token_embd.weight", s.Embed, s.Vocab, 0, 1}, {"output_norm.weight", s.Embed, 0, 1, 0.1}}
	if !s.Tied {
		all = append(all, matrix{"output.weight", s.Embed, s.Vocab, 0, deviation(s.Embed)})
	}
	dim := s.Embed / s.Heads
	if s.Factors {
		all = append(all, matrix{"rope_freqs.weight", dim / 2, 0, 1, 0})
	}
	for i := range s.Layers {
		add := func(name string, cols, rows int, mean, spread float64) {
			all = append(all, matrix{fmt.Sprintf("blk.%d.%s", i, name), cols, rows, mean, spread})
		}
		projection := func(name string, cols, rows int, bias bool) {
			add(name+".weight", cols, rows, 0, deviation(cols))
			if bias {
				add(name+".bias", rows, 0, 0, 0.1)
			}
		}
		add("attn_norm.weight", s.Embed, 0, 1, 0.1)
		projection("attn_q", s.Embed, s.Heads*dim, s.Biases)
		projection("attn_k", s.Embed, s.KVHeads*dim, s.Biases)
		projection("attn_v", s.Embed, s.KVHeads*dim, s.Biases)
		projection("attn_output", s.Heads*dim, s.Embed, false)
		add("ffn_norm.weight", s.Embed, 0, 1, 0.1)
		projection("ffn_gate", s.Embed, s.FFN, false)
		projection("ffn_up", s.Embed, s.FFN, false)
		projection("ffn_down", s.FFN, s.Embed, false)
	}
	return all
}

// writeSample writes the model with matrices of sampleRows rows, in F32.
func (s Shape) writeSample(path string) error {
	w := gguf.NewWriter()
	s.setKeys(w)
	random := rand.New(rand.NewPCG(seed, 1))
	for _, m := range s.tensors() {
		shape, n := []int{m.cols}, m.cols
		if m.rows > 0 {
			shape, n = append(shape, sampleRows), n*sampleRows
		}
		w.AddTensor(m.name, quant.F32, shape, func(dst io.Writer) error {
			return writeNormal(dst, n, m.mean, m.spread, random)
		})
	}
	return w.WriteFile(path)
}

func writeNormal(dst io.Writer, n int, mean, spread float64, random *rand.Rand) error {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(mean + float64(spread*random.NormFloat64()))
	}
	f, err := quant.Lookup(quant.F32)
	if err != nil {
		return err
	}
	row := make([]byte, f.RowBytes(n))
	f.Encode(row, x)
	_, err = dst.Write(row)
	return err
}

func (s Shape) setKeys(w *gguf.Writer) {
	p := s.Arch + "."
	w.Set("general.architecture", s.Arch)
	w.Set("general.name", s.Name+" with random weights")
	w.Set(p+"block_count", uint32(s.Layers))
	w.Set(p+"context_length", uint32(s.Context))
	w.Set(p+"embedding_length", uint32(s.Embed))
	w.Set(p+"feed_forward_length", uint32(s.FFN))
	w.Set(p+"attention.head_count", uint32(s.Heads))
	w.Set(p+"attention.head_count_kv", uint32(s.KVHeads))
	w.Set(p+"attention.layer_norm_rms_epsilon", float32(s.Eps))
	w.Set(p+"rope.dimension_count", uint32(s.Embed/s.Heads))
	w.Set(p+"rope.freq_base", float32(s.Base))
	w.Set(p+"vocab_size", uint32(s.Vocab))
	s.setVocabulary(w)
}

// Types of tokens as GGUF numbers them.
const (
	tokenNormal  = 1
	tokenUnknown = 2
	tokenControl = 3
	tokenByte    = 6
)

// setVocabulary writes a SentencePiece vocabulary of the right size: the special tokens, all bytes, and made-up words.
func (s Shape) setVocabulary(w *gguf.Writer) {
	tokens, types := []string{"<unk>", "<s>", "</s>"}, []int32{tokenUnknown, tokenControl, tokenControl}
	for b := range 256 {
		tokens, types = append(tokens, fmt.Sprintf("<0x%02X>", b)), append(types, tokenByte)
	}
	for i := 0; len(tokens) < s.Vocab; i++ {
		tokens, types = append(tokens, word(i)), append(types, tokenNormal)
	}
	scores := make([]float32, len(tokens))
	for i := range scores {
		scores[i] = -float32(i)
	}
	w.Set("tokenizer.ggml.model", "llama")
	w.Set("tokenizer.ggml.tokens", tokens)
	w.Set("tokenizer.ggml.scores", scores)
	w.Set("tokenizer.ggml.token_type", types)
	w.Set("tokenizer.ggml.unknown_token_id", uint32(0))
	w.Set("tokenizer.ggml.bos_token_id", uint32(1))
	w.Set("tokenizer.ggml.eos_token_id", uint32(2))
}

// word is the i-th of all words of the letters, shorter ones first, each after a space's mark.
func word(i int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	var b []byte
	for i++; i > 0; i = (i - 1) / len(letters) {
		b = append(b, letters[(i-1)%len(letters)])
	}
	return "▁" + string(b)
}

// enlarge writes the sample with matrices of their real size.
func (s Shape) enlarge(ctx context.Context, sample *gguf.File, path string, progress func(done, total int64)) error {
	w := gguf.NewWriter()
	for _, key := range sample.Keys() {
		v, _ := sample.Value(key)
		w.Set(key, v)
	}
	var done, total int64
	for _, m := range s.tensors() {
		t, err := sample.Tensor(m.name)
		if err != nil {
			return err
		}
		rows, shape := 1, t.Shape
		if m.rows > 0 {
			rows, shape = m.rows, []int{m.cols, m.rows}
		}
		total += int64(rows) * int64(len(t.Row(0)))
		w.AddTensor(m.name, t.Type, shape, func(dst io.Writer) error {
			if m.rows == 0 {
				_, err := dst.Write(t.Data)
				return err
			}
			return repeatRows(ctx, dst, t, rows, func(n int) { done += int64(n); progress(done, total) })
		})
	}
	return w.WriteFile(path)
}

// repeatRows writes rows of the sample in random order, each turned by a random number of blocks.
func repeatRows(ctx context.Context, dst io.Writer, t *tensor.Tensor, rows int, wrote func(int)) error {
	f, err := quant.Lookup(t.Type)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, uint64(t.Elems())))
	for i := range rows {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := t.Row(random.IntN(t.Rows()))
		turn := random.IntN(t.Cols()/f.Block) * f.Bytes
		if _, err := dst.Write(row[turn:]); err != nil {
			return err
		}
		if _, err := dst.Write(row[:turn]); err != nil {
			return err
		}
		wrote(len(row))
	}
	return nil
}
