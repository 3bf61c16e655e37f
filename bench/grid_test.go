package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/kv"
)

func TestParseList(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []int
	}{
		{"512", []int{512}},
		{"1,2, 4", []int{1, 2, 4}},
		{"1-4", []int{1, 2, 3, 4}},
		{"0-4096+1024", []int{0, 1024, 2048, 3072, 4096}},
		{"128-512*2", []int{128, 256, 512}},
		{"100-450*2,7", []int{100, 200, 400, 7}},
	} {
		if got, err := ParseList(tt.in, 0); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("ParseList(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{"", "a", "1,", "4-1", "1-", "-1", "1-8*1", "0-8*2", "1-8+0", "1-8+-1", "1-100000", "99999999999", "16777217"} {
		if got, err := ParseList(in, 0); err == nil {
			t.Errorf("ParseList(%q) = %v, want an error", in, got)
		}
	}
	if _, err := ParseList("0", 1); err == nil {
		t.Error("0 was accepted where at least 1 is wanted")
	}
}

func FuzzParseList(f *testing.F) {
	for _, s := range []string{"1,2", "0-4096+1024", "128-512*2", "-", "1-16777216*16777216"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := ParseList(s, 1)
		if err != nil {
			return
		}
		if len(list) == 0 || len(list) > maxList || slices.Min(list) < 1 || slices.Max(list) > maxValue {
			t.Errorf("ParseList(%q) = %v", s, list)
		}
	})
}

func TestParsePairs(t *testing.T) {
	got, err := ParsePairs("512,128;64,8")
	if want := [][2]int{{512, 128}, {64, 8}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("ParsePairs = %v, %v, want %v", got, err, want)
	}
	for _, in := range []string{"", "512", "1,2,3", "1,2;"} {
		if got, err := ParsePairs(in); err == nil {
			t.Errorf("ParsePairs(%q) = %v, want an error", in, got)
		}
	}
}

func TestParseKV(t *testing.T) {
	got, err := ParseKV("f16,f32,q8_0")
	if want := []kv.Elem{kv.F16, kv.F32, kv.Q8_0}; err != nil || !slices.Equal(got, want) {
		t.Errorf("ParseKV = %v, %v, want %v", got, err, want)
	}
	if _, err := ParseKV("q4_0"); err == nil || !strings.Contains(err.Error(), `"q4_0"`) {
		t.Errorf("ParseKV(q4_0): %v, want an error that names it", err)
	}
}

func TestGridTests(t *testing.T) {
	g := Grid{
		Prompt: []int{512}, Gen: []int{128, 0}, Pairs: [][2]int{{64, 16}}, Depth: []int{0, 2048},
		Threads: []int{1, 2}, Batch: []int{64}, Parallel: []int{1, 4}, KV: []kv.Elem{kv.F16},
	}
	var names []string
	for _, test := range g.Tests() {
		names = append(names, test.Name())
	}
	depth := []string{"pp512", "tg128", "tg128 x4", "pp64+tg16", "pp512 @ d2048", "tg128 @ d2048", "tg128 x4 @ d2048", "pp64+tg16 @ d2048"}
	if want := append(depth, depth...); !slices.Equal(names, want) {
		t.Errorf("tests are %q, want %q", names, want)
	}
	if last := g.Tests()[15]; last.Threads != 2 || last.Tokens() != 80 {
		t.Errorf("the last test is %+v of %d tokens", last, last.Tokens())
	}
	if n := (Test{Gen: 128, Parallel: 4}).Tokens(); n != 512 {
		t.Errorf("four sequences of 128 tokens are %d", n)
	}
}
