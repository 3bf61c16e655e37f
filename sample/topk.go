package sample

import "math"

// topK keeps the k candidates with the highest logits. Fan, Lewis and Dauphin: Hierarchical Neural Story Generation
// (2018).
type topK struct{ k int }

func topKOff(p *Params) bool { return p.TopK <= 0 }

func newTopK(p *Params, _ *history) stage { return topK{p.TopK} }

func (s topK) apply(c *candidates) { c.top(s.k) }

// top keeps the k best and sorts them. It holds the best seen so far in a heap whose root is the worst of them: a token
// that does not beat the root costs one comparison, and after the first few thousand almost none does.
func (c *candidates) top(k int) {
	switch {
	case c.dense != nil:
		c.topDense(k)
	case c.sorted:
		c.list = c.list[:min(k, len(c.list))]
	default:
		c.topList(k)
	}
	c.sort()
}

func (c *candidates) topDense(k int) {
	heap, rest := c.list[:0], len(c.dense)
	for id, logit := range c.dense {
		if len(heap) == k {
			rest = id
			break
		}
		if logit != float32(math.Inf(-1)) {
			heap = append(heap, candidate{id: int32(id), logit: logit})
		}
	}
	heapify(heap)
	for id := rest; id < len(c.dense); id++ {
		// Ids ascend, so of two equal logits the one in the heap is the better.
		if c.dense[id] > heap[0].logit {
			heap[0] = candidate{id: int32(id), logit: c.dense[id]}
			sink(heap, 0)
		}
	}
	c.list, c.dense = heap, nil
}

func (c *candidates) topList(k int) {
	if k >= len(c.list) {
		return
	}
	heap := c.list[:k]
	heapify(heap)
	for _, t := range c.list[k:] {
		if byLogit(t, heap[0]) < 0 {
			heap[0] = t
			sink(heap, 0)
		}
	}
	c.list = heap
}

// heapify makes a heap of h.
func heapify(h []candidate) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		sink(h, i)
	}
}

// sink moves h[i] down until both its children are better than it: the root of a heap is its worst candidate.
func sink(h []candidate, i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if byLogit(h[child], h[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}
