package kernels

// How workers share out a loop. Each begins with a range of its own, so that it streams through neighbouring weights
// and mostly writes to its own cache line; one counter for all would be fetched from another core for every piece.

// deal cuts [0, n) into ranges for the first workers of the pool, who are the ones to share it.
func (p *Pool) deal(n, workers int) {
	p.dealt = workers
	for i := range workers {
		p.workers[i].todo.Store(span(uint64(i*n/workers), uint64((i+1)*n/workers)))
	}
}

func span(start, end uint64) uint64 { return start<<32 | end }

func ends(span uint64) (start, end uint64) { return span >> 32, span & (1<<32 - 1) }

// take returns the next piece for a worker, an empty one where nothing is left: the first half of its own range, at
// most a chunk. The other half is what a worker without work may take.
func (p *Pool) take(worker int) (start, end int) {
	w := &p.workers[worker]
	for {
		all := w.todo.Load()
		first, last := ends(all)
		if first == last {
			if !p.steal(worker) {
				return 0, 0
			}
			continue
		}
		next := first + min(p.chunk, (last-first+1)/2)
		if w.todo.CompareAndSwap(all, span(next, last)) {
			return int(first), int(next)
		}
	}
}

// steal moves the second half of somebody's range to a worker that has none. It returns false where nobody has any.
func (p *Pool) steal(worker int) bool {
	for i := 1; i < p.dealt; i++ {
		victim := &p.workers[(worker+i)%p.dealt]
		for {
			all := victim.todo.Load()
			first, last := ends(all)
			if first == last {
				break
			}
			middle := first + (last-first)/2
			if victim.todo.CompareAndSwap(all, span(first, middle)) {
				p.workers[worker].todo.Store(span(middle, last))
				return true
			}
		}
	}
	return false
}
