// Package models turns a GGUF file into logits: metadata become a Config, tensors become weights, and a Runner computes
// batches of tokens. Architectures are rows of one table over one forward pass.
package models

import (
	"fmt"
	"strings"
)

// arch is one row: how an architecture differs from the others.
type arch struct {
	name string // general.architecture
	neox bool   // RoPE pairs element i of a head with i + half instead of neighbours

	qkvBias      bool // the query, key and value projections must have biases
	optionalBias bool // any projection may have one
	headNorm     bool // queries and keys are normalised head by head before RoPE
}

// architectures is the table; a file of the row's name holds each.
var architectures = []*arch{llama, qwen2, qwen3}

// Architectures lists the names of the architectures that Load accepts.
func Architectures() []string {
	names := make([]string, len(architectures))
	for i, a := range architectures {
		names[i] = a.name
	}
	return names
}

func findArch(name string) (*arch, error) {
	for _, a := range architectures {
		if a.name == name {
			return a, nil
		}
	}
	return nil, fmt.Errorf("architecture %q is not supported, want one of %s", name, strings.Join(Architectures(), ", "))
}
