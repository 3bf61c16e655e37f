package engine

import (
	"context"
	"time"

	"github.com/nrt-go/nrt/packed"
)

// keeper writes packed weights to the cache, once, when there is nothing to compute after the first answers: these do not
// have to wait for it, and the following ones go on beside it.
type keeper struct {
	panels *packed.Panels // nil where activations meet the weights of the file
	notice func(string)
	grace  time.Duration // how long close waits for the writer
	begun  bool
	cancel context.CancelFunc
	done   chan struct{} // closed when the writer is done; nil where there is none
}

func newKeeper(panels *packed.Panels, notice func(string)) keeper {
	if notice == nil {
		notice = func(string) {}
	}
	if path, err := panels.Path(); err != nil {
		notice(err.Error())
	} else if path != "" {
		notice("packed weights: " + path)
	}
	return keeper{panels: panels, notice: notice, grace: grace}
}

// start begins to write what is worth it.
func (k *keeper) start() {
	if k.begun || k.panels == nil {
		return
	}
	k.begun = true
	if !k.panels.Worth() {
		return
	}
	var ctx context.Context
	ctx, k.cancel = context.WithCancel(context.Background())
	k.done = make(chan struct{})
	go func() {
		defer close(k.done)
		if path, err := k.panels.Save(ctx); err != nil {
			k.notice(err.Error())
		} else {
			k.notice("packed weights kept: " + path)
		}
	}()
}

// grace is what a writer has after the last answer: that may be the first one too, all that the process was for.
const grace = 3 * time.Second

// close ends the writer and gives the weights back.
func (k *keeper) close() error {
	k.begun = true
	if k.done != nil {
		late := time.AfterFunc(k.grace, k.cancel)
		<-k.done
		late.Stop()
		k.cancel()
	}
	if k.panels == nil {
		return nil
	}
	return k.panels.Close()
}
