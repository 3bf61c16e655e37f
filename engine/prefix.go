package engine

import (
	"slices"

	"github.com/nrt-go/nrt/kv"
)

// keptPrefixes is how many conversations stay in the KV pages between requests.
const keptPrefixes = 4

// prefixes holds the KV pages of recent conversations, so that the next turn computes only what is new. Results do not
// depend on a hit: logits are the same bits however the prompt was cut into forwards.
type prefixes struct {
	idle []*prefix // oldest use first
}

// prefix is a sequence of pages and the tokens they were computed from.
type prefix struct {
	seq    *kv.Sequence
	tokens []int32
}

// take returns the pages that share the longest start with tokens, cut to that start, or nil. At least the last token
// is left to compute, since its logits are wanted. A hit that would throw away most of another conversation is left
// alone while there is room for both.
func (p *prefixes) take(tokens []int32) *prefix {
	best, shared := -1, 0
	for i, c := range p.idle {
		if n := common(c.tokens, tokens[:len(tokens)-1]); n > shared {
			best, shared = i, n
		}
	}
	if best < 0 || (shared < len(p.idle[best].tokens)/2 && len(p.idle) < keptPrefixes) {
		return nil
	}
	c := p.idle[best]
	p.idle = slices.Delete(p.idle, best, best+1)
	c.tokens = c.tokens[:shared]
	c.seq.Truncate(shared)
	return c
}

// put keeps a conversation's pages; the oldest makes room.
func (p *prefixes) put(c *prefix) {
	if len(p.idle) == keptPrefixes {
		p.evict()
	}
	p.idle = append(p.idle, c)
}

// evict frees the pages of the conversation that was used longest ago; false when there is none.
func (p *prefixes) evict() bool {
	if len(p.idle) == 0 {
		return false
	}
	p.idle[0].seq.Free()
	p.idle = slices.Delete(p.idle, 0, 1)
	return true
}

// drop frees all.
func (p *prefixes) drop() {
	for p.evict() {
	}
}

// common is the length of the shared start of a and b.
func common(a, b []int32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
