// Package kv keeps what attention remembers of every token: keys and values in pages that sequences own, within a byte
// budget, and the attention over them.
package kv

import (
	"fmt"
	"sync"

	"github.com/nrt-go/nrt/kernels"
)

// PageTokens is the usual number of positions in a page.
const PageTokens = 64

// Shape says what one token leaves behind.
type Shape struct {
	Layers, Heads, Dim int  // layers, key-value heads in each, numbers in each head
	PageTokens         int  // positions in a page; 0 means PageTokens
	Elem               Elem // how a number is stored
}

// TokenBytes is what one position takes.
func (s Shape) TokenBytes() int64 {
	row := elems[s.Elem].row + int64(s.Dim)*elems[s.Elem].number
	return 2 * row * int64(s.Layers) * int64(s.Heads)
}

// PageBytes is what one page takes.
func (s Shape) PageBytes() int64 { return s.TokenBytes() * int64(s.tokens()) }

func (s Shape) tokens() int {
	if s.PageTokens == 0 {
		return PageTokens
	}
	return s.PageTokens
}

// Store hands out the pages of one model. It may be used by several goroutines; a Sequence by one at a time.
type Store struct {
	shape Shape
	limit int // pages the budget allows

	mu    sync.Mutex
	free  []*page // zeroed
	made  int     // pages allocated so far
	inUse int
}

// FullError says that the budget does not have the pages that a reservation asks for.
type FullError struct {
	Needed, Left, Limit, Tokens int // pages, and positions in each
}

func (e *FullError) Error() string {
	return fmt.Sprintf("kv: a sequence needs %d more pages of %d tokens, %d of %d are left", e.Needed, e.Tokens, e.Left, e.Limit)
}

// NewStore makes a store that never holds more than budget bytes of pages. Nothing is allocated before it is needed.
func NewStore(shape Shape, budget int64) (*Store, error) {
	if shape.Layers < 1 || shape.Heads < 1 || shape.Dim < 1 || shape.PageTokens < 0 {
		return nil, fmt.Errorf("kv: found %d layers of %d heads of %d in pages of %d tokens, want at least 1 of each",
			shape.Layers, shape.Heads, shape.Dim, shape.PageTokens)
	}
	if shape.Elem == Q8_0 && shape.Dim%4 != 0 {
		return nil, fmt.Errorf("kv: found heads of %d in %s, want a multiple of 4", shape.Dim, shape.Elem)
	}
	shape.PageTokens = shape.tokens()
	if kernels.TilePositions%shape.PageTokens != 0 {
		return nil, fmt.Errorf("kv: found pages of %d tokens, want a divisor of %d", shape.PageTokens, kernels.TilePositions)
	}
	limit := budget / shape.PageBytes()
	if limit < 1 {
		return nil, fmt.Errorf("kv: found a budget of %d bytes, want at least the %d of one page", budget, shape.PageBytes())
	}
	return &Store{shape: shape, limit: int(min(limit, 1<<31-1))}, nil
}

// Shape is the shape the store was made with.
func (s *Store) Shape() Shape { return s.shape }

// Stats counts pages: Limit = what the budget allows, Made = allocated so far, InUse = owned by sequences.
type Stats struct {
	Limit, Made, InUse int
	PageBytes          int64
}

// Stats is the store's state now.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{Limit: s.limit, Made: s.made, InUse: s.inUse, PageBytes: s.shape.PageBytes()}
}

// take appends n pages to dst, or none.
func (s *Store) take(dst []*page, n int) ([]*page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := s.limit - s.inUse; n > left {
		return dst, &FullError{Needed: n, Left: left, Limit: s.limit, Tokens: s.shape.PageTokens}
	}
	for range n {
		if last := len(s.free) - 1; last >= 0 {
			dst, s.free = append(dst, s.free[last]), s.free[:last]
			continue
		}
		dst = append(dst, newPage(s.shape))
		s.made++
	}
	s.inUse += n
	return dst, nil
}

// give takes pages back. They are zeroed: what one sequence stored must not reach another.
func (s *Store) give(pages []*page) {
	for _, p := range pages {
		p.clear()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, pages...)
	s.inUse -= len(pages)
}
