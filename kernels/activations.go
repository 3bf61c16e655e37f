package kernels

import "fmt"

// Activations says in which form activations meet quantised weights.
type Activations int

const (
	// Int8 rounds activations to eight bits a block where the weight's format has an integer kernel: the form for speed.
	Int8 Activations = iota
	// Float32 keeps them as they are: each row of weights is decoded and meets them as Dot adds. It is for reference, many
	// times slower: what is left of a difference to another engine is not the rounding of activations.
	Float32
)

var activationNames = [...]string{Int8: "int8", Float32: "f32"}

func (a Activations) String() string { return activationNames[a] }

// ActivationNames are the names that ParseActivations knows.
func ActivationNames() []string { return activationNames[:] }

// ParseActivations finds a form by its name; "" is int8.
func ParseActivations(name string) (Activations, error) {
	for a, known := range activationNames {
		if name == known {
			return Activations(a), nil
		}
	}
	if name == "" {
		return Int8, nil
	}
	return 0, fmt.Errorf("kernels: activations in %q are unknown; there are int8 and f32", name)
}
