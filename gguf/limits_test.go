package gguf

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/internal/mapping"
	"github.com/nrt-go/nrt/quant"
)

// TestHeaderCap has nine strings of the greatest length, all in holes.
func TestHeaderCap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	save(t, path, cat(head(0, 1), kv("a", KindArray, array(KindString, 9))), 1<<30)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := int64(len(head(0, 1)) + len(kv("a", KindArray, array(KindString, 9))))
	for range 9 {
		if _, err := f.WriteAt(u64(maxString), at); err != nil {
			t.Fatal(err)
		}
		at += 8 + maxString
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path)
	checkError(t, err, path, []string{`key "a": string`, "header of more than 67108864 bytes"})
}

// TestSparseTerabyte opens a valid file whose one tensor is a hole of a terabyte.
func TestSparseTerabyte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	b := one(0, record("a", dims(1<<20, 1<<18), uint32(quant.F32), 0))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(b))+1<<40); err != nil {
		t.Skipf("no sparse file of a terabyte here: %v", err)
	}
	_, err := Open(path, NoMap())
	checkError(t, err, path, []string{"weights", "found 1099511627776 bytes to copy"})
	if !mapping.Available {
		return
	}
	var f *File
	if grown := allocated(func() { f, err = Open(path) }); grown > 1<<20 {
		t.Errorf("allocated %d bytes", grown)
	}
	if err != nil {
		t.Skipf("no mapping of a terabyte here: %v", err)
	}
	defer f.Close()
	if n := len(f.Tensors()[0].Data); n != 1<<40 {
		t.Errorf("tensor of %d bytes, want 2^40", n)
	}
}

// TestMostKeysAndTensors opens as many as are allowed, then one key twice and one tensor overlapping: were either
// check quadratic, this test would not end.
func TestMostKeysAndTensors(t *testing.T) {
	var keys, records []byte
	for i := range maxKeys {
		keys = append(keys, kv(fmt.Sprintf("key.%06d", i), KindUint32, u32(uint32(i)))...)
	}
	for i := range maxTensors {
		n := uint64(maxTensors - 1 - i) // weights back to front
		records = append(records, record(fmt.Sprintf("blk.%06d", i), dims(8), uint32(quant.F32), 32*n)...)
	}
	good := padded(32*maxTensors, head(maxTensors, maxKeys), keys, records)
	h, err := parse(bytes.NewReader(good), int64(len(good)), "m")
	if err != nil {
		t.Fatal(err)
	}
	if len(h.keys) != maxKeys || len(h.tensors) != maxTensors {
		t.Errorf("%d keys, %d tensors, want %d and %d", len(h.keys), len(h.tensors), maxKeys, maxTensors)
	}
	last := bytes.LastIndex(good, []byte("key.065535"))
	twice := slices.Concat(good[:last], []byte("key.000000"), good[last+10:])
	_, err = parse(bytes.NewReader(twice), int64(len(twice)), "m")
	checkError(t, err, "m", []string{`key "key.000000"`, "twice"})

	last = bytes.LastIndex(good, []byte("blk.065535"))
	long := slices.Clone(good)
	copy(long[last+10+4:], u64(16)) // the record's dimension
	_, err = parse(bytes.NewReader(long), int64(len(long)), "m")
	checkError(t, err, "m", []string{`tensor "blk.065534"`, `overlap those of tensor "blk.065535"`})

	_, err = parse(bytes.NewReader(good), int64(len(good)-len(good)/2), "m")
	checkError(t, err, "m", []string{"want"})
}

// TestChunkBorders reads strings and arrays of sizes around the reader's chunk, so that every item crosses a border
// somewhere.
func TestChunkBorders(t *testing.T) {
	for _, n := range []int{0, 1, chunkSize - 40, chunkSize - 1, chunkSize, chunkSize + 1, 3*chunkSize + 7} {
		w := NewWriter()
		text := strings.Repeat("abcdefg", n/7+1)[:n]
		numbers := make([]uint64, n/3)
		for i := range numbers {
			numbers[i] = uint64(i) * 0x9e3779b97f4a7c15
		}
		words := make([]string, n/50)
		for i := range words {
			words[i] = text[i : i+i%37]
		}
		w.Set("text", text)
		w.Set("numbers", numbers)
		w.Set("words", words)
		w.Set("end", true)
		var b bytes.Buffer
		if _, err := w.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		h, err := parse(bytes.NewReader(b.Bytes()), int64(b.Len()), "m")
		if err != nil {
			t.Fatalf("n %d: %v", n, err)
		}
		if h.values["text"].data != text || h.values["end"].data != true ||
			!slices.Equal(h.values["numbers"].data.([]uint64), numbers) || !slices.Equal(h.values["words"].data.([]string), words) {
			t.Errorf("n %d: values differ after a round", n)
		}
	}
}

// TestErrorText shows that no file makes an error long or unreadable.
func TestErrorText(t *testing.T) {
	long := strings.Repeat("\x1b[31m\u2028é", 2000)
	for _, e := range []*Error{
		{Path: long, Field: "key " + quoted(long), Offset: 7, Found: quoted(long), Want: "less"},
		{Path: "m", Field: "key", Offset: -1, Err: fmt.Errorf("%q", long)},
	} {
		checkText(t, e.Error())
	}
	for n, want := range map[int]string{3: "…", 4: "…", 5: "é…", 6: "ééé"} {
		if got := cut("ééé", n); got != want {
			t.Errorf("cut to %d = %q, want %q", n, got, want)
		}
	}
}
