//go:build !purego

package bench

import "github.com/klauspost/cpuid/v2"

// Multiplications and additions of one turn.
const (
	opsAVX512 = 16 * 2 * 64
	opsAVX2   = 5 * 2 * 32
)

// peakLoop is the fastest of this processor, and the multiplications and additions of one turn.
func peakLoop() (run func(n int), ops float64) {
	switch {
	case cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512VNNI):
		return peakAVX512, opsAVX512
	case cpuid.CPU.Supports(cpuid.AVX2):
		return peakAVX2, opsAVX2
	}
	return nil, 0
}
