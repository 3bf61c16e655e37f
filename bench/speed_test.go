package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
)

// fakeClock goes on by itself: each look at it is tick later than the one before.
type fakeClock struct {
	at   time.Time
	tick time.Duration
}

func (c *fakeClock) now() time.Time {
	c.at = c.at.Add(c.tick)
	return c.at
}

// fakeSubject writes down what is asked of it; each token takes a second, rewinding an hour.
type fakeSubject struct {
	clock *fakeClock
	log   []string
	fail  int // the call that fails, from 1
}

var errFake = errors.New("no more")

func (f *fakeSubject) call(what string, takes time.Duration) error {
	f.log = append(f.log, what)
	f.clock.at = f.clock.at.Add(takes)
	if len(f.log) == f.fail {
		return errFake
	}
	return nil
}

func (f *fakeSubject) rewind(context.Context) error { return f.call("rewind", time.Hour) }

func (f *fakeSubject) prefill(_ context.Context, n int) error {
	return f.call(fmt.Sprintf("pp%d", n), time.Duration(n)*time.Second)
}

func (f *fakeSubject) decode(_ context.Context, n int) error {
	return f.call(fmt.Sprintf("tg%d", n), time.Duration(n)*time.Second)
}

// The warm-up is short and not timed, and neither is bringing the pages to the depth.
func TestMeasureTimesOnlyTheRuns(t *testing.T) {
	clock := &fakeClock{}
	s := &fakeSubject{clock: clock}
	steps := 0
	runs, err := measure(t.Context(), s, Test{Prompt: 100, Gen: 20, Batch: 64, Parallel: 1}, 2, clock.now, func() { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"rewind", "pp64", "tg4", "rewind", "pp100", "tg20", "rewind", "pp100", "tg20"}
	if !slices.Equal(s.log, want) {
		t.Errorf("calls are %q, want %q", s.log, want)
	}
	if !slices.Equal(runs, []time.Duration{120 * time.Second, 120 * time.Second}) || steps != 3 {
		t.Errorf("runs took %v in %d steps, want 2 of 2 minutes and 3 steps", runs, steps)
	}
}

func TestMeasureReportsFailures(t *testing.T) {
	for call := 1; call <= 6; call++ {
		clock := &fakeClock{}
		s := &fakeSubject{clock: clock, fail: call}
		runs, err := measure(t.Context(), s, Test{Prompt: 1, Gen: 1, Batch: 1, Parallel: 1}, 2, clock.now, func() {})
		if !errors.Is(err, errFake) || runs != nil {
			t.Errorf("call %d failed: %v, %v", call, runs, err)
		}
	}
}

func openStories(t *testing.T) *Model {
	t.Helper()
	m, err := OpenModel(testdata.Shared(t, "models/stories260K-f32.gguf"), kernels.Int8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// A run between two looks at a clock of a second a look takes a second: speeds are the tokens that tests count.
func TestMeasureModel(t *testing.T) {
	m := openStories(t)
	for _, test := range []Test{
		{Prompt: 20, Parallel: 1, Threads: 1, Batch: 8},
		{Gen: 5, Depth: 70, Parallel: 1, Threads: 2, Batch: 64},
		{Gen: 5, Depth: 9, Parallel: 3, Threads: 1, Batch: 2, KV: kv.F32},
		{Prompt: 10, Gen: 6, Parallel: 1, Threads: 1, Batch: 64},
	} {
		t.Run(test.Name(), func(t *testing.T) {
			r, err := m.Measure(t.Context(), test, Run{Reps: 3, Clock: (&fakeClock{tick: time.Second}).now})
			if err != nil {
				t.Fatal(err)
			}
			tokens := float64(test.Tokens())
			if want := (Samples{tokens, tokens, tokens}); !slices.Equal(r.SamplesTS, want) {
				t.Errorf("samples are %v, want %v", r.SamplesTS, want)
			}
			if r.AvgTS != tokens || r.MedianTS != tokens || r.StdDevTS != 0 || r.AvgNS != 1e9 {
				t.Errorf("average %v ± %v, median %v t/s, %v ns", r.AvgTS, r.StdDevTS, r.MedianTS, r.AvgNS)
			}
			if r.Test().Name() != test.Name() || r.TypeK != test.KV.String() || r.ModelParams != 260032 || r.ModelType != "llama 260K F32" {
				t.Errorf("record %+v of %+v", r, test)
			}
		})
	}
}

func TestMeasureRefuses(t *testing.T) {
	m := openStories(t)
	test := Test{Prompt: 500, Depth: 500, Parallel: 1, Threads: 1, Batch: 64}
	_, err := m.Measure(t.Context(), test, Run{Reps: 1})
	if err == nil || !strings.Contains(err.Error(), "pp500 @ d500 wants 1000 tokens of context, the model has 512") {
		t.Errorf("beyond the context: %v", err)
	}
	if _, err := m.Measure(t.Context(), Test{Prompt: 1, Parallel: 1, Threads: 1, Batch: 1}, Run{}); err == nil {
		t.Error("no repetitions were accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Measure(ctx, Test{Prompt: 1, Parallel: 1, Threads: 1, Batch: 1}, Run{Reps: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestMeasureLoad(t *testing.T) {
	path := testdata.Shared(t, "models/stories260K-f32.gguf")
	steps := 0
	r, err := MeasureLoad(t.Context(), path, 1, nil, Run{Reps: 2, Clock: (&fakeClock{tick: time.Second}).now, Step: func() { steps++ }})
	if err != nil {
		t.Fatal(err)
	}
	stage, all := Samples{1000, 1000}, Samples{4000, 4000}
	if !slices.Equal(r.Open, stage) || !slices.Equal(r.Vocabulary, stage) || !slices.Equal(r.Pack, stage) ||
		!slices.Equal(r.Prefill, stage) || !slices.Equal(r.Total, all) || steps != 3 || (runtime.GOOS == "linux" && r.PeakBytes < r.ModelSize) {
		t.Errorf("load %+v in %d steps", r, steps)
	}
	if _, err := MeasureLoad(t.Context(), path+".not", 1, nil, Run{Reps: 2}); err == nil {
		t.Error("a file that is not there was loaded")
	}
}
