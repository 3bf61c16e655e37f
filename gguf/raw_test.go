package gguf

import (
	"encoding/binary"
	"strings"
)

// These spell a file piece by piece, right or wrong; Writer can only spell right ones.

func cat(pieces ...[]byte) []byte {
	var b []byte
	for _, p := range pieces {
		b = append(b, p...)
	}
	return b
}

func u8(n ...uint8) []byte { return n }

func u32(n ...uint32) []byte {
	var b []byte
	for _, x := range n {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func u64(n ...uint64) []byte {
	var b []byte
	for _, x := range n {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

func zeros(n int) []byte { return make([]byte, n) }

func str(s string) []byte { return cat(u64(uint64(len(s))), []byte(s)) }

// head is a v3 file's first 24 bytes.
func head(tensors, keys uint64) []byte { return headOf(3, tensors, keys) }

func headOf(version uint32, tensors, keys uint64) []byte {
	return cat([]byte("GGUF"), u32(version), u64(tensors, keys))
}

func kv(key string, kind Kind, value ...[]byte) []byte {
	return cat(str(key), u32(uint32(kind)), cat(value...))
}

func array(elem Kind, n uint64, elems ...[]byte) []byte {
	return cat(u32(uint32(elem)), u64(n), cat(elems...))
}

// arrays is depth arrays in each other, the innermost of no uint8.
func arrays(depth int) []byte {
	return cat([]byte(strings.Repeat(string(array(KindArray, 1)), depth-1)), array(KindUint8, 0))
}

func record(name string, dims []uint64, typ uint32, offset uint64) []byte {
	return cat(str(name), u32(uint32(len(dims))), u64(dims...), u32(typ), u64(offset))
}

// padded appends zeros up to the next multiple of 32, where weights begin, and then n more.
func padded(n int, pieces ...[]byte) []byte {
	b := cat(pieces...)
	return append(b, zeros(int(padding(uint64(len(b)), 32))+n)...)
}

// one is a file of one tensor record and n bytes of weights.
func one(n int, rec []byte) []byte { return padded(n, head(1, 0), rec) }

// key is a file of one key and nothing else.
func key(k string, kind Kind, value ...[]byte) []byte {
	return cat(head(0, 1), kv(k, kind, value...))
}

// dims is a shape.
func dims(d ...uint64) []uint64 { return d }
