package kernels

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/nrt-go/nrt/tensor"
)

// Pool runs loops on a fixed set of workers. Its caller is worker 0; the others are goroutines that watch for work for
// a moment after each loop and then sleep. Workers take the next chunk from one counter; a worker that wakes late
// finds the loop closed and is not waited for.
type Pool struct {
	workers int
	mu      sync.Mutex // one Run at a time

	// The loop in progress. Written only while no worker is inside.
	body       func(worker, start, end int)
	end, chunk int64
	next       atomic.Int64

	state   atomic.Uint64 // generation<<32 | open | closed pool | workers inside
	asleep  []atomic.Bool
	wake    []chan struct{}
	waiting atomic.Bool // Run sleeps until the last worker has left
	left    chan struct{}
	exited  sync.WaitGroup

	failure atomic.Pointer[error]
}

const (
	openBit    = 1 << 31
	stopBit    = 1 << 30
	insideMask = stopBit - 1
	spins      = 50_000 // under 0.1 ms: longer than what one worker does alone between two loops of a forward pass
)

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
	p := &Pool{workers: n, left: make(chan struct{}, 1)}
	p.asleep = make([]atomic.Bool, n)
	p.wake = make([]chan struct{}, n)
	for i := 1; i < n; i++ {
		p.wake[i] = make(chan struct{}, 1)
		p.exited.Add(1)
		go p.work(i)
	}
	return p
}

// Workers is the number of workers; body sees worker numbers below it.
func (p *Pool) Workers() int { return p.workers }

// Close stops the workers and waits for them. The pool must not be running.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Or(stopBit)
	p.wakeAll()
	p.exited.Wait()
}

// Run calls body for [0, n) in pieces of at most chunk, each by one worker, and returns when all are done. A fault in
// mapped memory comes back as a *tensor.FaultError, any other panic as a *PanicError; the pool stays usable.
func (p *Pool) Run(n, chunk int, body func(worker, start, end int)) error {
	if n <= 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.body, p.end, p.chunk = body, int64(n), int64(chunk)
	p.next.Store(0)
	if p.workers == 1 || n <= chunk {
		p.share(0)
	} else {
		p.state.Store((p.state.Load()>>32+1)<<32 | openBit)
		p.wakeAll()
		p.share(0)
		p.state.And(^uint64(openBit))
		p.waitInside()
	}
	p.body = nil
	if err := p.failure.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// share takes chunks until there are none. The first failure ends the loop for everybody.
func (p *Pool) share(worker int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer p.recovered()
	for {
		start := p.next.Add(p.chunk) - p.chunk
		if start >= p.end {
			return
		}
		p.body(worker, int(start), int(min(start+p.chunk, p.end)))
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
	p.next.Store(p.end)
}

// work is the life of workers 1 to n-1.
func (p *Pool) work(worker int) {
	defer p.exited.Done()
	var seen uint64
	for {
		state := p.await(worker, seen)
		switch {
		case state&stopBit != 0:
			return
		case !p.state.CompareAndSwap(state, state+1):
			continue // somebody else came or went; look again
		}
		seen = state >> 32
		p.share(worker)
		if p.state.Add(^uint64(0))&(openBit|insideMask) == 0 && p.waiting.CompareAndSwap(true, false) {
			p.left <- struct{}{}
		}
	}
}

// await returns the state once it shows a loop that this worker has not seen, or the end.
func (p *Pool) await(worker int, seen uint64) uint64 {
	for {
		for range spins {
			if s := p.state.Load(); isNews(s, seen) {
				return s
			}
			pause()
		}
		p.asleep[worker].Store(true)
		// The state may have changed before the waker could see the flag: whoever takes the flag down decides.
		if s := p.state.Load(); isNews(s, seen) && p.asleep[worker].CompareAndSwap(true, false) {
			return s
		}
		<-p.wake[worker]
	}
}

func isNews(state, seen uint64) bool {
	return state&stopBit != 0 || state&openBit != 0 && state>>32 != seen
}

func (p *Pool) wakeAll() {
	for i := 1; i < p.workers; i++ {
		if p.asleep[i].CompareAndSwap(true, false) {
			p.wake[i] <- struct{}{}
		}
	}
}

// waitInside returns when no worker is inside the loop any more. A worker that left an earlier loop may be late with
// its word and find Run waiting for others, so word of one is a reason to look again and no more.
func (p *Pool) waitInside() {
	for {
		for range spins {
			if p.state.Load()&insideMask == 0 {
				return
			}
			pause()
		}
		p.waiting.Store(true)
		if p.state.Load()&insideMask == 0 && p.waiting.CompareAndSwap(true, false) {
			return
		}
		<-p.left
	}
}

// pause is a step of a spin loop: not inlined, so that the loop has a place where the runtime can stop it.
//
//go:noinline
func pause() {}
