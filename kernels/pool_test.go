package kernels

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

func TestPoolCoversEveryIndexOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		pool := NewPool(workers)
		for _, n := range []int{0, 1, 2, 7, 64, 1000} {
			for _, chunk := range []int{1, 3, 64, 2000} {
				seen := make([]atomic.Int32, n)
				err := pool.Run(n, chunk, func(worker, start, end int) {
					if worker < 0 || worker >= workers || end-start > chunk {
						t.Errorf("worker %d of %d got [%d, %d) with chunk %d", worker, workers, start, end, chunk)
					}
					for i := start; i < end; i++ {
						seen[i].Add(1)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				for i := range seen {
					if c := seen[i].Load(); c != 1 {
						t.Fatalf("workers=%d n=%d chunk=%d: index %d was done %d times", workers, n, chunk, i, c)
					}
				}
			}
		}
		pool.Close()
	}
}

func TestPoolManySmallLoops(t *testing.T) {
	pool := NewPool(3)
	defer pool.Close()
	var sum atomic.Int64
	add := func(_, start, end int) { sum.Add(int64(end - start)) }
	for i := range 20000 {
		if err := pool.Run(5, 1, add); err != nil {
			t.Fatal(err)
		}
		if got, want := sum.Load(), int64(5*(i+1)); got != want {
			t.Fatalf("after loop %d: %d done, want %d", i, got, want)
		}
		if i%1000 == 0 {
			runtime.GC() // must not hang on a spinning worker
		}
	}
}

func TestPoolBringsPanicsBackAndStaysUsable(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	for range 100 {
		err := pool.Run(100, 1, func(_, start, _ int) {
			if start == 37 {
				panic("thirty-seven")
			}
		})
		var p *PanicError
		if !errors.As(err, &p) || p.Value != "thirty-seven" || !strings.Contains(string(p.Stack), "pool_test.go") {
			t.Fatalf("Run = %v, want the panic with its stack", err)
		}
		if err := pool.Run(100, 1, func(_, _, _ int) {}); err != nil {
			t.Fatalf("the loop after a panic: %v", err)
		}
	}
}

func TestPoolAllocatesNothing(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	body := func(_, _, _ int) {}
	if n := testing.AllocsPerRun(100, func() { _ = pool.Run(10, 1, body) }); n != 0 {
		t.Errorf("a loop allocates %g times", n)
	}
}

func TestCores(t *testing.T) {
	if n := Cores(); n < 1 || n > runtime.GOMAXPROCS(0) {
		t.Errorf("Cores() = %d with GOMAXPROCS %d", n, runtime.GOMAXPROCS(0))
	}
}

// TestPoolLateWord gives Run the word of a worker that left an earlier loop, late: it must go on waiting for the worker
// that is inside this one.
func TestPoolLateWord(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	inside, release, returned := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(returned)
		err := pool.Run(2, 1, func(worker, _, _ int) {
			if worker == 0 {
				<-inside
				return
			}
			close(inside)
			<-release
		})
		if err != nil {
			t.Error(err)
		}
	}()
	<-inside
	awaitWaiting(pool, nil)
	pool.waiting.Store(false)
	pool.left <- struct{}{}
	if !awaitWaiting(pool, returned) {
		t.Error("Run returned while a worker was inside")
	}
	close(release)
	<-returned
}

// awaitWaiting returns true once Run sleeps until the last worker has left, false when it has returned.
func awaitWaiting(pool *Pool, returned chan struct{}) bool {
	for !pool.waiting.Load() {
		select {
		case <-returned:
			return false
		default:
			runtime.Gosched()
		}
	}
	return true
}
