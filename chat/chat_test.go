package chat

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"
)

func events(list []Event, err error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for _, ev := range list {
			if !yield(ev, nil) {
				return
			}
		}
		if err != nil {
			yield(Event{}, err)
		}
	}
}

func TestCollect(t *testing.T) {
	list := []Event{
		{Text: "Hel", Tokens: []int32{1}},
		{Tokens: []int32{2}},
		{Text: "lo", Tokens: []int32{3}},
		{Final: &Final{Reason: FinishStop, Generated: 3}},
	}
	a, err := Collect(events(list, nil))
	if err != nil || a.Text != "Hello" || !slices.Equal(a.Tokens, []int32{1, 2, 3}) || a.Reason != FinishStop || a.Generated != 3 {
		t.Errorf("got %+v, %v", a, err)
	}
	broken := errors.New("broken")
	a, err = Collect(events(list[:2], broken))
	if err != broken || a.Text != "Hel" || len(a.Tokens) != 2 {
		t.Errorf("after an error: %+v, %v; want what had come, and the error", a, err)
	}
}

func TestErrorf(t *testing.T) {
	cause := errors.New("the disk is on fire")
	err := fmt.Errorf("serving: %w", Errorf(ModelFailed, "engine: %s: %w", "x.gguf", cause))
	var e *Error
	if !errors.As(err, &e) || e.Code != ModelFailed || e.Error() != "engine: x.gguf: the disk is on fire" || !errors.Is(err, cause) {
		t.Errorf("got %#v", e)
	}
	if e := Errorf(Invalid, "n is %d", 3); e.Unwrap() != nil || e.Error() != "n is 3" {
		t.Errorf("got %#v", e)
	}
}

func TestRates(t *testing.T) {
	f := Final{PromptTokens: make([]int32, 30), CachedTokens: 10, Generated: 11, Timings: Timings{Prefill: time.Second / 2, Decode: 2 * time.Second}}
	if f.PrefillRate() != 40 || f.DecodeRate() != 5 {
		t.Errorf("got %g and %g tokens/s, want 40 and 5", f.PrefillRate(), f.DecodeRate())
	}
	none := Final{Generated: 1}
	if none.PrefillRate() != 0 || none.DecodeRate() != 0 {
		t.Errorf("nothing measured gives %g and %g, want 0", none.PrefillRate(), none.DecodeRate())
	}
}
