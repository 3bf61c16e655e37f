package gguf

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// metadata is a file's keys, in file order, and their values.
type metadata struct {
	keys   []string
	values map[string]Value
}

func (r *reader) metadata(n int) metadata {
	m := metadata{keys: make([]string, 0, n), values: make(map[string]Value, n)}
	for range n {
		at := r.pos
		key := r.key()
		if _, twice := m.values[key]; twice && r.err == nil {
			r.fail(at, "", "it twice", "every key once")
		}
		v := r.value()
		if r.err != nil {
			return metadata{}
		}
		m.keys = append(m.keys, key)
		m.values[key] = v
	}
	r.field = ""
	return m
}

func (r *reader) key() string {
	at := r.pos
	r.field = "key"
	key := r.string("name", maxKey)
	r.field = "key " + quoted(key)
	if flaw := nameFlaw(key); flaw != "" {
		r.fail(at, "", flaw, "readable UTF-8")
	}
	return key
}

// nameFlaw says why a key or a tensor name is not usable as one, or nothing.
func nameFlaw(s string) string {
	if s == "" {
		return "an empty name"
	}
	if !utf8.ValidString(s) {
		return "invalid UTF-8"
	}
	for _, c := range s {
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			return fmt.Sprintf("control character %#02x", c)
		}
	}
	return ""
}

func (r *reader) value() Value {
	return r.valueOf(r.kind("type"), 0)
}

func (r *reader) kind(what string) Kind {
	at := r.pos
	k := Kind(r.uint32(what))
	if !k.known() {
		r.fail(at, what, k.String(), fmt.Sprintf("0 to %d", len(kinds)-1))
	}
	return k
}

func (r *reader) valueOf(k Kind, depth int) Value {
	if k == KindArray {
		return r.array(depth + 1)
	}
	return Value{kind: k, data: r.scalar(k)}
}

func (r *reader) scalar(k Kind) any {
	switch k {
	case KindUint8:
		return r.uint8("value")
	case KindInt8:
		return int8(r.uint8("value"))
	case KindUint16:
		return r.uint16("value")
	case KindInt16:
		return int16(r.uint16("value"))
	case KindUint32:
		return r.uint32("value")
	case KindInt32:
		return int32(r.uint32("value"))
	case KindUint64:
		return r.uint64("value")
	case KindInt64:
		return int64(r.uint64("value"))
	case KindFloat32:
		return math.Float32frombits(r.uint32("value"))
	case KindFloat64:
		return math.Float64frombits(r.uint64("value"))
	case KindBool:
		return r.bool("value")
	case KindString:
		return r.string("string", maxString)
	}
	return nil // an unknown kind: r.err says so
}

func (r *reader) array(depth int) Value {
	at := r.pos
	if depth > maxNesting {
		r.fail(at, "array", fmt.Sprintf("%d arrays in each other", depth), fmt.Sprintf("at most %d", maxNesting))
	}
	elem := r.kind("element type")
	if r.err != nil {
		return Value{}
	}
	n := r.count("array length", maxElements, kinds[elem].size)
	if elem == KindArray {
		if r.arrays += n; r.arrays > maxArrays {
			r.fail(at, "array", fmt.Sprintf("more than %d arrays in arrays", maxArrays), "fewer")
		}
	}
	if !r.has("elements", uint64(n)*kinds[elem].size) {
		return Value{}
	}
	return Value{kind: KindArray, elem: elem, data: r.elements(elem, n, depth)}
}

func (r *reader) elements(elem Kind, n, depth int) any {
	switch elem {
	case KindUint8:
		return numbers[uint8](r, n, 1)
	case KindInt8:
		return numbers[int8](r, n, 1)
	case KindUint16:
		return numbers[uint16](r, n, 2)
	case KindInt16:
		return numbers[int16](r, n, 2)
	case KindUint32:
		return numbers[uint32](r, n, 4)
	case KindInt32:
		return numbers[int32](r, n, 4)
	case KindUint64:
		return numbers[uint64](r, n, 8)
	case KindInt64:
		return numbers[int64](r, n, 8)
	case KindFloat32:
		return numbers[float32](r, n, 4)
	case KindFloat64:
		return numbers[float64](r, n, 8)
	case KindBool:
		return each(r, n, func() bool { return r.bool("element") })
	case KindString:
		return each(r, n, func() string { return r.string("string", maxString) })
	}
	return each(r, n, func() Value { return r.array(depth + 1) })
}

// each reads n elements one by one and stops at the first error.
func each[T any](r *reader, n int, read func() T) []T {
	out := make([]T, n)
	for i := range out {
		if out[i] = read(); r.err != nil {
			return nil
		}
	}
	return out
}
