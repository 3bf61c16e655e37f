package kernels

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/nrt-go/nrt/tensor"
)

// Pool runs loops on a fixed set of workers. Its caller is worker 0; the others are goroutines that watch for work for
// a moment after each loop and then sleep. A loop is cut into one range for each worker; who is done with his own helps
// others with theirs. A worker that wakes late finds the loop closed and is not waited for.
type Pool struct {
	mu      sync.Mutex // one Run at a time
	workers []worker
	waiting atomic.Bool // Run sleeps until the last worker has left
	left    chan struct{}
	exited  sync.WaitGroup
	failure atomic.Pointer[error]

	_ [cacheLine]byte // workers watch what follows
	// The loop in progress. Written only while no worker is inside.
	body  func(worker, start, end int)
	chunk uint64        // the largest piece
	dealt int           // workers that have a range
	state atomic.Uint64 // generation<<2 | open | closed pool
	_     [cacheLine]byte
}

const (
	openBit = 1 << iota
	stopBit
	generation // of the loop, in the bits from here on

	spins = 50_000 // under 0.1 ms: longer than what one worker does alone between two loops of a forward pass
)

// worker is what others see of a worker, in cache lines of its own.
type worker struct {
	todo   atomic.Uint64 // its part of the loop: start<<32 | end
	inside atomic.Bool   // it may read the loop
	_      [cacheLine]byte

	asleep atomic.Bool
	wake   chan struct{}
	_      [cacheLine]byte
}

// PanicError is a panic of a loop's body, brought back to the caller of Run.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("kernels: a worker panicked: %v", e.Value) }

// NewPool starts a pool of n workers, the caller of Run among them; n = 0 asks for one per physical core.
func NewPool(n int) *Pool {
	if n <= 0 {
		n = Cores()
	}
	p := &Pool{workers: make([]worker, n), left: make(chan struct{}, 1)}
	for i := 1; i < n; i++ {
		p.workers[i].wake = make(chan struct{}, 1)
		p.exited.Add(1)
		go p.work(i)
	}
	return p
}

// Workers is the number of workers; body sees worker numbers below it.
func (p *Pool) Workers() int { return len(p.workers) }

// Close stops the workers and waits for them. The pool must not be running.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Or(stopBit)
	p.wakeAll()
	p.exited.Wait()
}

// smallRows is how many numbers of rows are so few that waking workers costs more than it saves.
const smallRows = 1 << 14

// Rows is Run for n rows of cols numbers each that meet a few operations.
func (p *Pool) Rows(n, cols int, body func(worker, start, end int)) error {
	chunk := n
	if n*cols > smallRows {
		chunk = (n + p.Workers() - 1) / p.Workers()
	}
	return p.Run(n, chunk, body)
}

// Run calls body for [0, n) in pieces of at most chunk, smaller ones towards the end, each by one worker, and returns
// when all are done. What is not more than a chunk the caller does alone. A fault in mapped memory comes back as a
// *tensor.FaultError, any other panic as a *PanicError; the pool stays usable.
func (p *Pool) Run(n, chunk int, body func(worker, start, end int)) error {
	if n <= 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.body, p.chunk = body, uint64(chunk)
	if p.Workers() == 1 || n <= chunk {
		p.deal(n, 1)
		p.share(0)
	} else {
		p.deal(n, p.Workers())
		open := p.state.Load()&^(openBit|stopBit) + generation | openBit
		p.state.Store(open)
		p.wakeAll()
		p.share(0)
		p.state.Store(open &^ openBit)
		p.waitInside()
	}
	p.body = nil
	if err := p.failure.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// share does pieces of the loop until there are none. The first failure ends it for everybody.
func (p *Pool) share(worker int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer p.recovered()
	for p.failure.Load() == nil {
		start, end := p.take(worker)
		if start == end {
			return
		}
		p.body(worker, start, end)
	}
}

// recovered must be deferred itself: recover works nowhere else.
func (p *Pool) recovered() {
	r := recover()
	if r == nil {
		return
	}
	var err error
	if fault, ok := r.(interface{ Addr() uintptr }); ok {
		err = &tensor.FaultError{Addr: fault.Addr()}
	} else {
		err = &PanicError{Value: r, Stack: debug.Stack()}
	}
	p.failure.CompareAndSwap(nil, &err)
}

// work is the life of workers 1 to n-1.
func (p *Pool) work(i int) {
	defer p.exited.Done()
	w, seen := &p.workers[i], uint64(0)
	for {
		state := p.await(w, seen)
		if state&stopBit != 0 {
			return
		}
		seen = state
		w.inside.Store(true)
		if p.state.Load() == state { // else the loop was closed before Run could see that a worker came
			p.share(i)
		}
		w.inside.Store(false)
		if p.waiting.Load() && p.waiting.CompareAndSwap(true, false) {
			p.left <- struct{}{}
		}
	}
}

// await returns the state once it shows a loop that this worker has not seen, or the end.
func (p *Pool) await(w *worker, seen uint64) uint64 {
	for {
		for range spins {
			if s := p.state.Load(); isNews(s, seen) {
				return s
			}
			pause()
		}
		w.asleep.Store(true)
		// The state may have changed before the waker could see the flag: whoever takes the flag down decides.
		if s := p.state.Load(); isNews(s, seen) && w.asleep.CompareAndSwap(true, false) {
			return s
		}
		<-w.wake
	}
}

func isNews(state, seen uint64) bool {
	return state&stopBit != 0 || state&openBit != 0 && state != seen
}

func (p *Pool) wakeAll() {
	for i := range p.workers {
		if w := &p.workers[i]; w.asleep.Load() && w.asleep.CompareAndSwap(true, false) {
			w.wake <- struct{}{}
		}
	}
}

// waitInside returns when no worker is inside the loop any more. A worker that left an earlier loop may be late with
// its word and find Run waiting for others, so word of one is a reason to look again and no more.
func (p *Pool) waitInside() {
	for {
		for range spins {
			if !p.anyInside() {
				return
			}
			pause()
		}
		p.waiting.Store(true)
		if !p.anyInside() && p.waiting.CompareAndSwap(true, false) {
			return
		}
		<-p.left
	}
}

func (p *Pool) anyInside() bool {
	for i := range p.workers {
		if p.workers[i].inside.Load() {
			return true
		}
	}
	return false
}

// pause is a step of a spin loop: not inlined, so that the loop has a place where the runtime can stop it.
//
//go:noinline
func pause() {}
