//go:build !purego

package bench

import "github.com/klauspost/cpuid/v2"

// peakAVX512 multiplies and adds bytes n times in sixteen chains of VPDPBUSD, which kernels on AVX-512 consist of. It
// touches no memory: nothing that this instruction is the heart of can be faster.
//
//go:noescape
func peakAVX512(n int64)

// peakAVX2 does so n times in five chains of VPMADDUBSW, VPMADDWD and VPADDD.
//
//go:noescape
func peakAVX2(n int64)

// Multiplications and additions of one turn.
const (
	opsAVX512 = 16 * 2 * 64
	opsAVX2   = 5 * 2 * 32
)

// peakLoop is the fastest of this processor, and the multiplications and additions of one turn.
func peakLoop() (run func(n int64), ops float64) {
	switch {
	case cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512VNNI):
		return peakAVX512, opsAVX512
	case cpuid.CPU.Supports(cpuid.AVX2):
		return peakAVX2, opsAVX2
	}
	return nil, 0
}
