package gguf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/nrt-go/nrt/quant"
	"pgregory.net/rapid"
)

// FuzzParse parses any bytes. A refusal is an *Error with a readable text; what is accepted lies inside the file, and
// is the same after it is written and parsed again.
func FuzzParse(f *testing.F) {
	for _, row := range malformed {
		if len(row.file) < 16<<10 {
			f.Add(row.file)
		}
	}
	for _, w := range []*Writer{NewWriter(), kindsWriter(), formatsWriter()} {
		var b bytes.Buffer
		if _, err := w.WriteTo(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		h, err := parse(bytes.NewReader(file), int64(len(file)), "fuzz")
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %T: %v", err, err)
			}
			checkText(t, err.Error())
			return
		}
		checkInside(t, h, int64(len(file)))
		checkRewritten(t, h, file)
	})
}

// formatsWriter has a tensor of one block in each number format.
func formatsWriter() *Writer {
	w := NewWriter()
	for _, format := range quant.Formats() {
		w.AddTensor("t."+format.Name, format.Type, []int{format.Block}, fill(format.Bytes))
	}
	return w
}

// checkInside holds what every reader of a File relies on.
func checkInside(t *testing.T, h *header, size int64) {
	t.Helper()
	if len(h.keys) != len(h.values) {
		t.Fatalf("%d keys, %d values", len(h.keys), len(h.values))
	}
	owner := make([]int, size)
	for i, w := range h.tensors {
		format, err := quant.Lookup(w.typ)
		if err != nil {
			t.Fatal(err)
		}
		elems := 1
		for _, d := range w.shape {
			elems *= d
		}
		if elems <= 0 || elems%format.Block != 0 || int64(format.RowBytes(elems)) != w.size {
			t.Fatalf("tensor %q: %v of %v takes %d bytes", w.name, w.shape, w.typ, w.size)
		}
		if w.offset < h.start || w.offset+w.size > size || w.offset%8 != 0 {
			t.Fatalf("tensor %q: %d bytes at %d of %d", w.name, w.size, w.offset, size)
		}
		for at := w.offset; at < w.offset+w.size; at++ {
			if owner[at] != 0 {
				t.Fatalf("byte %d belongs to tensors %d and %d", at, owner[at]-1, i)
			}
			owner[at] = i + 1
		}
	}
}

// checkRewritten writes what was parsed from file and parses it again.
func checkRewritten(t *testing.T, h *header, file []byte) {
	t.Helper()
	w := NewWriter()
	for _, key := range h.keys {
		w.Set(key, h.values[key])
	}
	for _, info := range h.tensors {
		w.AddTensor(info.name, info.typ, info.shape, func(out io.Writer) error {
			_, err := out.Write(file[info.offset : info.offset+info.size])
			return err
		})
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatalf("a parsed file cannot be written: %v", err)
	}
	again, err := parse(bytes.NewReader(b.Bytes()), int64(b.Len()), "again")
	if err != nil {
		t.Fatalf("a written file cannot be parsed: %v", err)
	}
	if err := differ(h, file, again, b.Bytes()); err != nil {
		t.Fatal(err)
	}
}

// differ says what is not the same in two files, leaving aside where their weights stand.
func differ(a *header, aFile []byte, b *header, bFile []byte) error {
	if !slices.Equal(a.keys, b.keys) || len(a.tensors) != len(b.tensors) || a.align != b.align {
		return fmt.Errorf("keys %q, %d tensors, alignment %d became %q, %d, %d", a.keys, len(a.tensors), a.align, b.keys, len(b.tensors), b.align)
	}
	for _, key := range a.keys {
		v, w := a.values[key], b.values[key]
		// compared as bytes, since NaN is not equal to itself
		if v.Type() != w.Type() || !bytes.Equal(appendValue(nil, v), appendValue(nil, w)) {
			return fmt.Errorf("key %q: %v became %v", key, v, w)
		}
	}
	for i, v := range a.tensors {
		w := b.tensors[i]
		if v.name != w.name || v.typ != w.typ || !slices.Equal(v.shape, w.shape) || v.size != w.size {
			return fmt.Errorf("tensor %+v became %+v", v, w)
		}
		if !bytes.Equal(aFile[v.offset:v.offset+v.size], bFile[w.offset:w.offset+w.size]) {
			return fmt.Errorf("tensor %q: other weights", v.name)
		}
	}
	return nil
}

// TestRoundTrip writes random metadata and tensors, and parses them; FuzzRoundTrip is the same under the fuzzer.
func TestRoundTrip(t *testing.T) { rapid.Check(t, roundTrip) }

func FuzzRoundTrip(f *testing.F) { f.Fuzz(rapid.MakeFuzz(roundTrip)) }

func roundTrip(t *rapid.T) {
	w := NewWriter()
	values := rapid.MapOfN(nameGen(40), valueGen(3), 0, 8).Draw(t, "values")
	if rapid.Bool().Draw(t, "aligned") {
		align, err := ValueOf(uint32(8) << rapid.IntRange(0, 6).Draw(t, "alignment"))
		if err != nil {
			t.Fatal(err)
		}
		values[keyAlignment] = align
	}
	for key, v := range values {
		w.Set(key, v)
	}
	shapes := rapid.MapOfN(nameGen(16), rapid.SliceOfN(rapid.IntRange(1, 3), 1, maxDims), 0, 4).Draw(t, "tensors")
	for name, shape := range shapes {
		format := rapid.SampledFrom(quant.Formats()).Draw(t, "format")
		shape = slices.Clone(shape)
		shape[0] *= format.Block
		n, _ := weightBytes(format, shape)
		w.AddTensor(name, format.Type, shape, fill(int(n)))
	}
	var b bytes.Buffer
	n, err := w.WriteTo(&b)
	if err != nil {
		t.Fatal(err)
	}
	h, err := parse(bytes.NewReader(b.Bytes()), n, "m")
	if err != nil {
		t.Fatal(err)
	}
	if len(h.keys) != len(values) || len(h.tensors) != len(shapes) {
		t.Fatalf("%d keys, %d tensors, want %d, %d", len(h.keys), len(h.tensors), len(values), len(shapes))
	}
	for key, v := range values {
		if got := h.values[key]; got.Type() != v.Type() || !bytes.Equal(appendValue(nil, got), appendValue(nil, v)) {
			t.Fatalf("key %q: %v became %v", key, v, got)
		}
	}
	for _, info := range h.tensors {
		var want bytes.Buffer
		if err := fill(int(info.size))(&want); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes()[info.offset:info.offset+info.size], want.Bytes()) {
			t.Fatalf("tensor %q: other weights", info.name)
		}
	}
}

// nameGen makes names of up to n ASCII bytes.
func nameGen(n int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune("abcxyz019._-")), 1, n, n)
}

// valueGen makes a value of any kind, arrays down to depth.
func valueGen(depth int) *rapid.Generator[Value] {
	kinds := []*rapid.Generator[Value]{
		valuesOf(rapid.Uint8()), valuesOf(rapid.Int8()), valuesOf(rapid.Uint16()), valuesOf(rapid.Int16()),
		valuesOf(rapid.Uint32()), valuesOf(rapid.Int32()), valuesOf(rapid.Uint64()), valuesOf(rapid.Int64()),
		valuesOf(rapid.Map(rapid.Uint32(), math.Float32frombits)), valuesOf(rapid.Map(rapid.Uint64(), math.Float64frombits)),
		valuesOf(rapid.Bool()), valuesOf(rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })),
	}
	if depth > 0 {
		inner := valueGen(depth - 1).Filter(func(v Value) bool { return v.Kind() == KindArray })
		kinds = append(kinds, rapid.Map(rapid.SliceOfN(inner, 0, 3), mustValue[[]Value]))
	}
	return rapid.OneOf(kinds...)
}

// valuesOf makes values of one kind and arrays of them.
func valuesOf[T any](g *rapid.Generator[T]) *rapid.Generator[Value] {
	return rapid.OneOf(rapid.Map(g, mustValue[T]), rapid.Map(rapid.SliceOf(g), mustValue[[]T]))
}

func mustValue[T any](x T) Value {
	v, err := ValueOf(x)
	if err != nil {
		panic(err)
	}
	return v
}
