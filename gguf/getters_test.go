package gguf

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"testing"
)

// everyKind is a key of each kind and an array of each.
var everyKind = []struct {
	key   string
	value any
}{
	{"uint8", uint8(200)}, {"int8", int8(-100)}, {"uint16", uint16(60_000)}, {"int16", int16(-30_000)},
	{"uint32", uint32(4_000_000_000)}, {"int32", int32(-2_000_000_000)}, {"uint64", uint64(math.MaxUint64)}, {"int64", int64(math.MinInt64)},
	{"float32", float32(0.1)}, {"float64", 0.1}, {"bool", true}, {"string", "héllo\x00\xff"}, {"empty", ""},
	{"[]uint8", []uint8{1, 255}}, {"[]int8", []int8{-1, 1}}, {"[]uint16", []uint16{1, 65535}}, {"[]int16", []int16{-1, 1}},
	{"[]uint32", []uint32{1, math.MaxUint32}}, {"[]int32", []int32{-1, 1}}, {"[]uint64", []uint64{1, math.MaxUint64}}, {"[]int64", []int64{-1, 1}},
	{"[]float32", []float32{0.5, -1}}, {"[]float64", []float64{0.5, 1e300}}, {"[]bool", []bool{true, false}}, {"[]string", []string{"a", "", "b"}},
	{"none", []string{}},
	{"nested", []Value{{KindArray, KindUint8, []uint8{1}}, {KindArray, KindString, []string{"x"}}, {KindArray, KindArray, []Value{}}}},
}

func kindsWriter() *Writer {
	w := NewWriter()
	for _, row := range everyKind {
		w.Set(row.key, row.value)
	}
	return w
}

// kindsFile is a file of everyKind, written and opened.
func kindsFile(t *testing.T) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kinds.gguf")
	if err := kindsWriter().WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func TestEveryKind(t *testing.T) {
	f := kindsFile(t)
	for i, row := range everyKind {
		v, ok := f.Value(row.key)
		if !ok || !reflect.DeepEqual(v.Any(), row.value) {
			t.Errorf("%s: found %v, want %v", row.key, v.Any(), row.value)
		}
		if f.Keys()[i] != row.key || !f.Has(row.key) {
			t.Errorf("key %d is %q, want %q", i, f.Keys()[i], row.key)
		}
	}
	if f.Has("no") {
		t.Error("Has says yes to a key that is not there")
	}
}

func TestGetters(t *testing.T) {
	f := kindsFile(t)
	tests := []struct {
		name string
		get  func() (any, error)
		want any
	}{
		{"String", func() (any, error) { return f.String("string") }, "héllo\x00\xff"},
		{"Bool", func() (any, error) { return f.Bool("bool") }, true},
		{"Uint of uint8", func() (any, error) { return f.Uint("uint8") }, uint64(200)},
		{"Uint of uint16", func() (any, error) { return f.Uint("uint16") }, uint64(60_000)},
		{"Uint of uint32", func() (any, error) { return f.Uint("uint32") }, uint64(4_000_000_000)},
		{"Uint of uint64", func() (any, error) { return f.Uint("uint64") }, uint64(math.MaxUint64)},
		{"Int of int8", func() (any, error) { return f.Int("int8") }, int64(-100)},
		{"Int of int16", func() (any, error) { return f.Int("int16") }, int64(-30_000)},
		{"Int of uint32", func() (any, error) { return f.Int("uint32") }, int64(4_000_000_000)},
		{"Int of int32", func() (any, error) { return f.Int("int32") }, int64(-2_000_000_000)},
		{"Int of int64", func() (any, error) { return f.Int("int64") }, int64(math.MinInt64)},
		{"Float of float32", func() (any, error) { return f.Float("float32") }, float64(float32(0.1))},
		{"Float of float64", func() (any, error) { return f.Float("float64") }, 0.1},
		{"Strings", func() (any, error) { return f.Strings("[]string") }, []string{"a", "", "b"}},
		{"Strings of none", func() (any, error) { return f.Strings("none") }, []string{}},
		{"Bools", func() (any, error) { return f.Bools("[]bool") }, []bool{true, false}},
		{"Ints of []uint8", func() (any, error) { return f.Ints("[]uint8") }, []int64{1, 255}},
		{"Ints of []int8", func() (any, error) { return f.Ints("[]int8") }, []int64{-1, 1}},
		{"Ints of []uint16", func() (any, error) { return f.Ints("[]uint16") }, []int64{1, 65535}},
		{"Ints of []int16", func() (any, error) { return f.Ints("[]int16") }, []int64{-1, 1}},
		{"Ints of []uint32", func() (any, error) { return f.Ints("[]uint32") }, []int64{1, math.MaxUint32}},
		{"Ints of []int32", func() (any, error) { return f.Ints("[]int32") }, []int64{-1, 1}},
		{"Ints of []int64", func() (any, error) { return f.Ints("[]int64") }, []int64{-1, 1}},
		{"Floats", func() (any, error) { return f.Floats("[]float32") }, []float32{0.5, -1}},
		{"Floats of []float64", func() (any, error) { return f.Floats("[]float64") }, []float32{0.5, float32(math.Inf(1))}},
	}
	for _, tt := range tests {
		if got, err := tt.get(); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: found %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

func TestGetterErrors(t *testing.T) {
	f := kindsFile(t)
	tests := []struct {
		name string
		err  func() error
		want []string
	}{
		{"String of uint8", func() error { _, err := f.String("uint8"); return err }, []string{`key "uint8"`, "found uint8 200", "want a string"}},
		{"Bool of uint8", func() error { _, err := f.Bool("uint8"); return err }, []string{"want a bool"}},
		{"Uint of a negative", func() error { _, err := f.Uint("int8"); return err }, []string{`key "int8"`, "found int8 -100", "from 0 up"}},
		{"Uint of float32", func() error { _, err := f.Uint("float32"); return err }, []string{"found float32 0.1"}},
		{"Uint of bool", func() error { _, err := f.Uint("bool"); return err }, []string{"found bool true"}},
		{"Uint of an array", func() error { _, err := f.Uint("[]uint8"); return err }, []string{"found [2]uint8"}},
		{"Int too large", func() error { _, err := f.Int("uint64"); return err }, []string{"found uint64 18446744073709551615", "fits int64"}},
		{"Int of string", func() error { _, err := f.Int("string"); return err }, []string{"found string, want an integer"}},
		{"Float of uint32", func() error { _, err := f.Float("uint32"); return err }, []string{"found uint32 4000000000", "want a float"}},
		{"Strings of string", func() error { _, err := f.Strings("string"); return err }, []string{"want an array of strings"}},
		{"Strings of nested", func() error { _, err := f.Strings("nested"); return err }, []string{"found [3]array"}},
		{"Bools of []uint8", func() error { _, err := f.Bools("[]uint8"); return err }, []string{"want an array of bools"}},
		{"Ints too large", func() error { _, err := f.Ints("[]uint64"); return err }, []string{"found [2]uint64", "fit int64"}},
		{"Ints of []float32", func() error { _, err := f.Ints("[]float32"); return err }, []string{"want an array of integers"}},
		{"Floats of []int32", func() error { _, err := f.Floats("[]int32"); return err }, []string{"want an array of floats"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.err()
			checkError(t, err, f.Path(), tt.want)
			if errors.Is(err, ErrMissing) {
				t.Error("a key of the wrong kind is called missing")
			}
		})
	}
	_, errKey := f.Uint("no\x1b")
	_, errTensor := f.Tensor("no\x1b")
	for _, err := range []error{errKey, errTensor} {
		checkError(t, err, f.Path(), []string{`"no\x1b"`, "not in the file"})
		if !errors.Is(err, ErrMissing) {
			t.Errorf("found %v, want ErrMissing", err)
		}
	}
}

func TestValueForPeople(t *testing.T) {
	tests := []struct {
		value          any
		typ, str, json string
	}{
		{uint8(7), "uint8", "7", "7"},
		{"a\"b", "string", `a"b`, `"a\"b"`},
		{[]uint8{1, 2}, "[2]uint8", "[1 2]", "[1,2]"},
		{[]string{"a", "b"}, "[2]string", "[a b]", `["a","b"]`},
		{[]Value{{KindArray, KindInt8, []int8{-1}}}, "[1]array", "[[-1]]", "[[-1]]"},
		{float32(0.1), "float32", "0.1", "0.1"},
	}
	for _, tt := range tests {
		v, err := ValueOf(tt.value)
		if err != nil {
			t.Fatal(err)
		}
		j, err := json.Marshal(v)
		if err != nil || v.Type() != tt.typ || v.String() != tt.str || string(j) != tt.json {
			t.Errorf("%#v: found %q, %q, %q, %v, want %q, %q, %q", tt.value, v.Type(), v.String(), j, err, tt.typ, tt.str, tt.json)
		}
	}
	if _, err := json.Marshal(Value{kind: KindFloat32, data: float32(math.NaN())}); err == nil {
		t.Error("NaN became JSON")
	}
	var none Value
	if none.String() != "" || none.Len() != 0 || none.Any() != nil {
		t.Error("the zero Value is something")
	}
	if v, _ := ValueOf([]int16{1}); v.Kind() != KindArray || v.Elem() != KindInt16 || v.Len() != 1 {
		t.Errorf("found %v of %v, %d elements, want an array of one int16", v.Kind(), v.Elem(), v.Len())
	}
	if v, _ := ValueOf(int16(1)); v.Elem() != KindInt16 {
		t.Errorf("element kind of an int16 is %v", v.Elem())
	}
}
