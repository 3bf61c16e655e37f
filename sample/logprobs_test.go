package sample

import (
	"math"
	"strings"
	"testing"
)

func TestLogProbs(t *testing.T) {
	l := logits(1./8, 1./2, 1./16, 1./4, 1./16)
	own, best, err := LogProbs(l, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	near := func(got LogProb, id int32, p float64) {
		t.Helper()
		if got.ID != id || math.Abs(got.LogProb-math.Log(p)) > 1e-6 {
			t.Errorf("%+v, wanted token %d with ln %v = %v", got, id, p, math.Log(p))
		}
	}
	near(own, 2, 1./16)
	if len(best) != 3 {
		t.Fatalf("%d best, wanted 3", len(best))
	}
	near(best[0], 1, 1./2)
	near(best[1], 3, 1./4)
	near(best[2], 0, 1./8)

	for _, top := range []int{0, -1} {
		if own, best, err := LogProbs(l, 1, top); err != nil || len(best) != 0 {
			t.Errorf("the %d best: %v, %v", top, best, err)
		} else {
			near(own, 1, 1./2)
		}
	}
	if _, best, _ := LogProbs(l, 1, 99); len(best) != 5 {
		t.Errorf("the 99 best of 5: %v", best)
	}
}

func TestLogProbsRefuses(t *testing.T) {
	for _, c := range []struct {
		logits []float32
		chosen int32
		want   string
	}{
		{[]float32{1, 2}, 2, "sample: token chosen: found 2, wanted 0 to 1"},
		{[]float32{1, 2}, -1, "sample: token chosen: found -1, wanted 0 to 1"},
		{[]float32{1, float32(math.NaN())}, 0, "sample: logit of token 1: found NaN"},
		{nil, 0, "for all 0 tokens"},
	} {
		if _, _, err := LogProbs(c.logits, c.chosen, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("LogProbs(%v, %d): %v, wanted %q", c.logits, c.chosen, err, c.want)
		}
	}
	own, best, err := LogProbs([]float32{0, float32(math.Inf(-1))}, 1, 5)
	if err != nil || !math.IsInf(own.LogProb, -1) || len(best) != 1 {
		t.Errorf("a masked token: %v, %v, %v; wanted -Inf and one best", own, best, err)
	}
}
