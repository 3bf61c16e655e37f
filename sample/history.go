package sample

import (
	"slices"
)

// history is the tail of the tokens accepted, in one piece, as far back as a sampler of the chain looks.
type history struct {
	tokens []int32 // oldest first
	keep   int     // tokens that must stay; -1 is all
	total  uint64  // tokens accepted ever: the position of the next one
	watch  []func(token int32)
}

// widen makes the history reach at least n tokens back; -1 is to the beginning.
func (h *history) widen(n int) {
	if n < 0 || h.keep < 0 {
		h.keep = -1
		return
	}
	h.keep = max(h.keep, n)
}

func (h *history) push(id int32) {
	h.total++
	for _, f := range h.watch {
		f(id)
	}
	if h.keep == 0 {
		return
	}
	// Twice the window, so that a move of the whole window is paid for by as many pushes.
	if h.keep > 0 && len(h.tokens) >= 2*h.keep {
		h.tokens = h.tokens[:copy(h.tokens, h.tokens[len(h.tokens)-h.keep+1:])]
	}
	h.tokens = append(h.tokens, id)
}

// tail is the last n tokens, or as many as there are; -1 is all.
func (h *history) tail(n int) []int32 {
	if n < 0 || n > len(h.tokens) {
		return h.tokens
	}
	return h.tokens[len(h.tokens)-n:]
}

// tally counts tokens. It is a sorted slice, which neither allocates once it is large enough nor iterates at random.
type tally []count

type count struct {
	id int32
	n  int32
}

func (t *tally) find(id int32) (int, bool) {
	return slices.BinarySearchFunc(*t, id, func(c count, id int32) int { return int(c.id) - int(id) })
}

func (t *tally) add(id int32) {
	i, found := t.find(id)
	if !found {
		*t = slices.Insert(*t, i, count{id: id})
	}
	(*t)[i].n++
}

func (t *tally) remove(id int32) {
	i, _ := t.find(id)
	if (*t)[i].n--; (*t)[i].n == 0 {
		*t = slices.Delete(*t, i, i+1)
	}
}
