package kv

import (
	"fmt"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/quant"
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
	p := q.pages[pos/s.PageTokens]
	for head := range s.Heads {
		from := head * s.Dim
		p.putColumn(s.keys(layer, head)+pos%s.PageTokens, s.PageTokens, k[from:from+s.Dim])
		p.put(s.values(layer, head)+pos%s.PageTokens*s.Dim, v[from:from+s.Dim])
	}
}

// keys is where a head's keys begin in a page, and values where its values do.
func (s Shape) keys(layer, head int) int { return (layer*2*s.Heads + head) * s.PageTokens * s.Dim }

func (s Shape) values(layer, head int) int { return s.keys(layer, s.Heads+head) }

func (p *page) put(at int, x []float32) {
	if p.f32 != nil {
		copy(p.f32[at:], x)
		return
	}
	kernels.F32ToF16(p.f16[at:at+len(x)], x)
}

// putColumn stores x with a step between its elements.
func (p *page) putColumn(at, step int, x []float32) {
	for _, v := range x {
		if p.f32 != nil {
			p.f32[at] = v
		} else {
			p.f16[at] = quant.F32ToF16(v)
		}
		at += step
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

// load widens the keys and values of one head at positions start to start+n-1; start is where a page begins. Keys come
// in whole pages: what lies beyond the last position is not looked at.
func (q *Sequence) load(t *kernels.Tile, layer, head, start, n int) {
	s := q.store.shape
	size := s.PageTokens * s.Dim
	for done := 0; done < n; done += s.PageTokens {
		p := q.pages[(start+done)/s.PageTokens]
		p.get(t.Keys[done*s.Dim:done*s.Dim+size], s.keys(layer, head))
		rows := min(s.PageTokens, n-done)
		p.get(t.Values[done*s.Dim:(done+rows)*s.Dim], s.values(layer, head))
	}
}

func (p *page) get(dst []float32, at int) {
	if p.f32 != nil {
		copy(dst, p.f32[at:])
		return
	}
	kernels.F16ToF32(dst, p.f16[at:at+len(dst)])
}
