package grammar

import (
	"bytes"
	"cmp"
	"slices"
)

// Vocab is the bytes of a vocabulary's tokens, in an order in which neighbours share their starts.
type Vocab struct {
	size   int
	ends   []int32 // tokens that end a text
	order  []int32 // ids of the tokens with bytes, by their bytes
	pieces [][]byte
	shared []int32 // bytes that order[i] shares with order[i-1]
}

// NewVocab makes the vocabulary of ids below size. piece is a token's bytes; tokens without any are control tokens and
// are never allowed, apart from ends, which may come where the text may end.
func NewVocab(size int, piece func(id int32) []byte, ends []int32) *Vocab {
	v := &Vocab{size: size, ends: ends, pieces: make([][]byte, size)}
	for id := range int32(size) {
		if slices.Contains(ends, id) {
			continue
		}
		if v.pieces[id] = piece(id); len(v.pieces[id]) > 0 {
			v.order = append(v.order, id)
		}
	}
	slices.SortFunc(v.order, func(a, b int32) int { return cmp.Or(bytes.Compare(v.pieces[a], v.pieces[b]), cmp.Compare(a, b)) })
	v.shared = make([]int32, len(v.order))
	for i := 1; i < len(v.order); i++ {
		v.shared[i] = int32(common(v.pieces[v.order[i-1]], v.pieces[v.order[i]]))
	}
	return v
}

func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// mask computes the tokens that may follow in a state: it walks the vocabulary in order and goes back no further than
// to what neighbours share, so every shared start is walked once.
func (m *machine) mask(from int32, v *Vocab) []uint64 {
	s := m.states[from]
	if s.mask != nil {
		return s.mask
	}
	mask := make([]uint64, (v.size+63)/64)
	walked := []int32{from} // walked[d] is the state after d bytes of the token at hand
	deadAt := int32(1 << 30)
	for i, id := range v.order {
		if v.shared[i] >= deadAt {
			continue // shares the bytes that led nowhere
		}
		deadAt = 1 << 30
		piece := v.pieces[id]
		walked = walked[:min(int(v.shared[i])+1, len(walked))]
		for d := len(walked) - 1; d < len(piece); d++ {
			to := m.step(walked[d], piece[d])
			if to == dead {
				deadAt = int32(d) + 1
				break
			}
			walked = append(walked, to)
		}
		if len(walked) > len(piece) {
			mask[id/64] |= 1 << (id % 64)
		}
	}
	if s.final {
		for _, id := range v.ends {
			mask[id/64] |= 1 << (id % 64)
		}
	}
	s.mask = mask
	m.masks++
	return mask
}
