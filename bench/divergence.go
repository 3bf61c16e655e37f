package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
)

// Divergence is how far a model's next-token distributions stand from a reference's on the same prefixes.
type Divergence struct {
	Positions int

	// Kullback-Leibler divergence KL(reference || ours), nats: 0 where the two agree.
	MeanKL, MeanKLErr        float64 // and the standard error of the mean
	MedianKL, P99KL, MaxKL   float64
	SameTop                  float64 // share of positions at which both have the same likeliest token, 0 to 1
	Ours, Reference          Quality // both on these same positions
	WorstWindow, WorstInside int     // where MaxKL is: the window, and the position in it
}

// PerplexityRatio is how much harder the text is for ours than for the reference: 1 where they are equal.
func (d Divergence) PerplexityRatio() float64 { return math.Exp(d.Ours.NLL - d.Reference.NLL) }

// Diverge runs s over the windows of a logits file and compares at every position that the file has a row for. It holds
// one row of the file at a time and 8 bytes for each position.
func Diverge(ctx context.Context, s Scorer, ref io.Reader, progress Progress) (Divergence, error) {
	file, err := newLogitsReader(ref)
	if err != nil {
		return Divergence{}, err
	}
	var c comparison
	size := int(file.Size)
	for i := range int(file.Windows) {
		window, err := file.tokens(i)
		if err != nil {
			return Divergence{}, err
		}
		err = score(ctx, s, window, int(file.First), func(pos int, ours []float32) error {
			progress.report(i*size+pos+1, int(file.Windows)*size)
			theirs, err := file.next(i, pos)
			if err != nil {
				return err
			}
			if err := c.add(theirs, ours, window[pos+1], i, pos); err != nil {
				return fmt.Errorf("window %d, position %d: %w", i, pos, err)
			}
			return nil
		})
		if err != nil {
			return Divergence{}, err
		}
		progress.report((i+1)*size, int(file.Windows)*size)
	}
	if err := file.end(); err != nil {
		return Divergence{}, err
	}
	return c.divergence(), nil
}

// comparison gathers the positions one by one.
type comparison struct {
	kls               []float64
	kl, ours, theirs  moments
	same              int
	worst             float64
	worstWin, worstIn int
}

func (c *comparison) add(theirs, ours []float32, target int32, window, pos int) error {
	if len(theirs) != len(ours) {
		return fmt.Errorf("bench: the reference has a vocabulary of %d tokens, the model one of %d: they are not the same model", len(theirs), len(ours))
	}
	theirNorm, err := logNorm(theirs)
	if err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	ourNorm, err := logNorm(ours)
	if err != nil {
		return err
	}
	theirNLL, err := negLogLikelihood(theirs, theirNorm, target)
	if err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	ourNLL, err := negLogLikelihood(ours, ourNorm, target)
	if err != nil {
		return err
	}
	kl := divergence(theirs, ours, theirNorm, ourNorm)
	if math.IsInf(kl, 1) {
		return fmt.Errorf("bench: the model rules out a token that the reference does not: the divergence is infinite")
	}
	if kl > c.worst {
		c.worst, c.worstWin, c.worstIn = kl, window, pos
	}
	if top(theirs) == top(ours) {
		c.same++
	}
	c.kls = append(c.kls, kl)
	c.kl.add(kl)
	c.ours.add(ourNLL)
	c.theirs.add(theirNLL)
	return nil
}

func (c *comparison) divergence() Divergence {
	slices.Sort(c.kls)
	return Divergence{
		Positions: c.kl.n,
		MeanKL:    c.kl.mean, MeanKLErr: c.kl.stdErr(),
		MedianKL: quantile(c.kls, 0.5), P99KL: quantile(c.kls, 0.99), MaxKL: c.worst,
		SameTop: float64(c.same) / float64(c.kl.n),
		Ours:    c.ours.quality(), Reference: c.theirs.quality(),
		WorstWindow: c.worstWin, WorstInside: c.worstIn,
	}
}

// quantile is the smallest of the sorted values that at least the share q of them does not exceed (nearest rank).
func quantile(sorted []float64, q float64) float64 {
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}
