package sample

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naiveRepeats is DRY's definition read aloud, in cubic time: for each token, the longest run of tokens at the end of
// the history that stands before it somewhere in the history, with no breaker in the run.
func naiveRepeats(tokens []int32, breakers [][]int32) map[int32]int {
	longest := map[int32]int{}
	for at := 1; at < len(tokens); at++ {
		before := tokens[:at]
		for n := 1; n <= len(before); n++ {
			run := tokens[len(tokens)-n:]
			if !slices.Equal(run, before[len(before)-n:]) || holdsBreakerEnd(tokens, n, breakers) {
				break
			}
			longest[tokens[at]] = max(longest[tokens[at]], n)
		}
	}
	return longest
}

// holdsBreakerEnd says whether a breaker ends within the last n tokens.
func holdsBreakerEnd(tokens []int32, n int, breakers [][]int32) bool {
	for end := len(tokens) - n + 1; end <= len(tokens); end++ {
		for _, b := range breakers {
			if len(b) <= end && slices.Equal(b, tokens[end-len(b):end]) {
				return true
			}
		}
	}
	return false
}

// TestDryAgainstNaive on histories of few different tokens, which repeat all the time.
func TestDryAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const vocab = 5
		token := rapid.Int32Range(0, vocab-1)
		tokens := rapid.SliceOfN(token, 0, 60).Draw(t, "history")
		p := alone()
		p.DryMultiplier, p.DryBase = 0.5, 1.5
		p.DryAllowedLength = rapid.IntRange(1, 4).Draw(t, "allowed")
		p.DryPenaltyLastN = rapid.SampledFrom([]int{-1, 1, 10, 40}).Draw(t, "window")
		p.DrySequenceBreakers = rapid.SliceOfN(rapid.SliceOfN(token, 1, 3), 0, 2).Draw(t, "breakers")
		s, err := New(p, vocab)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range tokens {
			s.Accept(id)
		}
		window := tokens
		if n := p.DryPenaltyLastN; n >= 0 && n < len(tokens) {
			window = tokens[len(tokens)-n:]
		}
		want := make([]float32, vocab)
		for id, n := range naiveRepeats(window, p.DrySequenceBreakers) {
			single := slices.ContainsFunc(p.DrySequenceBreakers, func(b []int32) bool { return slices.Equal(b, []int32{id}) })
			if n >= p.DryAllowedLength && !single {
				want[id] = -float32(0.5 * math.Pow(1.5, float64(n-p.DryAllowedLength)))
			}
		}
		got, wanted := mustRun(t, s, vocab), mustDistribute(t, alone(), want)
		for id := range want {
			if math.Abs(got[int32(id)]-wanted[int32(id)]) > 1e-6 {
				t.Fatalf("token %d: probability %v, wanted %v", id, got[int32(id)], wanted[int32(id)])
			}
		}
	})
}

// mustRun is the distribution of s over equal logits.
func mustRun(t *rapid.T, s *Sampler, vocab int) map[int32]float64 {
	probs, err := s.Distribution(make([]float32, vocab))
	if err != nil {
		t.Fatal(err)
	}
	m := map[int32]float64{}
	for _, q := range probs {
		m[q.ID] = q.P
	}
	return m
}

func TestZBackwards(t *testing.T) {
	// Read backwards: c b a y c b c c b a. At 4: c b (then c, not a); at 6: c; at 7: c b a to the beginning.
	got := zBackwards(nil, []int32{'a', 'b', 'c', 'c', 'b', 'c', 'y', 'a', 'b', 'c'})
	if want := []int32{0, 0, 0, 0, 2, 0, 1, 3, 0, 0}; !slices.Equal(got[1:], want[1:]) {
		t.Errorf("z = %v, wanted %v", got, want)
	}
}

// TestHistory: whatever the window, the tail and the counts are those of the last tokens.
func TestHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.Int32Range(0, 9), 0, 200).Draw(t, "tokens")
		p := alone()
		p.PresencePenalty = 1
		p.RepeatLastN = rapid.SampledFrom([]int{-1, 1, 2, 7, 50}).Draw(t, "repeat_last_n")
		p.DryMultiplier, p.DryPenaltyLastN = 1, rapid.SampledFrom([]int{-1, 1, 5, 60}).Draw(t, "dry_penalty_last_n")
		var past history
		stages := chain(&p, &past)
		for _, id := range tokens {
			past.push(id)
		}
		for _, n := range []int{p.RepeatLastN, p.DryPenaltyLastN} {
			if got, want := past.tail(n), lastN(tokens, n); !slices.Equal(got, want) {
				t.Fatalf("last %d tokens: %v, wanted %v", n, got, want)
			}
		}
		want := map[int32]int32{}
		for _, id := range lastN(tokens, p.RepeatLastN) {
			want[id]++
		}
		got := map[int32]int32{}
		for _, c := range stages[0].(*penalties).counts {
			got[c.id] = c.n
		}
		if !maps.Equal(got, want) {
			t.Fatalf("counts %v, wanted %v", got, want)
		}
		if past.total != uint64(len(tokens)) {
			t.Fatalf("position %d, wanted %d", past.total, len(tokens))
		}
	})
}

func lastN(tokens []int32, n int) []int32 {
	if n < 0 || n > len(tokens) {
		return tokens
	}
	return tokens[len(tokens)-n:]
}

// TestHistoryStaysSmall: a long answer does not grow the history of a bounded window.
func TestHistoryStaysSmall(t *testing.T) {
	p := Default()
	p.RepeatPenalty = 1.1
	s := newSampler(t, p, 10)
	for i := range int32(100_000) {
		s.Accept(i % 10)
	}
	if n := cap(s.past.tokens); n > 4*p.RepeatLastN {
		t.Errorf("room for %d tokens kept, wanted at most %d", n, 4*p.RepeatLastN)
	}
	if s := newSampler(t, Default(), 10, 1, 2, 3); len(s.past.tokens) != 0 {
		t.Errorf("%d tokens kept although no sampler looks back", len(s.past.tokens))
	}
}

func TestBreakers(t *testing.T) {
	pieces := []string{"a", "b", "ab", "xab", "abx", "xa", "", "aa"}
	piece := func(id int32) []byte { return []byte(pieces[id]) }
	encode := func(text string) []int32 {
		var ids []int32
		for _, r := range text {
			ids = append(ids, int32(slices.Index(pieces, string(r))))
		}
		return ids
	}
	for _, c := range []struct {
		text string
		want [][]int32
	}{
		{"", nil},
		{"b", [][]int32{{1}, {2}, {3}, {4}}},
		{"ab", [][]int32{{0, 1}, {2}, {3}, {4}, {5, 1}, {7, 1}}},
		// "aab": after "a" comes "ab" or, where "aa" is over already, "b".
		{"aab", [][]int32{{0, 0, 1}, {5, 0, 1}, {7, 0, 1}, {7, 1}}},
	} {
		got := Breakers(c.text, len(pieces), piece, encode)
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("Breakers(%q) = %v, wanted %v", c.text, got, c.want)
		}
	}
}
