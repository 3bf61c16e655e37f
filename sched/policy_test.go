package sched

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func newScheduler(t *testing.T, cfg Config, requests ...Request) *Scheduler {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	submit(t, s, requests...)
	return s
}

func submit(t *testing.T, s *Scheduler, requests ...Request) {
	t.Helper()
	for _, r := range requests {
		if err := s.Submit(r); err != nil {
			t.Fatal(err)
		}
	}
}

// stepsUntil takes steps, each with one more request of the stream, until id is admitted.
func stepsUntil(t *testing.T, s *Scheduler, id string, stream func(i int) Request) int {
	t.Helper()
	for i := range 500 {
		submit(t, s, stream(i))
		admitted := slices.Contains(s.Next().Admitted, id)
		s.Commit()
		if admitted {
			return i
		}
	}
	return -1
}

// S W3: a steady stream of more important requests keeps a waiting one out for ever, unless age counts.
func TestAgeing(t *testing.T) {
	stream := func(i int) Request { return Request{ID: fmt.Sprint("high", i), Priority: 3, Prompt: 16, Output: 1} }
	cfg := Config{PageTokens: 16, Pages: 8, Active: 1, Prefill: 96}
	low := Request{ID: "low", Prompt: 16, Output: 1}
	if n := stepsUntil(t, newScheduler(t, cfg, low), "low", stream); n != -1 {
		t.Errorf("without ageing admitted after %d steps: the test's stream is no steady one", n)
	}
	cfg.Ageing = 10
	// At the same class the older one goes first: three classes at ten steps each.
	if n := stepsUntil(t, newScheduler(t, cfg, low), "low", stream); n != 30 {
		t.Errorf("with ageing admitted after %d steps, want 30", n)
	}
}

// S W3: small requests that always fit pass a large one by, as long as its patience lasts.
func TestPatience(t *testing.T) {
	stream := func(i int) Request { return Request{ID: fmt.Sprint("small", i), Prompt: 16, Output: 8} }
	cfg := Config{PageTokens: 16, Pages: 8, Active: 8, Prefill: 256}
	setup := func(cfg Config) *Scheduler {
		s := newScheduler(t, cfg, Request{ID: "first", Prompt: 16, Output: 8})
		s.Next()
		s.Commit()
		submit(t, s, Request{ID: "large", Prompt: 120, Output: 8}) // all eight pages
		return s
	}
	if n := stepsUntil(t, setup(cfg), "large", stream); n != -1 {
		t.Errorf("without patience admitted after %d steps: the test's stream is no steady one", n)
	}
	cfg.Patience = 5
	// Steps 0 to 2 and then 7 and 8 admit a small one each, as pages come back; the last of them is done in step 15.
	if n := stepsUntil(t, setup(cfg), "large", stream); n != 16 {
		t.Errorf("with patience admitted after %d steps, want 16: once the five who passed are done", n)
	}
}

// A client that sends twenty requests gets no more than one that sends the same work alone.
func TestFairness(t *testing.T) {
	cfg := Config{PageTokens: 16, Pages: 100, Active: 2, Prefill: 64, Fair: true}
	var requests []Request
	for i := range 20 {
		requests = append(requests, Request{ID: fmt.Sprintf("many%02d", i), Client: "many", Prompt: 16, Output: 4})
	}
	for i := range 3 {
		requests = append(requests, Request{ID: fmt.Sprintf("one%02d", i), Client: "one", Prompt: 16, Output: 4})
	}
	s := newScheduler(t, cfg, requests...)
	var completed []string
	for s.Len() > 0 {
		s.Next()
		completed = append(completed, s.Commit()...)
	}
	if last := slices.Index(completed, "one02"); last > 6 {
		t.Errorf("the small client's third request is number %d to complete, want the two clients in turn: %q", last+1, completed[:last+1])
	}
}

// Who returns from idleness has no credit: it shares from then on.
func TestFairnessAfterIdleness(t *testing.T) {
	s := newScheduler(t, Config{PageTokens: 16, Pages: 100, Active: 1, Prefill: 64, Fair: true},
		Request{ID: "a0", Client: "a", Prompt: 64, Output: 9}, Request{ID: "a1", Client: "a", Prompt: 16, Output: 1})
	for range 9 {
		s.Next()
		s.Commit()
	}
	submit(t, s, Request{ID: "b0", Client: "b", Prompt: 16, Output: 1})
	if a, b := s.clients["a"].given, s.clients["b"].given; a != b || a != 64+8 {
		t.Errorf("accounts %d and %d, want both at 72: 64 tokens of prompt and eight fed back", a, b)
	}
}

// A request whose prompt is cached goes first, but by no more than the bonus.
func TestHitBonus(t *testing.T) {
	for _, c := range []struct {
		bonus int64
		want  string
	}{{0, "cold"}, {100, "warm"}} {
		s := newScheduler(t, Config{PageTokens: 16, Pages: 100, Active: 1, Prefill: 64, Fair: true, HitBonus: c.bonus},
			Request{ID: "cold", Client: "a", Prompt: 64, Output: 1}, Request{ID: "warm", Client: "b", Prompt: 64, Output: 1, Cached: 48})
		if got := s.Next().Admitted; len(got) != 1 || got[0] != c.want {
			t.Errorf("with a bonus of %d admitted %q, want %s", c.bonus, got, c.want)
		}
	}
}

// While others decode, a prompt is cut to what may be added to their step; alone, to the step's tokens.
func TestStretch(t *testing.T) {
	cfg := Config{PageTokens: 64, Pages: 100, Active: 8, Prefill: 512, Chunked: true, Stretch: 335, MinChunk: 4, Cost: Cost{Step: 20, Token: 1, Context: 1024}}
	s := newScheduler(t, cfg, Request{ID: "talks", Prompt: 1, Output: 100})
	s.Next()
	s.Commit()
	submit(t, s, Request{ID: "reads", Prompt: 1000, Output: 1})
	p := s.Next()
	s.Commit()
	// The one who decodes at position 1 costs 20 + 1 + 2, of which 335 % are 77; n tokens cost n + n(n+1)/2: 11 cost 77.
	if len(p.Prefill) != 1 || p.Prefill[0].Tokens != 11 {
		t.Fatalf("chunks %+v, want one of 11 tokens", p.Prefill)
	}
	for range 20 {
		p = s.Next()
		s.Commit()
	}
	// At this depth four tokens cost more than there is, and are granted all the same.
	if len(p.Prefill) != 1 || p.Prefill[0].Tokens != 4 {
		t.Errorf("chunks %+v, want one of MinChunk", p.Prefill)
	}
	s.Cancel("talks")
	if p = s.Next(); len(p.Prefill) != 1 || p.Prefill[0].Tokens != 512 {
		t.Errorf("chunks %+v with nobody decoding, want one of all the step's tokens", p.Prefill)
	}
}

// Where pages run out the last in order gives up its own, and comes back.
func TestSpill(t *testing.T) {
	s := newScheduler(t, Config{PageTokens: 4, Pages: 6, Active: 4, Prefill: 64, Admission: Grow},
		Request{ID: "a", Prompt: 8, Output: 12}, Request{ID: "b", Prompt: 8, Output: 12})
	var log []string
	for s.Len() > 0 {
		p := s.Next()
		if len(p.Spilled)+len(p.Restored) > 0 {
			log = append(log, fmt.Sprintf("%d: -%s +%s", p.Step, p.Spilled, p.Restored))
		}
		for _, id := range s.Commit() {
			log = append(log, fmt.Sprintf("%d: %s", p.Step, id))
		}
	}
	// In step 5 both hold three pages and want a fourth.
	want := "5: -[b] +[]; 11: a; 12: -[] +[b]; 18: b"
	if got := strings.Join(log, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCancel(t *testing.T) {
	s := newScheduler(t, Config{PageTokens: 16, Pages: 8, Active: 1, Prefill: 96},
		Request{ID: "a", Prompt: 16, Output: 9}, Request{ID: "b", Prompt: 16, Output: 9}, Request{ID: "c", Prompt: 16, Output: 9})
	s.Next()
	if !s.Cancel("a") || s.Pages() == 0 {
		t.Errorf("a request that a step computes keeps its %d pages until Commit", s.Pages())
	}
	if got := s.Commit(); !slices.Equal(got, []string{"a"}) || s.Pages() != 0 {
		t.Errorf("Commit gives %q and leaves %d pages, want the cancelled one and none", got, s.Pages())
	}
	if !s.Cancel("b") || s.Cancel("b") || s.Cancel("nobody") {
		t.Error("Cancel tells whether there was a request")
	}
	if p := s.Next(); !slices.Equal(p.Admitted, []string{"c"}) {
		t.Errorf("admitted %q, want the next in the queue", p.Admitted)
	}
	if got := s.Commit("c"); !slices.Equal(got, []string{"c"}) || s.Len() != 0 {
		t.Errorf("a stopped request: Commit gives %q and leaves %d", got, s.Len())
	}
}

// A request that is cancelled while its prompt is computed in pieces leaves at Commit.
func TestCancelPrompt(t *testing.T) {
	s := newScheduler(t, Config{PageTokens: 16, Pages: 8, Active: 1, Prefill: 16, Chunked: true}, Request{ID: "a", Prompt: 64, Output: 1})
	s.Next()
	s.Cancel("a")
	if s.Commit(); s.Len() != 0 || s.Pages() != 0 {
		t.Errorf("%d requests and %d pages are left", s.Len(), s.Pages())
	}
}

func TestDeadline(t *testing.T) {
	s := newScheduler(t, Config{PageTokens: 16, Pages: 8, Active: 1, Prefill: 96},
		Request{ID: "a", Prompt: 16, Output: 9}, Request{ID: "b", Prompt: 16, Output: 1, Deadline: 2}, Request{ID: "c", Prompt: 16, Output: 1, Deadline: 2})
	for range 3 {
		if p := s.Next(); len(p.Expired) > 0 {
			t.Fatalf("step %d: %q expired", p.Step, p.Expired)
		}
		s.Commit()
	}
	if p := s.Next(); !slices.Equal(p.Expired, []string{"b", "c"}) || p.Queued != 0 {
		t.Errorf("expired %q with %d queued, want b and c and none", p.Expired, p.Queued)
	}
}

// The cache may change while a request waits.
func TestCached(t *testing.T) {
	s := newScheduler(t, Config{PageTokens: 16, Pages: 8, Active: 1, Prefill: 96}, Request{ID: "a", Prompt: 64, Output: 1})
	if err := s.Cached("a", 48); err != nil {
		t.Fatal(err)
	}
	if err := s.Cached("a", 64); err == nil {
		t.Error("a prompt without a token to compute is taken")
	}
	p := s.Next()
	if want := (Chunk{ID: "a", From: 48, Tokens: 16, Last: true}); p.Prefill[0] != want || p.Prompt != 64 {
		t.Errorf("%+v of %d prompt tokens, want %+v of 64", p.Prefill[0], p.Prompt, want)
	}
	if err := s.Cached("a", 0); err == nil {
		t.Error("an admitted request waits no more")
	}
}
