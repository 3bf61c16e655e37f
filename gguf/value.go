package gguf

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Kind is a metadata value's type, by its number in the file.
type Kind uint32

// The kinds of GGUF v2 and v3.
const (
	KindUint8 Kind = iota
	KindInt8
	KindUint16
	KindInt16
	KindUint32
	KindInt32
	KindFloat32
	KindBool
	KindString
	KindArray
	KindUint64
	KindInt64
	KindFloat64
)

// kinds holds each kind's name and the fewest bytes that a value of it takes in a file.
var kinds = [...]struct {
	name string
	size uint64
}{
	KindUint8: {"uint8", 1}, KindInt8: {"int8", 1},
	KindUint16: {"uint16", 2}, KindInt16: {"int16", 2},
	KindUint32: {"uint32", 4}, KindInt32: {"int32", 4},
	KindUint64: {"uint64", 8}, KindInt64: {"int64", 8},
	KindFloat32: {"float32", 4}, KindFloat64: {"float64", 8},
	KindBool:   {"bool", 1},
	KindString: {"string", 8}, // a length
	KindArray:  {"array", 12}, // an element kind and a count
}

func (k Kind) known() bool { return int(k) < len(kinds) }

// String is the kind's Go spelling, or its number where GGUF has none.
func (k Kind) String() string {
	if !k.known() {
		return fmt.Sprintf("kind %d", uint32(k))
	}
	return kinds[k].name
}

// Value is one metadata value. The zero Value is no value at all.
type Value struct {
	kind Kind
	elem Kind // of an array
	data any  // uint8 … float64, bool, string; for an array a slice of those, or []Value for an array of arrays
}

// Kind is the value's type.
func (v Value) Kind() Kind { return v.kind }

// Elem is the type of an array's elements; of anything else, the value's own.
func (v Value) Elem() Kind {
	if v.kind == KindArray {
		return v.elem
	}
	return v.kind
}

// Any is the value as Go has it: uint8 to int64, float32, float64, bool, string, a slice of one of those, or []Value
// for an array of arrays. Slices are the File's own: read them only.
func (v Value) Any() any { return v.data }

// Len is the number of an array's elements, 0 for anything else.
func (v Value) Len() int {
	if v.kind != KindArray {
		return 0
	}
	return reflect.ValueOf(v.data).Len()
}

// ValueOf makes a Value of what Any would give: a uint8 to int64, float32, float64, bool or string, a slice of one of
// those, or []Value whose elements are arrays. A Value is itself. The slice is kept, not copied.
func ValueOf(x any) (Value, error) {
	if v, ok := x.(Value); ok && v.data != nil {
		return v, nil
	}
	t := reflect.TypeOf(x)
	if k, ok := kindOfType[t]; ok {
		return Value{kind: k, data: x}, nil
	}
	if nested, ok := x.([]Value); ok {
		for i, v := range nested {
			if v.kind != KindArray {
				return Value{}, fmt.Errorf("gguf: element %d of []gguf.Value is %q, want an array: use a slice of the Go type for others", i, v.Type())
			}
		}
		return Value{kind: KindArray, elem: KindArray, data: x}, nil
	}
	if t != nil && t.Kind() == reflect.Slice && t == reflect.SliceOf(t.Elem()) {
		if k, ok := kindOfType[t.Elem()]; ok {
			return Value{kind: KindArray, elem: k, data: x}, nil
		}
	}
	return Value{}, fmt.Errorf("gguf: a value of Go type %T, want a sized integer, float32, float64, bool, string or a slice of them", x)
}

var kindOfType = map[reflect.Type]Kind{
	reflect.TypeFor[uint8](): KindUint8, reflect.TypeFor[int8](): KindInt8,
	reflect.TypeFor[uint16](): KindUint16, reflect.TypeFor[int16](): KindInt16,
	reflect.TypeFor[uint32](): KindUint32, reflect.TypeFor[int32](): KindInt32,
	reflect.TypeFor[uint64](): KindUint64, reflect.TypeFor[int64](): KindInt64,
	reflect.TypeFor[float32](): KindFloat32, reflect.TypeFor[float64](): KindFloat64,
	reflect.TypeFor[bool](): KindBool, reflect.TypeFor[string](): KindString,
}

// Type spells the value's type for people: "uint32", "[32000]string".
func (v Value) Type() string {
	if v.kind == KindArray {
		return fmt.Sprintf("[%d]%s", v.Len(), v.elem)
	}
	return v.kind.String()
}

// String is the whole value as text: a string as it is, an array in brackets.
func (v Value) String() string {
	if v.data == nil {
		return ""
	}
	return fmt.Sprint(v.data)
}

// MarshalJSON writes the value as JSON has it; an array of uint8 is an array of numbers. JSON has no NaN or infinity:
// those are an error.
func (v Value) MarshalJSON() ([]byte, error) {
	if bytes, ok := v.data.([]uint8); ok {
		wide := make([]uint16, len(bytes))
		for i, b := range bytes {
			wide[i] = uint16(b)
		}
		return json.Marshal(wide)
	}
	return json.Marshal(v.data)
}
