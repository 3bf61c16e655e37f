package requant

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// Choice is what becomes of one tensor.
type Choice struct {
	Name   string
	From   quant.Type
	Wanted quant.Type // what the mixture gives it
	To     quant.Type // what it gets: another where its rows are not whole blocks of Wanted
}

// Plan chooses a format for every tensor of f, in file order. It reads no weights.
//
// Vectors, norms, routers and other small matrices stay as they are. A row that is not a multiple of 256 weights takes
// a format of 32 in place of a K or ternary one: Q4_0 for Q2_K, Q3_K, TQ1_0 and TQ2_0, Q5_0 for Q4_K, Q5_1 for Q5_K,
// Q8_0 for Q6_K; one that is no multiple of 32 either becomes F16. All as in llama.cpp.
func Plan(f *gguf.File, mixture string) ([]Choice, error) {
	m, err := find(mixture)
	if err != nil {
		return nil, err
	}
	model, err := look(f)
	if err != nil {
		return nil, err
	}
	choices := make([]Choice, len(f.Tensors()))
	turn := map[role]int{}
	for _, i := range byLayer(f.Tensors()) {
		t := f.Tensors()[i]
		c := Choice{Name: t.Name, From: t.Type, Wanted: t.Type, To: t.Type}
		if converts(t) {
			r := roleOf(t.Name)
			p := place{layer: turn[r], shape: model}
			turn[r]++
			if layer, ok := layerOf(t.Name); ok && model.experts > 1 && r == down {
				p.layer = layer // experts have several ffn_down a layer
			}
			c.Wanted = m.pick(r, p)
			c.To = fitting(c.Wanted, t.Cols())
		}
		choices[i] = c
	}
	return choices, nil
}

// look reads what the rules ask about the model.
func look(f *gguf.File) (s shape, err error) {
	arch, err := f.String("general.architecture")
	if err != nil {
		return s, fmt.Errorf("requant: %w", err)
	}
	layers, err := f.Uint(arch + ".block_count")
	if err != nil {
		return s, fmt.Errorf("requant: %w", err)
	}
	heads, err1 := count(f, arch+".attention.head_count")
	shared, err2 := count(f, arch+".attention.head_count_kv")
	experts, err3 := count(f, arch+".expert_count")
	if err := errors.Join(err1, err2, err3); err != nil {
		return s, fmt.Errorf("requant: %w", err)
	}
	s.layers, s.experts = int(layers), experts
	s.groups = 1
	if shared > 0 {
		s.groups = heads / shared
	}
	s.seventy = layers == 80 && s.groups > 1 && (arch == "llama" || arch == "qwen2")
	_, err = f.Tensor("output.weight")
	s.tied = errors.Is(err, gguf.ErrMissing)
	return s, nil
}

// count is a number that the file may have for all layers, for each, of which the first counts, or not at all.
func count(f *gguf.File, key string) (int, error) {
	if !f.Has(key) {
		return 0, nil
	}
	if each, err := f.Ints(key); err == nil && len(each) > 0 {
		return int(each[0]), nil
	}
	n, err := f.Uint(key)
	return int(n), err
}

// byLayer is the order in which tensors take their turn: layer by layer, names in order within.
func byLayer(tensors []*tensor.Tensor) []int {
	order := make([]int, len(tensors))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := tensors[a].Name, tensors[b].Name
		i, ok := layerOf(x)
		if !ok {
			i = -1
		}
		j, ok := layerOf(y)
		if !ok {
			j = -1
		}
		return cmp.Or(cmp.Compare(i, j), strings.Compare(x, y))
	})
	return order
}

// layerOf is the number in "blk.N.".
func layerOf(name string) (int, bool) {
	rest, ok := strings.CutPrefix(name, "blk.")
	if !ok {
		return 0, false
	}
	number, _, ok := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	return n, ok && err == nil
}

// roles says by part of a name what a tensor does; the first that fits counts.
var roles = []struct {
	part string
	role role
}{
	{"attn_qkv.weight", value}, {"attn_kv_b.weight", value}, {"attn_v.weight", value},
	{"attn_k.weight", key}, {"attn_output.weight", merge}, {"ffn_down", down},
}

func roleOf(name string) role {
	switch name {
	case "output.weight":
		return output
	case "token_embd.weight", "per_layer_token_embd.weight":
		return embed
	}
	for _, r := range roles {
		if strings.Contains(name, r.part) {
			return r.role
		}
	}
	return other
}

// kept are parts of the names of matrices that stay as they are: small ones, and ones whose rounding costs more than
// it saves, such as routers, positions and the convolutions and mixing weights of recurrent models.
var kept = []string{
	"_norm.weight", "ffn_gate_inp.weight", "ffn_gate_tid2eid.weight", "altup", "laurel", "per_layer_model_proj",
	"position_embd", "token_types", "ssm_conv1d", "shortconv.conv.weight", "indexer.k_proj.weight", "indexer.q_proj.weight",
	"time_mix_first.weight", "time_mix_w0.weight", "time_mix_w1.weight", "time_mix_w2.weight", "time_mix_v0.weight",
	"time_mix_v1.weight", "time_mix_v2.weight", "time_mix_a0.weight", "time_mix_a1.weight", "time_mix_a2.weight",
	"time_mix_g1.weight", "time_mix_g2.weight", "time_mix_decay_w1.weight", "time_mix_decay_w2.weight",
	"time_mix_lerp_fused.weight", "attn_rel_b.weight", "sam.pos_embd", "sam.neck.", "sam.net_", ".rel_pos",
	".patch_embd", ".patch_merger", "a.rvq.codebook", "mm.a.code_embd",
}

// converts says whether a tensor is a weight matrix to which mixtures apply.
func converts(t *tensor.Tensor) bool {
	return t.Rows() > 1 && strings.HasSuffix(t.Name, "weight") &&
		!slices.ContainsFunc(kept, func(part string) bool { return strings.Contains(t.Name, part) })
}

// small is the format of 32 weights a block that stands in for one of 256.
var small = map[quant.Type]quant.Type{
	quant.Q2_K: quant.Q4_0, quant.Q3_K: quant.Q4_0, quant.TQ1_0: quant.Q4_0, quant.TQ2_0: quant.Q4_0,
	quant.Q4_K: quant.Q5_0, quant.Q5_K: quant.Q5_1, quant.Q6_K: quant.Q8_0,
}

// fitting is wanted, or the nearest format whose blocks fill a row of so many weights.
func fitting(wanted quant.Type, cols int) quant.Type {
	if whole(wanted, cols) {
		return wanted
	}
	if instead, ok := small[wanted]; ok && whole(instead, cols) {
		return instead
	}
	return quant.F16
}

func whole(t quant.Type, cols int) bool {
	format, err := quant.Lookup(t)
	return err == nil && cols%format.Block == 0
}
