//go:build !amd64 || purego

package bench

// peakLoop has no loop for this processor.
func peakLoop() (run func(n int64), ops float64) { return nil, 0 }
