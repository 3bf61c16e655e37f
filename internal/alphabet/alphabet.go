// Package alphabet writes a model that knows the alphabet: behind a letter it says the next one, behind z it ends its
// turn. Examples and tests use it where no trained model need be had.
package alphabet

import (
	"io"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/quant"
)

// The vocabulary: three special tokens, a space, the letters, and two that fill it up to a multiple of a block.
const (
	unknown, begin, end, space, firstLetter = 0, 1, 2, 3, 4
	vocab                                   = 32
	layers                                  = 1
)

// Template is the model's chat template: the messages as they are.
const Template = "{% for m in messages %}{{ m.content }}{% endfor %}"

// Write writes the model to path as a GGUF file. Every token has its own direction in the residual stream; attention
// and feed-forward add nothing; the output matrix scores a token by the direction of the one before it.
func Write(path string) error {
	w := gguf.NewWriter()
	for _, kv := range []struct {
		key   string
		value any
	}{
		{"general.architecture", "llama"},
		{"general.name", "alphabet"},
		{"llama.block_count", uint32(layers)},
		{"llama.context_length", uint32(256)},
		{"llama.embedding_length", uint32(vocab)},
		{"llama.feed_forward_length", uint32(vocab)},
		{"llama.attention.head_count", uint32(2)},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-5)},
		{"tokenizer.ggml.model", "llama"},
		{"tokenizer.ggml.tokens", tokens()},
		{"tokenizer.ggml.scores", make([]float32, vocab)},
		{"tokenizer.ggml.token_type", types()},
		{"tokenizer.ggml.bos_token_id", uint32(begin)},
		{"tokenizer.ggml.eos_token_id", uint32(end)},
		{"tokenizer.ggml.unknown_token_id", uint32(unknown)},
		{"tokenizer.ggml.add_space_prefix", false},
		{"tokenizer.chat_template", Template},
	} {
		w.Set(kv.key, kv.value)
	}
	matrix := func(name string, at func(row, col int) bool) {
		w.AddTensor(name, quant.F32, []int{vocab, vocab}, func(dst io.Writer) error { return writeMatrix(dst, at) })
	}
	none := func(int, int) bool { return false }
	ones := func(name string) {
		w.AddTensor(name, quant.F32, []int{vocab}, func(dst io.Writer) error { return writeRow(dst, func(int) bool { return true }) })
	}
	matrix("token_embd.weight", func(row, col int) bool { return row == col })
	matrix("output.weight", func(row, col int) bool { return row == next(col) })
	ones("output_norm.weight")
	ones("blk.0.attn_norm.weight")
	ones("blk.0.ffn_norm.weight")
	for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"} {
		matrix("blk.0."+part+".weight", none)
	}
	return w.WriteFile(path)
}

// next is the token that the model says behind another.
func next(token int) int {
	switch {
	case token >= firstLetter && token < firstLetter+25:
		return token + 1
	case token == firstLetter+25:
		return end
	}
	return firstLetter
}

func tokens() []string {
	all := []string{"<unk>", "<s>", "</s>", "▁"}
	for c := 'a'; c <= 'z'; c++ {
		all = append(all, string(c))
	}
	return append(all, ".", "!")
}

func types() []int32 {
	const normal, unknownType, control = 1, 2, 3
	all := make([]int32, vocab)
	for i := range all {
		all[i] = normal
	}
	all[unknown], all[begin], all[end] = unknownType, control, control
	return all
}

func writeMatrix(dst io.Writer, at func(row, col int) bool) error {
	for row := range vocab {
		if err := writeRow(dst, func(col int) bool { return at(row, col) }); err != nil {
			return err
		}
	}
	return nil
}

// writeRow writes little-endian float32 ones and zeros.
func writeRow(dst io.Writer, at func(col int) bool) error {
	var row [vocab * 4]byte
	for col := range vocab {
		if at(col) {
			row[4*col+2], row[4*col+3] = 0x80, 0x3f
		}
	}
	_, err := dst.Write(row[:])
	return err
}
