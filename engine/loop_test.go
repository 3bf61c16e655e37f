package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/internal/testdata"
)

// mixed is n different requests: greedy and seeded ones, short and long prompts, some with a common start.
func mixed(n int) []*chat.Request {
	var all []*chat.Request
	for i := range n {
		prompt := fmt.Sprintf("Once upon a time there were %d dogs. %s", i, strings.Repeat("They ran and ran. ", i%5*4))
		if i%4 == 1 {
			prompt = fmt.Sprintf("Tom said %d times: I want to go out.", i)
		}
		req := greedy(prompt, 8+i%3*5)
		if i%2 == 1 {
			seed, hot := uint64(i), 1.2
			req.Sampling = chat.Sampling{Seed: &seed, Temperature: &hot}
		}
		all = append(all, req)
	}
	return all
}

// What a request gets back does not depend on who else is served, how many at once, in which order they came, what the
// cache holds, or how many threads compute.
func TestTogether(t *testing.T) {
	n := 24
	if testing.Short() {
		n = 8
	}
	requests := mixed(n)
	alone := open(t, "stories260K-q8_0.gguf", Config{Parallel: 1, Threads: 1})
	var want []chat.Answer
	for _, req := range requests {
		want = append(want, answerOf(t, alone, req))
	}
	for _, cfg := range []Config{{Parallel: 4, Threads: 2}, {Parallel: 24, Threads: 3}} {
		e := open(t, "stories260K-q8_0.gguf", cfg)
		order := rand.New(rand.NewPCG(1, uint64(cfg.Parallel)))
		for round := range 2 { // the second with a warm cache
			var wg sync.WaitGroup
			for _, i := range order.Perm(len(requests)) {
				wg.Go(func() {
					a, err := chat.Collect(e.Chat(context.Background(), requests[i]))
					if err != nil || !slices.Equal(a.Tokens, want[i].Tokens) || a.Text != want[i].Text || a.Reason != want[i].Reason {
						t.Errorf("%d together, round %d, request %d: %q %v, %v; alone %q", cfg.Parallel, round, i, a.Text, a.Reason, err, want[i].Text)
					}
				})
			}
			wg.Wait()
		}
	}
}

// A reader that leaves costs no further step: the pages of its answer are kept as cache or free, and others go on.
func TestLeavingTogether(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	want := answerOf(t, e, greedy("Tom and his mom", 60)).Tokens
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range e.Chat(context.Background(), greedy("Once upon a time", 400)) {
				break
			}
		})
	}
	if a := answerOf(t, e, greedy("Tom and his mom", 60)); !slices.Equal(a.Tokens, want) {
		t.Errorf("beside those who leave: %v, want %v", a.Tokens, want)
	}
	wg.Wait()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if s := e.pages.Stats(); s.InUse != 0 || len(e.answers) != 0 || e.sched.Len() != 0 || e.sched.Pages() != 0 {
		t.Errorf("at the end %d pages are in use, %d answers, %d requests with %d pages", s.InUse, len(e.answers), e.sched.Len(), e.sched.Pages())
	}
}

// Closing lets those finish that were begun and refuses those that wait.
func TestCloseWhileAnswering(t *testing.T) {
	e, err := Open(testdata.Shared(t, "models/stories260K-q8_0.gguf"), Config{Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	var begun, waiting error
	var first, second chat.Answer
	var wg, started sync.WaitGroup
	started.Add(1)
	wg.Go(func() {
		for ev, err := range e.Chat(context.Background(), greedy("Once upon a time", 400)) {
			if first.Generated == 0 && len(ev.Tokens) > 0 {
				started.Done()
			}
			first.Generated += len(ev.Tokens)
			begun = err
		}
	})
	started.Wait()
	closeInBackground(t, e)
	second, waiting = chat.Collect(e.Chat(context.Background(), greedy("Tom", 400)))
	wg.Wait()
	if begun != nil || first.Generated == 0 {
		t.Errorf("the answer that was begun: %d tokens, %v", first.Generated, begun)
	}
	// It was refused, unless the first had ended before.
	if waiting != nil && codeOf(waiting) != chat.Unavailable {
		t.Errorf("the answer that waited: %d tokens, %v", second.Generated, waiting)
	}
}

func closeInBackground(t *testing.T, e *Engine) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { <-done })
}
