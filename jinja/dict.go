package jinja

import (
	"encoding/binary"
	"math"
	"slices"
)

// Dict maps keys to values and keeps the order in which keys came. It is built by its owner before a template sees it,
// and not changed from then on.
type Dict struct {
	keys   []Value
	values []Value
	index  map[dictKey]int // nil while the dict is small
}

// dictKey is equal for keys that are equal in Python: 1, 1.0 and True are one key.
type dictKey struct {
	kind byte
	bits uint64
	text string
}

const indexFrom = 9 // entries from which an index pays

// NewDict is an empty dict.
func NewDict() *Dict { return &Dict{} }

// Len is the number of entries.
func (d *Dict) Len() int { return len(d.keys) }

// Set adds an entry, or replaces the value of one and keeps its place. It returns d.
func (d *Dict) Set(key string, v Value) *Dict {
	d.put(String(key), dictKey{kind: 's', text: key}, v)
	return d
}

// Get returns the value of a key.
func (d *Dict) Get(key string) (Value, bool) { return d.lookup(dictKey{kind: 's', text: key}) }

// Keys returns the keys in their order. Keys that are not strings, which only templates make, are left out.
func (d *Dict) Keys() []string {
	keys := make([]string, 0, len(d.keys))
	for _, k := range d.keys {
		if s, ok := text(k); ok {
			keys = append(keys, s)
		}
	}
	return keys
}

func (d *Dict) find(k dictKey) int {
	if d.index != nil {
		if i, ok := d.index[k]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(d.keys, func(v Value) bool {
		if s, ok := v.(String); ok {
			return k.kind == 's' && k.text == string(s)
		}
		other, _ := keyOf(v, 0)
		return other == k
	})
}

func (d *Dict) lookup(k dictKey) (Value, bool) {
	if i := d.find(k); i >= 0 {
		return d.values[i], true
	}
	return nil, false
}

func (d *Dict) put(key Value, k dictKey, v Value) {
	if i := d.find(k); i >= 0 {
		d.values[i] = v
		return
	}
	d.keys = append(d.keys, key)
	d.values = append(d.values, v)
	if d.index != nil {
		d.index[k] = len(d.keys) - 1
	} else if len(d.keys) >= indexFrom {
		d.index = make(map[dictKey]int, 2*len(d.keys))
		for i, key := range d.keys {
			k, _ := keyOf(key, 0) // what is in the dict could be hashed
			d.index[k] = i
		}
	}
}

// clone is a copy that can be changed.
func (d *Dict) clone() *Dict {
	c := &Dict{}
	for i, key := range d.keys {
		k, _ := keyOf(key, 0)
		c.put(key, k, d.values[i])
	}
	return c
}

// keyOf is the key that v is in a dict, false where Python calls v unhashable.
func keyOf(v Value, level int) (dictKey, bool) {
	switch v := v.(type) {
	case String:
		return dictKey{kind: 's', text: string(v)}, true
	case markup:
		return dictKey{kind: 's', text: string(v)}, true
	case None:
		return dictKey{kind: 'n'}, true
	case *undefined:
		return dictKey{kind: 'u'}, true
	case Bool:
		if v {
			return dictKey{kind: 'i', bits: 1}, true
		}
		return dictKey{kind: 'i'}, true
	case Int:
		return dictKey{kind: 'i', bits: uint64(v)}, true
	case wide:
		return dictKey{kind: 'w', text: v.String()}, true
	case Float:
		if i, ok := exactInt(float64(v)); ok {
			return dictKey{kind: 'i', bits: uint64(i)}, true
		}
		return dictKey{kind: 'f', bits: math.Float64bits(float64(v))}, true
	case *tuple:
		return tupleKey(v, level+1)
	}
	return dictKey{}, false
}

// maxKeyBytes bounds the key of a tuple whose nested parts would be spelled out again and again.
const maxKeyBytes = 64 << 10

func tupleKey(t *tuple, level int) (dictKey, bool) {
	if level > maxDeep {
		return dictKey{}, false
	}
	var enc []byte
	for _, item := range t.items {
		k, ok := keyOf(item, level)
		if !ok || len(enc)+len(k.text) > maxKeyBytes {
			return dictKey{}, false
		}
		enc = append(enc, k.kind)
		enc = binary.BigEndian.AppendUint64(enc, k.bits)
		enc = binary.AppendUvarint(enc, uint64(len(k.text)))
		enc = append(enc, k.text...)
	}
	return dictKey{kind: 't', text: string(enc)}, true
}

// exactInt converts a float that is a whole number in the range of Int.
func exactInt(f float64) (int64, bool) {
	if f != math.Trunc(f) || f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, false
	}
	return int64(f), true
}

// key is keyOf for a rendering.
func (r *run) key(v Value) dictKey {
	k, ok := keyOf(v, 0)
	if !ok {
		r.fail("unhashable type: '%s'", v.pyType())
	}
	r.scan(len(k.text))
	return k
}

// pairs are the entries as tuples.
func (r *run) pairs(d *Dict) []Value {
	r.growTimes(80, d.Len())
	pairs := make([]Value, d.Len())
	for i, key := range d.keys {
		pairs[i] = &tuple{items: []Value{key, d.values[i]}}
	}
	return pairs
}
