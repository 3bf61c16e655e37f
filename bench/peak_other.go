//go:build !amd64 || purego

package bench

// peakLoop has no loop for this processor.
func peakLoop() (run func(n int), ops float64) { return nil, 0 }
