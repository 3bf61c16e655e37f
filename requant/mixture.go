package requant

import (
	"fmt"
	"strings"

	"github.com/nrt-go/nrt/quant"
)

// mixture is one row of the table: a name, and which format each kind of tensor gets. The rules are those of
// llama.cpp's quantizer, so that a file of a name means the same from either.
type mixture struct {
	name     string
	alias    string // another spelling, as llama.cpp has it
	fileType uint32 // general.file_type
	base     quant.Type
	rules    map[role][]rule // the first rule that holds wins; without one, base
}

// rule raises (or lowers) tensors to a format where it holds; nil where it always does.
type rule struct {
	to    quant.Type
	where func(place) bool
}

// place is where a tensor stands in its model.
type place struct {
	layer int // its turn among the tensors of its role
	shape
}

// shape is what rules ask about the whole model.
type shape struct {
	layers  int
	groups  int  // query heads per key-value head
	experts int  // 0 for a dense model
	tied    bool // token embeddings are the output matrix too
	seventy bool // 80 layers with shared key-value heads: attn_v is small beside the rest
}

// role is what a tensor does; roles differ in how much rounding them hurts.
type role int

const (
	other  role = iota
	embed       // token embeddings
	output      // the output matrix
	value       // attn_v and the fused matrices that contain it
	key         // attn_k
	merge       // attn_output
	down        // ffn_down
)

func first(n int) func(place) bool { return func(p place) bool { return p.layer < n } }

func firstPart(n int) func(place) bool { return func(p place) bool { return p.layer < p.layers/n } }

// outer holds in the first and the last eighth of the layers and in every third between.
func outer(p place) bool {
	eighth := p.layers / 8
	return p.layer < eighth || p.layer >= 7*p.layers/8 || (p.layer-eighth)%3 == 2
}

func grouped(p place) bool { return p.groups >= 4 }

func eightExperts(p place) bool { return p.experts == 8 }

var mixtures = []mixture{
	{name: "F32", fileType: 0, base: quant.F32},
	{name: "F16", fileType: 1, base: quant.F16},
	{name: "BF16", fileType: 32, base: quant.BF16},
	{name: "Q4_0", fileType: 2, base: quant.Q4_0},
	{name: "Q4_1", fileType: 3, base: quant.Q4_1},
	{name: "Q5_0", fileType: 8, base: quant.Q5_0},
	{name: "Q5_1", fileType: 9, base: quant.Q5_1},
	{name: "Q8_0", fileType: 7, base: quant.Q8_0},
	{name: "Q2_K", fileType: 10, base: quant.Q2_K, rules: map[role][]rule{
		value: {{quant.Q4_K, grouped}, {quant.Q3_K, nil}},
		merge: {{quant.Q5_K, eightExperts}, {quant.Q3_K, nil}},
		down:  {{quant.Q3_K, nil}},
	}},
	{name: "Q2_K_S", fileType: 21, base: quant.Q2_K, rules: map[role][]rule{
		value: {{quant.Q4_K, grouped}},
		down:  {{quant.Q4_K, firstPart(8)}},
	}},
	{name: "Q3_K_S", fileType: 11, base: quant.Q3_K, rules: map[role][]rule{
		merge: {{quant.Q5_K, eightExperts}},
	}},
	{name: "Q3_K_M", alias: "Q3_K", fileType: 12, base: quant.Q3_K, rules: map[role][]rule{
		value: {{quant.Q5_K, first(2)}, {quant.Q4_K, nil}},
		merge: {{quant.Q5_K, eightExperts}, {quant.Q4_K, nil}},
		down:  {{quant.Q5_K, firstPart(16)}, {quant.Q4_K, nil}},
	}},
	{name: "Q3_K_L", fileType: 13, base: quant.Q3_K, rules: map[role][]rule{
		value: {{quant.Q5_K, nil}},
		merge: {{quant.Q3_K, eightExperts}, {quant.Q5_K, nil}},
		down:  {{quant.Q5_K, nil}},
	}},
	{name: "Q4_K_S", fileType: 14, base: quant.Q4_K, rules: map[role][]rule{
		value: {{quant.Q5_K, first(4)}},
		merge: {{quant.Q5_K, eightExperts}},
		down:  {{quant.Q5_K, firstPart(8)}},
	}},
	{name: "Q4_K_M", alias: "Q4_K", fileType: 15, base: quant.Q4_K, rules: map[role][]rule{
		value: {{quant.Q6_K, outer}},
		merge: {{quant.Q5_K, eightExperts}},
		down:  {{quant.Q6_K, outer}},
	}},
	{name: "Q5_K_S", fileType: 16, base: quant.Q5_K},
	{name: "Q5_K_M", alias: "Q5_K", fileType: 17, base: quant.Q5_K, rules: map[role][]rule{
		value: {{quant.Q6_K, outer}},
		down:  {{quant.Q6_K, outer}},
	}},
	{name: "Q6_K", fileType: 18, base: quant.Q6_K},
	{name: "TQ1_0", fileType: 36, base: quant.TQ1_0, rules: map[role][]rule{embed: {{quant.Q4_K, nil}}}},
	{name: "TQ2_0", fileType: 37, base: quant.TQ2_0, rules: map[role][]rule{embed: {{quant.Q4_K, nil}}}},
}

// Mixtures lists the names that Plan and Run take, in any case.
func Mixtures() []string {
	names := make([]string, len(mixtures))
	for i := range mixtures {
		names[i] = mixtures[i].name
	}
	return names
}

func find(name string) (*mixture, error) {
	for i := range mixtures {
		m := &mixtures[i]
		if strings.EqualFold(m.name, name) || m.alias != "" && strings.EqualFold(m.alias, name) {
			return m, nil
		}
	}
	return nil, fmt.Errorf("requant: mixture %q is unknown; known: %s", name, strings.Join(Mixtures(), ", "))
}

// pick is the format for a tensor of a role at a place, before its row length has a say.
func (m *mixture) pick(r role, p place) quant.Type {
	if format, err := quant.Lookup(m.base); err == nil && format.Block == 1 {
		return m.base
	}
	switch {
	case r == output || r == embed && p.tied:
		if m.base == quant.Q8_0 {
			return quant.Q8_0
		}
		return quant.Q6_K
	case (r == value || r == key) && p.experts == 8:
		return quant.Q8_0
	}
	to := m.base
	for _, rule := range m.rules[r] {
		if rule.where == nil || rule.where(p) {
			to = rule.to
			break
		}
	}
	if r == value && p.seventy && (to == quant.Q3_K || to == quant.Q4_K) {
		return quant.Q5_K
	}
	return to
}
