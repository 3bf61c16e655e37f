package x86

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// An AVX2 machine has no registers above 15, no Z registers and no masks: avo's allocator would hand them out, and the
// assembler would encode them.
var avx512Only = regexp.MustCompile(`\b(?:[XYZ](?:1[6-9]|2[0-9]|3[01])|Z[0-9]|Z1[0-5]|K[0-7])\b`)

// Instructions on X and Y registers that only AVX-512 has.
var evexOnly = regexp.MustCompile(`\b(?:VP(?:AND|ANDN|OR|XOR)[DQ]|VMOVDQ[AU](?:8|16|32|64)|VPDPB?[A-Z]+|VPTERNLOG[DQ]|VPROL?[DQ]|VP(?:MIN|MAX|ABS|SRA|MULL)[A-Z]?Q|VPMOV(?:U?S)?[DQW][BWD]|\w+[._]BCST\w*)\b`)

func TestAVX2StaysAVX2(t *testing.T) {
	for _, name := range []string{"avx2_amd64.s", "avxvnni_amd64.s"} {
		t.Run(name, func(t *testing.T) { staysAVX2(t, name) })
	}
}

func staysAVX2(t *testing.T, name string) {
	text, err := os.ReadFile(filepath.Join("../../../kernels", name))
	if err != nil {
		t.Fatal(err)
	}
	function, vectors := "", 0
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "//")
		if name, ok := strings.CutPrefix(line, "TEXT "); ok {
			function = name
			continue
		}
		vectors += strings.Count(line, "Y")
		for _, forbidden := range []*regexp.Regexp{avx512Only, evexOnly} {
			if found := forbidden.FindString(line); found != "" {
				t.Errorf("line %d, %s: %s needs AVX-512", i+1, function, found)
			}
		}
	}
	if vectors == 0 {
		t.Errorf("no Y register in %s", name)
	}
}

// TestForms holds the two patterns against what they are for.
func TestForms(t *testing.T) {
	for line, want := range map[string]bool{
		"VPADDD Y1, Y2, Y15":         false,
		"VPADDD Y1, Y2, Y16":         true,
		"VADDPS X31, X1, X1":         true,
		"VPXOR (AX), Y1, Y1":         false,
		"VPXORD Y1, Y2, Y3":          true,
		"VMOVDQU 32(AX), Y1":         false,
		"VMOVDQU32 Z1, (AX)":         true,
		"VPDPBUSD.BCST (AX), Z1, Z2": true,
		"VPMOVZXBW (AX), Y1":         false,
		"VPMOVSXBW (AX), Y1":         false,
		"VPMOVUSDW Y1, X2":           true,
		"VPMAXSQ Y1, Y2, Y3":         true,
		"VPADDD Y1, Y2, K1, Y3":      true,
	} {
		if got := avx512Only.MatchString(line) || evexOnly.MatchString(line); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}
