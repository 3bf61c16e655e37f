package models

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/kv"
)

// loadError is what Load says about a tiny model.
func loadError(t *testing.T, m tiny) error {
	t.Helper()
	f, err := gguf.Open(m.write(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = Load(f)
	return err
}

func TestMetadataThatAreRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		key   string
		value any
		want  string
	}{
		{"general.architecture", nil, `"general.architecture": found nothing, want a string`},
		{"general.architecture", uint32(3), `"general.architecture": found uint32 3, want a string`},
		{"general.architecture", "gemma", `architecture "gemma" is not supported, want one of llama, qwen2, qwen3`},
		{"general.architecture", "", `architecture "" is not supported`},
		{"general.name", uint32(3), `"general.name": found uint32 3, want a string`},
		{"llama.block_count", nil, `"llama.block_count": found nothing`},
		{"llama.block_count", "two", `"llama.block_count": found string`},
		{"llama.block_count", uint32(0), "llama.block_count is 0, want 1 to 1024"},
		{"llama.block_count", int32(-1), "llama.block_count is -1, want 1 to 1024"},
		{"llama.block_count", uint32(math.MaxUint32), "llama.block_count is 4294967295, want 1 to 1024"},
		{"llama.block_count", uint64(math.MaxUint64), `"llama.block_count": found uint64`},
		{"llama.block_count", float32(2), `"llama.block_count": found float32`},
		{"llama.block_count", uint32(3), `tensor "blk.2.attn_q.weight"`},
		{"llama.context_length", uint32(0), "llama.context_length is 0, want 1 to"},
		{"llama.embedding_length", uint32(0), "llama.embedding_length is 0, want 1 to"},
		{"llama.embedding_length", uint32(128), `tensor "token_embd.weight" has shape [256 96], want [128 96]`},
		{"llama.feed_forward_length", []uint32{256, 256}, `"llama.feed_forward_length": found [2]uint32`},
		{"llama.feed_forward_length", uint32(1 << 30), "llama.feed_forward_length is 1073741824, want 1 to"},
		{"llama.attention.head_count", uint32(0), "llama.attention.head_count is 0, want 1 to"},
		{"llama.attention.head_count", uint32(5), "llama.attention.head_count_kv is 2, want a divisor of the 5 heads"},
		{"llama.attention.head_count_kv", uint32(0), "llama.attention.head_count_kv is 0, want 1 to"},
		{"llama.attention.head_count_kv", uint32(3), "llama.attention.head_count_kv is 3, want a divisor of the 4 heads"},
		{"llama.attention.key_length", uint32(0), "llama.attention.key_length is 0, want 2 to"},
		{"llama.attention.key_length", uint32(63), "heads have 63 numbers, want an even number"},
		{"llama.attention.value_length", uint32(32), "llama.attention.value_length is 32, want the key's 64"},
		{"llama.attention.layer_norm_rms_epsilon", nil, `"llama.attention.layer_norm_rms_epsilon": found nothing`},
		{"llama.attention.layer_norm_rms_epsilon", float32(0), "layer_norm_rms_epsilon is 0, want 1e-12 to 0.1"},
		{"llama.attention.layer_norm_rms_epsilon", nan, "layer_norm_rms_epsilon is NaN, want"},
		{"llama.rope.freq_base", float32(0), "llama.rope.freq_base is 0, want 1 to"},
		{"llama.rope.freq_base", inf, "llama.rope.freq_base is +Inf, want 1 to"},
		{"llama.rope.dimension_count", uint32(65), "llama.rope.dimension_count is 65, want 2 to 64"},
		{"llama.rope.dimension_count", uint32(33), "llama.rope.dimension_count is 33, want an even number"},
		{"llama.rope.scaling.type", "longrope", `llama.rope.scaling.type is "longrope", want none, linear or yarn`},
		{"llama.rope.scaling.type", uint32(1), `"llama.rope.scaling.type": found uint32 1, want a string`},
		{"llama.rope.scaling.factor", float32(0), "llama.rope.scaling.factor is 0, want"},
		{"llama.rope.scaling.original_context_length", uint32(0), "original_context_length is 0, want 1 to"},
		{"llama.expert_count", uint32(8), "llama.expert_count is 8: mixtures of experts are not supported, want 0"},
	} {
		m := tinies()["llama"]
		m.keys = map[string]any{c.key: c.value}
		if err := loadError(t, m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %v: %v, want %s", c.key, c.value, err, c.want)
		}
	}
}

func TestTensorsThatAreRefused(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		tensor string
		change any
		want   string
	}{
		{"token_embd.weight", nil, `tensor "token_embd.weight"`},
		{"token_embd.weight", []int{256, 96, 2}, `tensor "token_embd.weight" has shape [256 96 2], want [256 1..4194304]`},
		{"output.weight", []int{256, 95}, `tensor "output.weight" has shape [256 95], want [256 96]`},
		{"output_norm.weight", nil, `tensor "output_norm.weight"`},
		{"output_norm.weight", []int{255}, `tensor "output_norm.weight" has shape [255], want [256]`},
		{"output_norm.weight", nan, `tensor "output_norm.weight" holds NaN at 128, want finite numbers`},
		{"blk.1.ffn_norm.weight", float32(math.Inf(-1)), `tensor "blk.1.ffn_norm.weight" holds -Inf at 128`},
		{"blk.1.attn_q.weight", []int{256, 128}, `tensor "blk.1.attn_q.weight" has shape [256 128], want [256 256]`},
		{"blk.1.ffn_down.weight", []int{256}, `tensor "blk.1.ffn_down.weight" has shape [256], want [256 256]`},
		{"blk.0.attn_k.bias", nil, `tensor "blk.0.attn_k.bias"`},
		{"blk.0.attn_k.bias", []int{1, 128}, `tensor "blk.0.attn_k.bias" has shape [1 128], want [128]`},
	} {
		m := tinies()["qwen2"]
		m.spoil = map[string]any{c.tensor: c.change}
		if err := loadError(t, m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.tensor, err, c.want)
		}
	}
}

func TestRopeDivisorsMustBePositive(t *testing.T) {
	m := tinies()["llama"]
	m.freqs = make([]float32, 32)
	const want = `tensor "rope_freqs.weight" holds 0 at 0, want more than 0`
	if err := loadError(t, m); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Load: %v, want %s", err, want)
	}
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	m := tinies()["llama"]
	m.spoil = map[string]any{"output_norm.weight": nil, "blk.0.attn_q.weight": []int{256, 1}, "blk.1.ffn_up.weight": nil}
	err := loadError(t, m)
	var e *LoadError
	if !errors.As(err, &e) || len(e.Problems) != 3 || !errors.Is(err, gguf.ErrMissing) {
		t.Fatalf("Load: %v, want three problems", err)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 {
		t.Errorf("%d lines, want one for each problem:\n%v", len(lines), err)
	}
	m.layers, m.keys = 1, map[string]any{"llama.block_count": uint32(100)}
	if lines := strings.Split(loadError(t, m).Error(), "\n"); len(lines) != maxShown+1 || !strings.Contains(lines[maxShown], "problems more") {
		t.Errorf("a message of %d lines, want %d", len(lines), maxShown+1)
	}
}

func TestConfigOfARealModel(t *testing.T) {
	m := load(t, testdata.SmolLM2(t))
	c := m.Config()
	if c.Arch != "llama" || c.Layers != 30 || c.Context != 8192 || c.Embed != 576 || c.FFN != 1536 || c.Heads != 9 ||
		c.KVHeads != 3 || c.HeadDim != 64 || c.Vocab != 49152 || c.Rope.Base != 100000 || c.Rope.Dim != 64 {
		t.Errorf("config %+v", c)
	}
	if !m.Tied() || m.Params() != 134515008 {
		t.Errorf("tied %t with %d weights, want true with 134515008", m.Tied(), m.Params())
	}
	u := Memory(c, m.Bytes(), kv.F16, 64, 2)
	if want := (Usage{Weights: m.Bytes(), KVToken: 2 * 2 * 30 * 3 * 64, Scratch: u.Scratch, LogitRow: 4 * 49152}); u != want {
		t.Errorf("usage %+v, want %+v", u, want)
	}
	if u.Scratch < 1<<20 || u.Scratch > 8<<20 {
		t.Errorf("scratch %d bytes, want a few MiB", u.Scratch)
	}
}
