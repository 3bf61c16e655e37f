package bench

import (
	"context"
	"fmt"
	"math"
)

// Quality is how well a model foretells a text.
type Quality struct {
	Positions int     // predictions that count
	NLL       float64 // mean negative log-likelihood of the true next token, nats
	StdErr    float64 // standard error of NLL, nats; 0 with fewer than two positions
}

// Perplexity is exp(NLL): the number of equally likely tokens that would be as hard to choose from.
func (q Quality) Perplexity() float64 { return math.Exp(q.NLL) }

// PerplexityErr is the standard error of Perplexity, to first order.
func (q Quality) PerplexityErr() float64 { return q.Perplexity() * q.StdErr }

// Perplexity scores the windows of a text. Of each window of n tokens the predictions after positions n/2 to n-2 count:
// the first half is context, so that no token is judged with nearly none. This is llama.cpp's method, and with the same
// window size its figures compare.
func Perplexity(ctx context.Context, s Scorer, windows [][]int32, progress Progress) (Quality, error) {
	var sum moments
	done, total := 0, count(windows)
	for i, window := range windows {
		if len(window) < 2 {
			return Quality{}, fmt.Errorf("bench: window %d has %d tokens, want at least 2", i, len(window))
		}
		err := score(ctx, s, window, len(window)/2, func(pos int, logits []float32) error {
			progress.report(done+pos+1, total)
			norm, err := logNorm(logits)
			if err != nil {
				return fmt.Errorf("window %d, position %d: %w", i, pos, err)
			}
			nll, err := negLogLikelihood(logits, norm, window[pos+1])
			if err != nil {
				return fmt.Errorf("window %d, position %d: %w", i, pos, err)
			}
			sum.add(nll)
			return nil
		})
		if err != nil {
			return Quality{}, err
		}
		done += len(window)
		progress.report(done, total)
	}
	if sum.n == 0 {
		return Quality{}, fmt.Errorf("bench: no position of %d windows counts: windows of at least 3 tokens are needed", len(windows))
	}
	return sum.quality(), nil
}

func negLogLikelihood(logits []float32, norm float64, target int32) (float64, error) {
	if target < 0 || int(target) >= len(logits) {
		return 0, fmt.Errorf("bench: token %d of the text is outside the vocabulary of %d", target, len(logits))
	}
	nll := norm - float64(logits[target])
	if math.IsInf(nll, 1) {
		return 0, fmt.Errorf("bench: the model rules out token %d, which follows in the text: its logit is -Inf", target)
	}
	return nll, nil
}

func count(windows [][]int32) int {
	total := 0
	for _, w := range windows {
		total += len(w)
	}
	return total
}

// moments are a running mean and variance (Welford), exact enough for any number of values.
type moments struct {
	n          int
	mean, sum2 float64
}

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.sum2 += d * (x - m.mean)
}

// stdErr is the standard error of the mean.
func (m *moments) stdErr() float64 {
	if m.n < 2 {
		return 0
	}
	return math.Sqrt(m.sum2 / float64(m.n-1) / float64(m.n))
}

func (m *moments) quality() Quality {
	return Quality{Positions: m.n, NLL: m.mean, StdErr: m.stdErr()}
}
