package jinja

import (
	"encoding/json"
	"strings"
	"testing"
)

func asJSON(t *testing.T, v Value) string {
	t.Helper()
	s, err := render("{{ v | tojson }}", NewDict().Set("v", v), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFromJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"z":1,"a":{"y":2,"b":3}}`:                   `{"z": 1, "a": {"y": 2, "b": 3}}`,
		`[1, 1.0, 1e2, -0.0, 1e400]`:                  `[1, 1.0, 100.0, -0.0, Infinity]`,
		`[9223372036854775807, 18446744073709551615]`: `[9223372036854775807, 18446744073709551615]`,
		`{"a":1,"b":2,"a":3}`:                         `{"a": 3, "b": 2}`,
		` "é\u00e9\ud83d\ude00" `:                     `"éé😀"`,
		`[true, false, null, "", [], {}]`:             `[true, false, null, "", [], {}]`,
	} {
		v, err := FromJSON([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
		} else if got := asJSON(t, v); got != want {
			t.Errorf("%s: found %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{"", " ", "{", "[1", "[1,]", `{"a"}`, `{"a":}`, `{1:2}`, "1 2", "tru", "]", `"`, strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
		strings.Repeat("9", 5000)} {
		if v, err := FromJSON([]byte(in)); err == nil {
			t.Errorf("%.20q: found %v, want an error", in, v)
		}
	}
}

func TestFromGo(t *testing.T) {
	type role string
	n := 5
	for _, c := range []struct {
		in   any
		want string
	}{
		{nil, "null"}, {true, "true"}, {int8(-3), "-3"}, {uint64(1<<64 - 1), "18446744073709551615"}, {1.0, "1.0"}, {float32(0.5), "0.5"},
		{"x\xff", `"x` + "\uFFFD" + `"`}, {role("user"), `"user"`}, {[]string{"a"}, `["a"]`}, {[2]int{1, 2}, "[1, 2]"},
		{map[string]any{"b": 1, "a": nil}, `{"a": null, "b": 1}`}, {json.RawMessage(`{"b":1,"a":1.0}`), `{"b": 1, "a": 1.0}`},
		{json.Number("7"), "7"}, {&n, "5"}, {(*int)(nil), "null"}, {NewList(Int(1)), "[1]"}, {[]any{map[role]int{"r": 1}}, `[{"r": 1}]`},
	} {
		v, err := FromGo(c.in)
		if err != nil {
			t.Errorf("%v: %v", c.in, err)
		} else if got := asJSON(t, v); got != c.want {
			t.Errorf("%v: found %s, want %s", c.in, got, c.want)
		}
	}
	type loop struct{ Next *loop }
	cyclic := []any{nil}
	cyclic[0] = cyclic
	for _, in := range []any{struct{}{}, make(chan int), func() {}, map[int]int{}, loop{}, cyclic, map[string]any{"x": struct{}{}}} {
		if _, err := FromGo(in); err == nil {
			t.Errorf("%T: no error", in)
		}
	}
}

func TestMapStrings(t *testing.T) {
	v, err := FromJSON([]byte(`{"a": ["a", 1, {"a": "b"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, MapStrings(v, strings.ToUpper)), `{"A": ["A", 1, {"A": "B"}]}`; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	if got, want := asJSON(t, v), `{"a": ["a", 1, {"a": "b"}]}`; got != want {
		t.Errorf("the value itself is now %s, want %s", got, want)
	}
}

func TestDictOfManyKeys(t *testing.T) {
	d := NewDict()
	for i := range 100 {
		d.Set(strings.Repeat("k", i), Int(i))
	}
	d.Set("kkk", Int(-3))
	if v, ok := d.Get("kkk"); !ok || v != Int(-3) || d.Len() != 100 || d.Keys()[3] != "kkk" {
		t.Errorf("found %v, %t, %d entries", v, ok, d.Len())
	}
	if _, ok := d.Get("x"); ok {
		t.Error("found a key that was not set")
	}
}
