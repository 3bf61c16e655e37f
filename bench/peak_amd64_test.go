//go:build !purego

package bench

import (
	"os"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// The loops hold as many instructions as their peaks are computed from, and end.
func TestPeakLoops(t *testing.T) {
	asm, err := os.ReadFile("peakloops_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	// The first instruction of a chain multiplies every byte of a register of 64 or 32.
	if n := strings.Count(string(asm), "\tVPDPBUSD Z"); n*2*64 != opsAVX512 {
		t.Errorf("%d VPDPBUSD are no %d operations", n, opsAVX512)
	}
	if n := strings.Count(string(asm), "\tVPMADDUBSW Y"); n*2*32 != opsAVX2 {
		t.Errorf("%d VPMADDUBSW are no %d operations", n, opsAVX2)
	}
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512VNNI) {
		peakAVX512(3)
	}
	if cpuid.CPU.Supports(cpuid.AVX2) {
		peakAVX2(3)
	}
}
