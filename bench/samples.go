package bench

import (
	"math"
	"slices"
)

// Samples are the figures of repeated runs.
type Samples []float64

// Mean is the arithmetic mean.
func (s Samples) Mean() float64 {
	var sum float64
	for _, x := range s {
		sum += x
	}
	return sum / float64(max(len(s), 1))
}

// StdDev is the sample standard deviation; 0 with fewer than two.
func (s Samples) StdDev() float64 {
	if len(s) < 2 {
		return 0
	}
	mean, sum := s.Mean(), 0.0
	for _, x := range s {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / float64(len(s)-1))
}

// Median is the middle one; between the middle two, their mean.
func (s Samples) Median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Min is the smallest; 0 where there is none.
func (s Samples) Min() float64 {
	if len(s) == 0 {
		return 0
	}
	return slices.Min(s)
}

// Max is the largest; 0 where there is none.
func (s Samples) Max() float64 {
	if len(s) == 0 {
		return 0
	}
	return slices.Max(s)
}

// Overlaps says whether the spreads of s and o, least to largest, have a point in common.
func (s Samples) Overlaps(o Samples) bool { return s.Min() <= o.Max() && o.Min() <= s.Max() }
