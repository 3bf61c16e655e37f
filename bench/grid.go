package bench

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nrt-go/nrt/engine"
	"github.com/nrt-go/nrt/kv"
)

// DefaultBatch is how many tokens a forward takes where the grid names no other number: what package engine prefills with.
const DefaultBatch = engine.PrefillChunk

// Test is one measurement: what is computed, and with what.
type Test struct {
	Prompt   int // tokens of prompt, computed in batches
	Gen      int // tokens decoded one after another
	Depth    int // tokens that stand in the KV pages before the clock starts
	Parallel int // sequences that decode together, each of that depth; at least 1
	Threads  int
	Batch    int // the most tokens of prompt in one forward
	KV       kv.Elem
}

// Name is llama-bench's name of a test: pp512, tg128, pp512+tg128, with " @ d2048" behind a depth; x4 is four sequences.
func (t Test) Name() string {
	var parts []string
	if t.Prompt > 0 {
		parts = append(parts, fmt.Sprintf("pp%d", t.Prompt))
	}
	if t.Gen > 0 {
		parts = append(parts, fmt.Sprintf("tg%d", t.Gen))
	}
	name := strings.Join(parts, "+")
	if t.Parallel > 1 {
		name += fmt.Sprintf(" x%d", t.Parallel)
	}
	if t.Depth > 0 {
		name += fmt.Sprintf(" @ d%d", t.Depth)
	}
	return name
}

// Tokens is the number of tokens that a run computes: of the prompt, and those of every sequence.
func (t Test) Tokens() int { return t.Prompt + t.Gen*t.Parallel }

// Grid is lists of values; its tests are all their combinations. As llama-bench has it, prompts and generations are
// tests of their own, and pairs are one after the other.
type Grid struct {
	Prompt, Gen           []int
	Pairs                 [][2]int // prompt, generation
	Depth, Threads, Batch []int
	Parallel              []int // sequences, for tests that only generate
	KV                    []kv.Elem
}

// Tests lists the combinations, in order of threads, batch, KV type, depth, and then prompts, generations and pairs.
// Lengths of 0 are left out.
func (g Grid) Tests() []Test {
	var out []Test
	for _, threads := range g.Threads {
		for _, batch := range g.Batch {
			for _, elem := range g.KV {
				for _, depth := range g.Depth {
					base := Test{Depth: depth, Parallel: 1, Threads: threads, Batch: batch, KV: elem}
					out = append(out, g.at(base)...)
				}
			}
		}
	}
	return out
}

// at lists the tests that differ from base in what they compute.
func (g Grid) at(base Test) []Test {
	var out []Test
	add := func(prompt, gen, parallel int) {
		if prompt+gen > 0 {
			t := base
			t.Prompt, t.Gen, t.Parallel = prompt, gen, parallel
			out = append(out, t)
		}
	}
	for _, n := range g.Prompt {
		add(n, 0, 1)
	}
	for _, n := range g.Gen {
		for _, parallel := range g.Parallel {
			add(0, n, parallel)
		}
	}
	for _, pair := range g.Pairs {
		add(pair[0], pair[1], 1)
	}
	return out
}

// The most numbers a list may have, and the largest of them: a slip of the finger is no grid of a million tests.
const (
	maxList  = 1000
	maxValue = 1 << 24
)

// ParseList reads numbers and ranges with commas between: "1,2", "64-512" (step 1), "0-4096+1024", "128-512*2".
func ParseList(s string, least int) ([]int, error) {
	var out []int
	for _, part := range strings.Split(s, ",") {
		first, last, next, err := parseRange(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if first < least || last > maxValue {
			return nil, fmt.Errorf("found %q, want numbers of %d to %d", part, least, maxValue)
		}
		for n := first; n <= last; n = next(n) {
			if out = append(out, n); len(out) > maxList {
				return nil, fmt.Errorf("found more than %d numbers in %q", maxList, s)
			}
		}
	}
	return out, nil
}

// parseRange reads FIRST, FIRST-LAST, FIRST-LAST+STEP or FIRST-LAST*FACTOR.
func parseRange(s string) (first, last int, next func(int) int, err error) {
	wrong := fmt.Errorf("found %q, want a number, FIRST-LAST, FIRST-LAST+STEP or FIRST-LAST*FACTOR", s)
	low, rest, isRange := strings.Cut(s, "-")
	if first, err = strconv.Atoi(low); err != nil {
		return 0, 0, nil, wrong
	}
	if !isRange {
		return first, first, func(n int) int { return n + 1 }, nil
	}
	step, at := 1, strings.IndexAny(rest, "+*")
	high, times := rest, false
	if at >= 0 {
		high, times = rest[:at], rest[at] == '*'
		if step, err = strconv.Atoi(rest[at+1:]); err != nil {
			return 0, 0, nil, wrong
		}
	}
	if last, err = strconv.Atoi(high); err != nil || last < first {
		return 0, 0, nil, wrong
	}
	if times {
		if step < 2 || first < 1 {
			return 0, 0, nil, fmt.Errorf("found %q, want a factor of at least 2 and a first number of at least 1", s)
		}
		return first, last, func(n int) int { return n * step }, nil
	}
	if step < 1 {
		return 0, 0, nil, wrong
	}
	return first, last, func(n int) int { return n + step }, nil
}

// ParsePairs reads "512,128" or several such pairs with semicolons between.
func ParsePairs(s string) ([][2]int, error) {
	var out [][2]int
	for _, part := range strings.Split(s, ";") {
		list, err := ParseList(part, 0)
		if err != nil || len(list) != 2 {
			return nil, fmt.Errorf("found %q, want PROMPT,GEN", part)
		}
		out = append(out, [2]int{list[0], list[1]})
	}
	return out, nil
}

// ParseKV reads names of KV element types with commas between.
func ParseKV(s string) ([]kv.Elem, error) {
	var out []kv.Elem
	for _, part := range strings.Split(s, ",") {
		elem, err := kv.ParseElem(part)
		if err != nil {
			return nil, err
		}
		out = append(out, elem)
	}
	return out, nil
}
