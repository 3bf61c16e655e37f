// Package bench measures: how fast a model runs and what memory it takes, each figure from runs of its own, and how good
// a model is on text that it did not write.
//
// Speed is prompt and generated tokens per second on a grid of lengths, depths, threads and batches, with a warm-up and
// several timed runs; the time to a first token; and each kernel beside what the machine reads and computes at most.
//
// Quality is perplexity, and how far a model's distributions stand from those of a reference (another runtime on the
// same weights, or the same model before quantization). It is teacher-forced: a window of text is scored as it stands,
// each window from an empty context, and the distribution after every prefix is held against the token that follows.
package bench

import (
	"context"
	"fmt"
)

// Scorer runs a model over a text as it stands. *nrt.Model is one.
type Scorer interface {
	// Score calls each once for every position in order, with the logits [vocab] after tokens[:pos+1]; the slice is
	// only valid during the call. A token outside the vocabulary is an error. An error from each ends the run and is
	// returned.
	Score(ctx context.Context, tokens []int32, each func(pos int, logits []float32) error) error
}

// Progress hears how many tokens of how many have run. It may be nil.
type Progress func(done, total int)

func (p Progress) report(done, total int) {
	if p != nil {
		p(done, total)
	}
}

// Windows cuts tokens into windows of size tokens that do not overlap. A rest shorter than a window is left out, except
// that a text shorter than one window is one window. Where bos is a token (not negative) it takes the place of each
// window's first token, as a model wants it that was trained with one at the start of every text.
func Windows(tokens []int32, size int, bos int32) ([][]int32, error) {
	if size < 2 || size > maxWindow {
		return nil, fmt.Errorf("bench: a window of %d tokens, want 2 to %d", size, maxWindow)
	}
	if len(tokens) < 2 {
		return nil, fmt.Errorf("bench: the text has %d tokens, want at least 2", len(tokens))
	}
	size = min(size, len(tokens))
	windows := make([][]int32, 0, len(tokens)/size)
	for ; len(tokens) >= size; tokens = tokens[size:] {
		window := append([]int32(nil), tokens[:size]...)
		if bos >= 0 {
			window[0] = bos
		}
		windows = append(windows, window)
	}
	return windows, nil
}

// score runs one window and calls each for the positions that have a next token in it, from position first on.
func score(ctx context.Context, s Scorer, window []int32, first int, each func(pos int, logits []float32) error) error {
	seen := 0
	last := len(window) - 1 // the last token has no successor to predict
	err := s.Score(ctx, window[:last], func(pos int, logits []float32) error {
		if pos != seen {
			return fmt.Errorf("bench: the scorer gave position %d, want %d", pos, seen)
		}
		seen++
		if pos < first {
			return nil
		}
		return each(pos, logits)
	})
	if err == nil && seen != last {
		err = fmt.Errorf("bench: the scorer gave %d positions of a window, want %d", seen, last)
	}
	return err
}
