package kv

import (
	"fmt"

	"github.com/nrt-go/nrt/kernels"
)

// Sequence is the stored context of one conversation: positions 0 to Len()-1.
type Sequence struct {
	store *Store
	pages []*page
	len   int
}

// NewSequence is an empty sequence. Free gives its pages back.
func (s *Store) NewSequence() *Sequence { return &Sequence{store: s} }

// Len is the number of positions stored.
func (q *Sequence) Len() int { return q.len }

// Pages is the number of pages the sequence owns.
func (q *Sequence) Pages() int { return len(q.pages) }

// Shape is the shape of the sequence's store.
func (q *Sequence) Shape() Shape { return q.store.shape }

// Reserve makes sure that n more positions have pages. It takes all it needs or fails with a *FullError.
func (q *Sequence) Reserve(n int) error {
	tokens := q.store.shape.PageTokens
	missing := (q.len+n+tokens-1)/tokens - len(q.pages)
	if missing <= 0 {
		return nil
	}
	pages, err := q.store.take(q.pages, missing)
	q.pages = pages
	return err
}

// Put stores the keys and values of one layer at a reserved position; k and v are [Heads][Dim]. The position counts
// once Advance has passed it.
func (q *Sequence) Put(layer, pos int, k, v []float32) {
	s := q.store.shape
	p, at := q.pages[pos/s.PageTokens], pos%s.PageTokens
	for head := range s.Heads {
		from, to := head*s.Dim, (head+1)*s.Dim
		values := p.block(s, s.values(layer, head))
		putKey(p.block(s, s.keys(layer, head)), values, at, s.PageTokens, k[from:to])
		putValue(values, at, v[from:to])
	}
}

// Advance makes the next n positions part of the sequence, once every layer has been Put there.
func (q *Sequence) Advance(n int) {
	if room := len(q.pages) * q.store.shape.PageTokens; n < 0 || q.len+n > room {
		panic(fmt.Sprintf("kv: advance by %d from %d in %d reserved positions", n, q.len, room))
	}
	q.len += n
}

// Truncate rewinds the sequence to its first n positions and gives back the pages beyond them.
func (q *Sequence) Truncate(n int) {
	if n < 0 || n > q.len {
		panic(fmt.Sprintf("kv: truncate %d positions to %d", q.len, n))
	}
	q.len = n
	keep := (n + q.store.shape.PageTokens - 1) / q.store.shape.PageTokens
	q.store.give(q.pages[keep:])
	clear(q.pages[keep:])
	q.pages = q.pages[:keep]
}

// Free gives every page back; the sequence is then empty and usable.
func (q *Sequence) Free() { q.Truncate(0) }

// load points t to one head's blocks that hold positions start to start+n-1; start is where a page begins.
func (q *Sequence) load(t *kernels.Tile, layer, head, start, n int) {
	s := q.store.shape
	t.Keys, t.Values, t.Next = t.Keys[:0], t.Values[:0], kernels.Block{}
	first, beyond := start/s.PageTokens, (start+n+s.PageTokens-1)/s.PageTokens
	for _, p := range q.pages[first:beyond] {
		t.Keys = append(t.Keys, p.block(s, s.keys(layer, head)))
		t.Values = append(t.Values, p.block(s, s.values(layer, head)))
	}
	if beyond < len(q.pages) {
		t.Next = q.pages[beyond].block(s, s.keys(layer, head))
	}
}
