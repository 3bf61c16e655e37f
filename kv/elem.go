package kv

import (
	"fmt"
	"strings"
)

// Elem is the number format of stored keys and values.
type Elem int

const (
	F16  Elem = iota // half precision, the default
	F32              // exact
	Q8_0             // eight bits, with a float32 scale for each head's keys and for its values at every position
)

// elems is the table of number formats: the bytes of a number, and of what stands beside a row of Dim of them.
var elems = [...]struct {
	name        string
	number, row int64
}{
	F16:  {"f16", 2, 0},
	F32:  {"f32", 4, 0},
	Q8_0: {"q8_0", 1, 4},
}

// ElemNames are the names of the number formats.
func ElemNames() []string {
	names := make([]string, len(elems))
	for e, row := range elems {
		names[e] = row.name
	}
	return names
}

// ParseElem finds a number format by its name.
func ParseElem(name string) (Elem, error) {
	for e, row := range elems {
		if row.name == name {
			return Elem(e), nil
		}
	}
	return 0, fmt.Errorf("kv: found type %q, want one of %s", name, strings.Join(ElemNames(), ", "))
}

func (e Elem) String() string {
	if e < 0 || int(e) >= len(elems) {
		return fmt.Sprintf("kv.Elem(%d)", int(e))
	}
	return elems[e].name
}
