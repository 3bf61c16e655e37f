package tokenizer

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLongWordsMergeAsShortOnes gives both ways of merging the same words and random merges.
func TestLongWordsMergeAsShortOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		table := newPairTable(60)
		for rank := range int32(60) {
			table.add(rng.Int32N(30), rng.Int32N(30), rank, rng.Int32N(30))
		}
		word := strings.Repeat("x", 1+rng.IntN(100))
		var long, short merger
		for i := range len(word) {
			long.ids = append(long.ids, rng.Int32N(6))
			long.starts = append(long.starts, int32(i))
		}
		long.starts = append(long.starts, int32(len(word)))
		short.ids, short.starts = slices.Clone(long.ids), slices.Clone(long.starts)
		long.mergeLong(word, table)
		short.mergeShort(word, table)
		if !slices.Equal(long.ids, short.ids) || !slices.Equal(long.starts, short.starts) {
			t.Fatalf("mergeLong gives %v at %v, mergeShort %v at %v", long.ids, long.starts, short.ids, short.starts)
		}
	}
}

// TestLongRuns would not end in time if merging were quadratic.
func TestLongRuns(t *testing.T) {
	const n = 1 << 17
	for _, text := range []string{strings.Repeat("a", n), strings.Repeat(" ", n), strings.Repeat("ab", n/2)} {
		for _, tok := range []*Tokenizer{tinyBPE(t), tinySPM(t, true)} {
			if got := tok.Decode(tok.Encode(text, Options{}), false); got != text {
				t.Errorf("%d bytes come back from %d", len(got), len(text))
			}
		}
	}
}

// TestSeamsAreExact compares merging in parts with merging whole.
func TestSeamsAreExact(t *testing.T) {
	parts, whole := tinySPM(t, true), tinySPM(t, true)
	whole.model.(*mergeModel).stages = nil
	rng := rand.New(rand.NewPCG(3, 4))
	symbols := []string{"a", "b", "c", " ", "é", "▁", "x", "中", "<0x41>", "\xff"}
	for range 2000 {
		var text strings.Builder
		for range rng.IntN(30) {
			text.WriteString(symbols[rng.IntN(len(symbols))])
		}
		got, want := parts.Encode(text.String(), Options{}), whole.Encode(text.String(), Options{})
		if !slices.Equal(got, want) {
			t.Fatalf("Encode(%q) = %v in parts, %v whole", text.String(), got, want)
		}
	}
}

func TestTextIndex(t *testing.T) {
	list := []string{"", "a", "b", "a", "ab", "c"}
	all := newTexts(list)
	x := newTextIndex(&all, func(id int32) bool { return id != 5 })
	for s, want := range map[string]int32{"a": 1, "b": 2, "ab": 4} {
		if id, ok := x.id(s); !ok || id != want {
			t.Errorf("id of %q is %d, %v; want %d", s, id, ok, want)
		}
	}
	for _, s := range []string{"", "c", "abc"} {
		if id, ok := x.id(s); ok {
			t.Errorf("%q has the id %d, want none", s, id)
		}
	}
}

func TestPairTable(t *testing.T) {
	table := newPairTable(2)
	table.add(1, 2, 0, 7)
	table.add(1, 2, 1, 8) // the first stays
	table.add(2, 1, 2, 9)
	for _, c := range []struct{ left, right, rank, id int32 }{{1, 2, 0, 7}, {2, 1, 2, 9}, {1, 1, noRank, -1}, {-1, 2, noRank, -1}} {
		if rank, id := table.pair("", c.left, c.right); rank != c.rank || id != c.id {
			t.Errorf("pair(%d, %d) = %d, %d; want %d, %d", c.left, c.right, rank, id, c.rank, c.id)
		}
	}
}
