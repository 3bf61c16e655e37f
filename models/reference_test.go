package models

import (
	"math"
	"strconv"
	"testing"

	"github.com/nrt-go/nrt/gguf"
)

// reference computes a tiny model token by token in float64, with loops that follow the papers and nothing of ours
// but the decoding of weights. freq are the radians per position, magnitude YaRN's factor on cosines and sines.
type reference struct {
	tiny
	f            *gguf.File
	t            testing.TB
	freq         []float64
	magnitude    float64
	keys, values [][][]float64 // [layer][position][kvHeads*dim]
	cache        map[string][][]float64
}

func newReference(t testing.TB, m tiny, path string) *reference {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	ref := &reference{tiny: m, f: f, t: t, magnitude: 1, cache: map[string][][]float64{}}
	ref.keys, ref.values = make([][][]float64, m.layers), make([][][]float64, m.layers)
	for i := range m.dim / 2 {
		freq := 1 / math.Pow(m.base, float64(2*i)/float64(m.dim))
		if m.freqs != nil {
			freq /= float64(m.freqs[i])
		}
		ref.freq = append(ref.freq, freq)
	}
	return ref
}

// rows decodes a tensor, [rows][columns].
func (ref *reference) rows(name string) [][]float64 {
	if rows, ok := ref.cache[name]; ok {
		return rows
	}
	w, err := ref.f.Tensor(name)
	if err != nil {
		ref.t.Fatal(err)
	}
	rows := make([][]float64, w.Rows())
	narrow := make([]float32, w.Cols())
	for r := range rows {
		if err := w.DecodeRow(narrow, r); err != nil {
			ref.t.Fatal(err)
		}
		for _, v := range narrow {
			rows[r] = append(rows[r], float64(v))
		}
	}
	ref.cache[name] = rows
	return rows
}

func (ref *reference) times(name string, x []float64) []float64 {
	rows := ref.rows(name)
	y := make([]float64, len(rows))
	for r, row := range rows {
		for c, w := range row {
			y[r] += w * x[c]
		}
	}
	return y
}

func (ref *reference) norm(name string, x []float64) []float64 {
	var squares float64
	for _, v := range x {
		squares += v * v
	}
	scale := 1 / math.Sqrt(squares/float64(len(x))+1e-5)
	y := make([]float64, len(x))
	for i, w := range ref.rows(name)[0] {
		y[i] = x[i] * scale * w
	}
	return y
}

func plus(x, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range x {
		z[i] = x[i] + y[i]
	}
	return z
}

// project is a matrix, a bias where there is one, and for queries and keys the head norm and the rotation.
func (ref *reference) project(layer, part string, x []float64, pos int) []float64 {
	y := ref.times(layer+"attn_"+part+".weight", x)
	if ref.biases {
		y = plus(y, ref.rows(layer + "attn_" + part + ".bias")[0])
	}
	if part == "v" {
		return y
	}
	var out []float64
	for at := 0; at < len(y); at += ref.dim {
		head := y[at : at+ref.dim]
		if ref.headNorm {
			head = ref.norm(layer+"attn_"+part+"_norm.weight", head)
		}
		out = append(out, ref.rotate(head, pos)...)
	}
	return out
}

func (ref *reference) rotate(x []float64, pos int) []float64 {
	y := make([]float64, len(x))
	for i, freq := range ref.freq {
		a, b := 2*i, 2*i+1
		if ref.neox {
			a, b = i, i+len(ref.freq)
		}
		sin, cos := math.Sincos(float64(pos) * freq)
		y[a] = (x[a]*cos - x[b]*sin) * ref.magnitude
		y[b] = (x[a]*sin + x[b]*cos) * ref.magnitude
	}
	return y
}

func (ref *reference) attend(layer int, q []float64) []float64 {
	out := make([]float64, len(q))
	for head := range ref.heads {
		own, shared := head*ref.dim, head/(ref.heads/ref.kvHeads)*ref.dim
		var weights []float64
		var total float64
		for _, k := range ref.keys[layer] {
			var score float64
			for d := range ref.dim {
				score += q[own+d] * k[shared+d]
			}
			weights = append(weights, math.Exp(score/math.Sqrt(float64(ref.dim))))
			total += weights[len(weights)-1]
		}
		for j, v := range ref.values[layer] {
			for d := range ref.dim {
				out[own+d] += weights[j] / total * v[shared+d]
			}
		}
	}
	return out
}

// next feeds one token and returns the final hidden state and the logits.
func (ref *reference) next(id int32) (hidden, logits []float64) {
	x := ref.rows("token_embd.weight")[id]
	for i := range ref.layers {
		layer := "blk." + strconv.Itoa(i) + "."
		h := ref.norm(layer+"attn_norm.weight", x)
		pos := len(ref.keys[i])
		ref.keys[i] = append(ref.keys[i], ref.project(layer, "k", h, pos))
		ref.values[i] = append(ref.values[i], ref.project(layer, "v", h, pos))
		x = plus(x, ref.times(layer+"attn_output.weight", ref.attend(i, ref.project(layer, "q", h, pos))))
		h = ref.norm(layer+"ffn_norm.weight", x)
		gate, up := ref.times(layer+"ffn_gate.weight", h), ref.times(layer+"ffn_up.weight", h)
		for j, g := range gate {
			up[j] *= g / (1 + math.Exp(-g))
		}
		x = plus(x, ref.times(layer+"ffn_down.weight", up))
	}
	hidden = ref.norm("output_norm.weight", x)
	if ref.tied {
		return hidden, ref.times("token_embd.weight", hidden)
	}
	return hidden, ref.times("output.weight", hidden)
}
