package bench

import (
	"context"
	"fmt"
	"time"
)

// Method says in one line how speed is measured.
const Method = "each test: one warm-up run, then the timed runs on pages cleared back to the depth; " +
	"prompt and depth are random tokens of a fixed seed, tokens are what the model computes, t/s are tokens over wall time"

// Clock tells the time; time.Now outside tests.
type Clock func() time.Time

// subject is what speed is measured of.
type subject interface {
	// rewind brings the sequences to the test's depth, computing what is missing.
	rewind(ctx context.Context) error
	// prefill appends n tokens to the first sequence, in batches, and takes the logits of the last.
	prefill(ctx context.Context, n int) error
	// decode appends n tokens to every sequence, one forward for each token of all.
	decode(ctx context.Context, n int) error
}

// The warm-up computes no more than this: enough to touch every weight, page and buffer.
const warmGen = 4

// measure runs a test: a warm-up, then reps times. step is called after each of the reps+1 runs.
func measure(ctx context.Context, s subject, t Test, reps int, now Clock, step func()) ([]time.Duration, error) {
	runs := make([]time.Duration, 0, reps)
	if err := runOnce(ctx, s, min(t.Prompt, t.Batch), min(t.Gen, warmGen)); err != nil {
		return nil, err
	}
	step()
	for range reps {
		if err := s.rewind(ctx); err != nil {
			return nil, err
		}
		start := now()
		if err := compute(ctx, s, t.Prompt, t.Gen); err != nil {
			return nil, err
		}
		runs = append(runs, now().Sub(start))
		step()
	}
	return runs, nil
}

func runOnce(ctx context.Context, s subject, prompt, gen int) error {
	if err := s.rewind(ctx); err != nil {
		return err
	}
	return compute(ctx, s, prompt, gen)
}

func compute(ctx context.Context, s subject, prompt, gen int) error {
	if prompt > 0 {
		if err := s.prefill(ctx, prompt); err != nil {
			return err
		}
	}
	if gen > 0 {
		return s.decode(ctx, gen)
	}
	return nil
}

// Run is how a test is measured.
type Run struct {
	Reps  int
	Clock Clock  // nil is time.Now
	Step  func() // called after the warm-up and after each run; may be nil
}

// ready is r with its defaults.
func (r Run) ready() (Run, error) {
	if r.Reps < 1 {
		return r, fmt.Errorf("bench: found %d repetitions, want at least 1", r.Reps)
	}
	if r.Clock == nil {
		r.Clock = time.Now
	}
	if r.Step == nil {
		r.Step = func() {}
	}
	return r, nil
}

// Measure runs a test on a model.
func (m *Model) Measure(ctx context.Context, t Test, run Run) (Record, error) {
	if err := m.Check(t); err != nil {
		return Record{}, err
	}
	run, err := run.ready()
	if err != nil {
		return Record{}, err
	}
	s, err := m.session(t)
	if err != nil {
		return Record{}, err
	}
	defer s.close()
	started := run.Clock()
	runs, err := measure(ctx, s, t, run.Reps, run.Clock, run.Step)
	if err != nil {
		return Record{}, fmt.Errorf("bench: %s: %w", t.Name(), err)
	}
	return m.record(t, started, runs), nil
}
