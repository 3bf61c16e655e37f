package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nrt-go/nrt/engine"
	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/tokenizer"
)

// facts is what nrt show says of a model file. Numbers are zero where the file does not say.
type facts struct {
	Path         string      `json:"path"`
	Bytes        int64       `json:"file_bytes"`
	Version      uint32      `json:"gguf_version"`
	Name         string      `json:"name,omitempty"`
	Architecture string      `json:"architecture"`
	License      string      `json:"license,omitempty"`
	Runs         bool        `json:"runs"`
	WhyNot       string      `json:"why_not,omitempty"`
	Supported    []string    `json:"supported_architectures"`
	Parameters   int64       `json:"parameters"`
	Types        []typeFacts `json:"tensor_types"`
	Shape        shapeFacts  `json:"shape"`
	Vocabulary   vocabFacts  `json:"vocabulary"`
	Template     bool        `json:"chat_template"`
	Memory       *memory     `json:"memory,omitempty"`
}

// typeFacts is one number format's share of the weights.
type typeFacts struct {
	Type       string `json:"type"`
	Tensors    int    `json:"tensors"`
	Parameters int64  `json:"parameters"`
	Bytes      int64  `json:"bytes"`
}

type shapeFacts struct {
	Context   uint64  `json:"context_length"`
	Embedding uint64  `json:"embedding_length"`
	Layers    uint64  `json:"layers"`
	FFN       uint64  `json:"feed_forward_length"`
	Heads     uint64  `json:"heads"`
	KVHeads   uint64  `json:"kv_heads"`
	HeadDim   int     `json:"head_dim,omitempty"`
	RopeDim   int     `json:"rope_dim,omitempty"`
	RopeBase  float64 `json:"rope_base,omitempty"`
	RopeScale string  `json:"rope_scaling,omitempty"`
}

type vocabFacts struct {
	Size     int      `json:"size"`
	Model    string   `json:"model"`
	Pre      string   `json:"pre,omitempty"`
	AddsBOS  bool     `json:"adds_bos"`
	AddsEOS  bool     `json:"adds_eos"`
	Warnings []string `json:"warnings,omitempty"`
	Problem  string   `json:"problem,omitempty"`
}

// memory is what running takes, computed from the model's real shape (R-016, R-017: no rules of thumb).
type memory struct {
	Weights        int64 `json:"weights_bytes"`
	KVPerToken     int64 `json:"kv_bytes_per_token"`
	Scratch        int64 `json:"scratch_bytes"`
	DefaultContext int   `json:"default_context"`
	KVAtDefault    int64 `json:"kv_bytes_at_default_context"`
	Total          int64 `json:"total_bytes_at_default_context"`
}

// gather reads the facts. It never fails: what a file lacks or has wrong is a fact too.
func gather(f *gguf.File) facts {
	out := facts{
		Path: f.Path(), Bytes: f.Size(), Version: f.Version(), Name: str(f, "general.name"),
		Architecture: str(f, "general.architecture"), License: str(f, "general.license"),
		Supported: models.Architectures(), Types: tensorTypes(f), Shape: shapeOf(f), Vocabulary: vocabularyOf(f),
		Template: f.Has("tokenizer.chat_template"),
	}
	for _, t := range out.Types {
		out.Parameters += t.Parameters
	}
	out.judge(f)
	return out
}

// judge says whether the model runs, and what that takes.
func (f *facts) judge(file *gguf.File) {
	switch {
	case !slices.Contains(f.Supported, f.Architecture):
		f.WhyNot = fmt.Sprintf("architecture %q is not supported; supported: %s", f.Architecture, strings.Join(f.Supported, ", "))
		return
	case len(file.Tensors()) == 0:
		f.WhyNot = "the file has no weights, only a vocabulary"
		return
	}
	m, err := models.Load(file)
	if err != nil {
		f.WhyNot = err.Error()
		return
	}
	c := m.Config()
	f.Shape.HeadDim = c.HeadDim
	f.Shape.RopeDim, f.Shape.RopeBase, f.Shape.RopeScale = c.Rope.Dim, c.Rope.Base, c.Rope.Scaling
	f.Memory = memoryOf(m)
	f.Runs = f.Vocabulary.Problem == ""
	if !f.Runs {
		f.WhyNot = f.Vocabulary.Problem
	}
}

func memoryOf(m *models.Model) *memory {
	c := m.Config()
	use := models.Memory(c, m.Bytes(), kv.F16, 64, 1)
	out := &memory{Weights: use.Weights, KVPerToken: use.KVToken, Scratch: use.Scratch + use.LogitRow,
		DefaultContext: min(c.Context, engine.DefaultContext)}
	out.KVAtDefault = out.KVPerToken * int64(out.DefaultContext)
	out.Total = out.Weights + out.KVAtDefault + out.Scratch
	return out
}

func tensorTypes(f *gguf.File) []typeFacts {
	var out []typeFacts
	for _, t := range f.Tensors() {
		name := t.Type.String()
		i := slices.IndexFunc(out, func(row typeFacts) bool { return row.Type == name })
		if i < 0 {
			i, out = len(out), append(out, typeFacts{Type: name})
		}
		out[i].Tensors++
		out[i].Parameters += int64(t.Elems())
		out[i].Bytes += int64(len(t.Data))
	}
	slices.SortStableFunc(out, func(a, b typeFacts) int { return int(min(max(b.Bytes-a.Bytes, -1), 1)) })
	return out
}

func shapeOf(f *gguf.File) shapeFacts {
	arch := str(f, "general.architecture") + "."
	s := shapeFacts{
		Context: num(f, arch+"context_length"), Embedding: num(f, arch+"embedding_length"), Layers: num(f, arch+"block_count"),
		FFN: num(f, arch+"feed_forward_length"), Heads: num(f, arch+"attention.head_count"),
		KVHeads: num(f, arch+"attention.head_count_kv"),
	}
	if s.KVHeads == 0 {
		s.KVHeads = s.Heads // as the format says
	}
	return s
}

func vocabularyOf(f *gguf.File) vocabFacts {
	v := vocabFacts{Model: str(f, "tokenizer.ggml.model"), Pre: str(f, "tokenizer.ggml.pre")}
	t, err := tokenizer.FromGGUF(f)
	if err != nil {
		v.Problem = err.Error()
		return v
	}
	v.Size, v.AddsBOS, v.AddsEOS, v.Warnings = t.VocabSize(), t.AddsBOS(), t.AddsEOS(), t.Warnings()
	return v
}

func str(f *gguf.File, key string) string {
	s, _ := f.String(key) // "" where it is missing
	return s
}

// num is an integer of the metadata; of one that differs by layer, the largest.
func num(f *gguf.File, key string) uint64 {
	n, err := f.Uint(key)
	if err == nil || errors.Is(err, gguf.ErrMissing) {
		return n
	}
	list, err := f.Ints(key)
	if err != nil || len(list) == 0 {
		return 0
	}
	return uint64(max(slices.Max(list), 0))
}

// size writes bytes as people compare them; the base is 1000, as disks and file managers count.
func size(n int64) string {
	const units = "kMGTPE"
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	exp := min(int(math.Log10(float64(n))/3), len(units))
	return fmt.Sprintf("%.1f %cB", float64(n)/math.Pow(1000, float64(exp)), units[exp-1])
}
