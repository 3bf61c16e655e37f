package tokenizer

// pairer says whether two neighbouring symbols merge: the rank of the merge, lower ones first, noRank for none, and the
// token they make. joined is the text of both, left and right are their tokens, -1 where they are none.
type pairer interface {
	pair(joined string, left, right int32) (rank, id int32)
}

// shortWord is the number of symbols up to which looking at all pairs anew beats a heap.
const shortWord = 40

// merger is the working memory of merging one word. ids[i] is the token of symbol i, -1 for a symbol that is none; it
// spans starts[i] to starts[i+1] of the word.
type merger struct {
	ids    []int32
	starts []int32
	ranks  []int32 // of the pair (i, i+1)
	made   []int32 // what that pair makes
	links  []link
	heap   []candidate
}

// merge brings the word's symbols together: always the pair of the lowest rank, of equals the leftmost.
func (m *merger) merge(word string, p pairer) {
	switch n := len(m.ids); {
	case n < 2:
	case n <= shortWord:
		m.mergeShort(word, p)
	default:
		m.mergeLong(word, p)
	}
}

func (m *merger) mergeShort(word string, p pairer) {
	n := len(m.ids)
	m.ranks, m.made = m.ranks[:0], m.made[:0]
	for i := range n - 1 {
		rank, id := p.pair(word[m.starts[i]:m.starts[i+2]], m.ids[i], m.ids[i+1])
		m.ranks, m.made = append(m.ranks, rank), append(m.made, id)
	}
	for len(m.ranks) > 0 {
		best := 0
		for i, rank := range m.ranks {
			if rank < m.ranks[best] {
				best = i
			}
		}
		if m.ranks[best] == noRank {
			return
		}
		m.ids[best] = m.made[best]
		m.ids = remove(m.ids, best+1)
		m.starts = remove(m.starts, best+1)
		m.ranks = remove(m.ranks, best)
		m.made = remove(m.made, best)
		for i := max(best-1, 0); i <= best && i < len(m.ranks); i++ {
			m.ranks[i], m.made[i] = p.pair(word[m.starts[i]:m.starts[i+2]], m.ids[i], m.ids[i+1])
		}
	}
}

func remove(s []int32, i int) []int32 {
	copy(s[i:], s[i+1:])
	return s[:len(s)-1]
}

// link is a symbol in the list that mergeLong works on; a symbol that was merged into its left neighbour has end 0.
type link struct{ prev, next, end int32 }

// candidate is a merge that was possible when it entered the heap: of the symbol at left, which ended at mid, with its
// neighbour, which ended at end.
type candidate struct{ rank, left, mid, end, id int32 }

func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.left < d.left
}

// mergeLong does mergeShort's work in n log n.
func (m *merger) mergeLong(word string, p pairer) {
	n := int32(len(m.ids))
	m.links, m.heap = m.links[:0], m.heap[:0]
	for i := range n {
		m.links = append(m.links, link{i - 1, i + 1, m.starts[i+1]})
	}
	for i := range n - 1 {
		m.offer(word, p, i)
	}
	for len(m.heap) > 0 {
		c := m.pop()
		left := &m.links[c.left]
		if left.end != c.mid || left.next == n || m.links[left.next].end != c.end {
			continue
		}
		right := &m.links[left.next]
		m.ids[c.left], left.end, left.next, right.end = c.id, c.end, right.next, 0
		if left.next < n {
			m.links[left.next].prev = c.left
			m.offer(word, p, c.left)
		}
		if left.prev >= 0 {
			m.offer(word, p, left.prev)
		}
	}
	m.gather(n)
}

// gather moves the symbols that are left to the front.
func (m *merger) gather(n int32) {
	kept := int32(0)
	for i := int32(0); i < n; i = m.links[i].next {
		m.ids[kept], m.starts[kept] = m.ids[i], m.starts[i]
		kept++
	}
	m.ids = m.ids[:kept]
	m.starts = append(m.starts[:kept], m.starts[n])
}

// offer puts the merge of symbol i with its right neighbour on the heap, if there is one.
func (m *merger) offer(word string, p pairer, i int32) {
	left := m.links[i]
	right := m.links[left.next]
	rank, id := p.pair(word[m.starts[i]:right.end], m.ids[i], m.ids[left.next])
	if rank == noRank {
		return
	}
	m.heap = append(m.heap, candidate{rank, i, left.end, right.end, id})
	for at := len(m.heap) - 1; at > 0; {
		parent := (at - 1) / 2
		if !m.heap[at].before(m.heap[parent]) {
			return
		}
		m.heap[at], m.heap[parent] = m.heap[parent], m.heap[at]
		at = parent
	}
}

func (m *merger) pop() candidate {
	top, last := m.heap[0], len(m.heap)-1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	for at := 0; ; {
		child := 2*at + 1
		if child >= last {
			return top
		}
		if child+1 < last && m.heap[child+1].before(m.heap[child]) {
			child++
		}
		if !m.heap[child].before(m.heap[at]) {
			return top
		}
		m.heap[at], m.heap[child] = m.heap[child], m.heap[at]
		at = child
	}
}
