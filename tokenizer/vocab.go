package tokenizer

import (
	"hash/maphash"
	"math/bits"
	"strings"
)

// texts is a list of strings in one block of memory, so that a vocabulary of 150,000 tokens is two objects to the
// garbage collector.
type texts struct {
	blob    string
	offsets []uint32 // n+1
}

func newTexts(list []string) texts {
	size := 0
	for _, s := range list {
		size += len(s)
	}
	blob := make([]byte, 0, size)
	offsets := make([]uint32, 0, len(list)+1)
	for _, s := range list {
		offsets = append(offsets, uint32(len(blob)))
		blob = append(blob, s...)
	}
	return texts{string(blob), append(offsets, uint32(len(blob)))}
}

func (t *texts) len() int { return len(t.offsets) - 1 }

// at is the text of id, which must be in range.
func (t *texts) at(id int32) string { return t.blob[t.offsets[id]:t.offsets[id+1]] }

func (t *texts) has(id int32) bool { return id >= 0 && int(id) < t.len() }

// textIndex finds the id of a text: open addressing over the ids, with 32 bits of each hash beside them so that a miss
// seldom looks at a text.
type textIndex struct {
	texts *texts
	slots []textSlot
	mask  uint64
	twice bool // there are equal texts
}

type textSlot struct {
	tag  uint32
	next int32 // id+1, 0 for an empty slot
}

var hashSeed = maphash.MakeSeed()

func hashOf(s string) uint64 { return maphash.String(hashSeed, s) }

// tableSize is the power of two that keeps a table of n entries at most half full.
func tableSize(n int) int { return 1 << bits.Len(uint(2*n|15)) }

// newTextIndex indexes the texts whose id keep accepts. Of equal texts the first wins; empty ones are left out.
func newTextIndex(t *texts, keep func(id int32) bool) *textIndex {
	size := tableSize(t.len())
	x := &textIndex{texts: t, slots: make([]textSlot, size), mask: uint64(size - 1)}
	for id := range int32(t.len()) {
		s := t.at(id)
		if s == "" || !keep(id) {
			continue
		}
		h := hashOf(s)
		if _, ok := x.find(s, h); ok {
			x.twice = true
			continue
		}
		at := h & x.mask
		for x.slots[at].next != 0 {
			at = (at + 1) & x.mask
		}
		x.slots[at] = textSlot{uint32(h >> 32), id + 1}
	}
	return x
}

// find is the id of s, whose hash is h.
func (x *textIndex) find(s string, h uint64) (int32, bool) {
	for at := h & x.mask; x.slots[at].next != 0; at = (at + 1) & x.mask {
		if slot := x.slots[at]; slot.tag == uint32(h>>32) && x.texts.at(slot.next-1) == s {
			return slot.next - 1, true
		}
	}
	return -1, false
}

func (x *textIndex) id(s string) (int32, bool) { return x.find(s, hashOf(s)) }

// joined is the id of left and right in one, for an index of all texts; guess is looked at first.
func (x *textIndex) joined(left, right string, guess int32) (int32, bool) {
	if !x.twice && x.texts.has(guess) {
		if s, ok := strings.CutPrefix(x.texts.at(guess), left); ok && s == right {
			return guess, true
		}
	}
	return x.id(left + right)
}

// pairTable holds the merges of BPE: (left, right) -> rank and the token they make.
type pairTable struct {
	slots []pairSlot
	shift uint
}

type pairSlot struct{ left, right, rank, id int32 } // left is -1 in an empty slot

func newPairTable(n int) *pairTable {
	size := tableSize(n)
	t := &pairTable{slots: make([]pairSlot, size), shift: uint(64 - bits.TrailingZeros(uint(size)))}
	for i := range t.slots {
		t.slots[i].left = -1
	}
	return t
}

func (t *pairTable) home(left, right int32) int {
	key := uint64(uint32(left))<<32 | uint64(uint32(right))
	key ^= key >> 29
	return int((key * 0x9E3779B97F4A7C15) >> t.shift)
}

// add enters a merge; the first of equal pairs, which has the lower rank, stays.
func (t *pairTable) add(left, right, rank, id int32) {
	mask := len(t.slots) - 1
	at := t.home(left, right) & mask
	for ; t.slots[at].left >= 0; at = (at + 1) & mask {
		if t.slots[at].left == left && t.slots[at].right == right {
			return
		}
	}
	t.slots[at] = pairSlot{left, right, rank, id}
}

// noRank stands for a pair that does not merge.
const noRank = int32(1<<31 - 1)

func (t *pairTable) pair(_ string, left, right int32) (rank, id int32) {
	mask := len(t.slots) - 1
	for at := t.home(left, right) & mask; t.slots[at].left >= 0; at = (at + 1) & mask {
		if s := &t.slots[at]; s.left == left && s.right == right {
			return s.rank, s.id
		}
	}
	return noRank, -1
}

// scoreTable makes SPM's merges of a vocabulary: any two neighbours whose joined text is a token merge, the one of the
// highest score first.
type scoreTable struct {
	index *textIndex
	ranks []int32 // by id: 0 for the highest score
}

func (t *scoreTable) pair(joined string, _, _ int32) (rank, id int32) {
	id, ok := t.index.id(joined)
	if !ok {
		return noRank, -1
	}
	return t.ranks[id], id
}
