package engine

import (
	"context"
	"sync"
	"time"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/sched"
)

var errClosed = chat.Errorf(chat.Unavailable, "engine: the model is closed")

// desk is where callers leave answers for the loop.
type desk struct {
	mu       sync.Mutex
	arrivals []*answer
	count    uint64
	closed   bool
	wake     chan struct{} // holds a token while there is something the loop has not looked at
}

// submit hands an answer to the loop.
func (e *Engine) submit(a *answer) error {
	e.desk.mu.Lock()
	defer e.desk.mu.Unlock()
	if e.desk.closed {
		return errClosed
	}
	e.desk.count++
	a.number(e.desk.count)
	e.desk.arrivals = append(e.desk.arrivals, a)
	e.desk.ring()
	return nil
}

// leave says that nobody reads an answer any more.
func (e *Engine) leave(a *answer) {
	a.left.Store(true)
	e.desk.ring()
}

func (d *desk) ring() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// collect takes what has arrived; closed says that nothing will follow.
func (d *desk) collect() (arrivals []*answer, closed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	arrivals, d.arrivals = d.arrivals, nil
	return arrivals, d.closed
}

func (d *desk) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.ring()
}

// loop computes steps as long as there are answers to give. It ends once the engine is closed and those that were
// begun are complete.
func (e *Engine) loop() {
	defer close(e.ended)
	for {
		arrivals, closed := e.desk.collect()
		if len(arrivals) == 0 && e.sched.Len() == 0 {
			if closed {
				return
			}
			<-e.desk.wake
			continue
		}
		<-e.turn
		refused := e.broken()
		e.dismiss(refused, closed)
		if refused == nil && closed {
			refused = errClosed
		}
		e.welcome(arrivals, refused)
		if e.sched.Len() > 0 {
			e.step()
		}
		e.release()
	}
}

// dismiss ends the answers that nobody reads, all of them once the model has failed, and where the engine is closed
// those that were not begun. It comes before the welcome of others, which may go on from their pages.
func (e *Engine) dismiss(failed error, closed bool) {
	for _, a := range e.answers {
		switch {
		case a.left.Load():
			e.retire(a, context.Canceled)
		case failed != nil:
			e.retire(a, failed)
		case closed && a.started.IsZero():
			e.retire(a, errClosed)
		}
	}
}

// welcome gives the scheduler what has arrived, or refuses it.
func (e *Engine) welcome(arrivals []*answer, refused error) {
	for _, a := range arrivals {
		if refused != nil {
			a.box.end(refused)
			continue
		}
		r := sched.Request{ID: a.id, Prompt: len(a.prompt), Output: a.limit}
		if a.kept = e.prefixes.take(a.prompt); a.kept != nil {
			r.Cached = len(a.kept.tokens)
		}
		e.answers[a.id] = a
		if err := e.sched.Submit(r); err != nil {
			e.retire(a, chat.Errorf(chat.ContextTooLong, "engine: %w", err))
		}
	}
}

// retire ends an answer, whatever its state: err goes to its reader where no closing event has. Its pages stay for the
// next turn.
func (e *Engine) retire(a *answer, err error) {
	a.box.end(err)
	e.sched.Cancel(a.id)
	delete(e.answers, a.id)
	if a.kept == nil {
		return
	}
	if len(a.kept.tokens) == 0 || e.failed != nil {
		a.kept.seq.Free()
	} else {
		e.prefixes.put(a.kept)
	}
	a.kept = nil
}

// step computes one plan of the scheduler.
func (e *Engine) step() {
	plan := e.sched.Next()
	for _, id := range plan.Admitted {
		e.begin(e.answers[id])
	}
	e.assemble(plan)
	logits := e.computeParts()
	complete := e.draw(logits)
	ids := make([]string, len(complete))
	for i, a := range complete {
		ids[i] = a.id
	}
	e.sched.Commit(ids...)
	for _, a := range complete {
		e.retire(a, nil)
	}
}

// begin is an answer's admission.
func (e *Engine) begin(a *answer) {
	if a.kept == nil {
		a.kept = &prefix{seq: e.pages.NewSequence()}
	}
	a.started = time.Now()
	a.final.CachedTokens = len(a.kept.tokens)
	a.final.Timings.Queue = a.started.Sub(a.asked)
}
