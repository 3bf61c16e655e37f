package sample

import (
	"math"
	"slices"
)

// topK keeps the k candidates with the highest logits. Fan, Lewis and Dauphin: Hierarchical Neural Story Generation
// (2018).
type topK struct{ k int }

func topKOff(p *Params) bool { return p.TopK <= 0 }

func newTopK(p *Params, _ *history) stage { return topK{p.TopK} }

func (s topK) apply(c *candidates) { c.top(s.k) }

// top keeps the k best candidates and sorts them.
func (c *candidates) top(k int) {
	if c.dense != nil {
		c.topDense(k)
	} else if !c.sorted {
		selectBest(c.list, k)
	}
	c.list = c.list[:min(k, len(c.list))]
	c.sort()
}

// topDense lists only the k best of the dense form. The best seen so far are a heap whose root is the worst of them: a
// token that does not beat the root costs one comparison, and after the first few thousand almost none does.
func (c *candidates) topDense(k int) {
	heap, seen := c.list[:0], 0
	for ; seen < len(c.dense) && len(heap) < k; seen++ {
		if logit := c.dense[seen]; logit != float32(math.Inf(-1)) {
			heap = append(heap, candidate{id: int32(seen), logit: logit})
		}
	}
	heapify(heap)
	for i, logit := range c.dense[seen:] {
		// Ids ascend, so of two equal logits the one in the heap is the better.
		if logit > heap[0].logit {
			heap[0] = candidate{id: int32(seen + i), logit: logit}
			sink(heap, 0)
		}
	}
	c.list, c.dense = heap, nil
}

// selectBest moves the k best candidates to the front, in any order.
func selectBest(list []candidate, k int) {
	if k >= len(list) {
		return
	}
	if k > len(list)/64 { // a heap so large costs more than sorting everything
		slices.SortFunc(list, byLogit)
		return
	}
	heap := list[:k]
	heapify(heap)
	for i, t := range list[k:] {
		if byLogit(t, heap[0]) < 0 {
			list[k+i], heap[0] = heap[0], t
			sink(heap, 0)
		}
	}
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
