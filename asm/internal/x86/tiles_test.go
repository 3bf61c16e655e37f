package x86

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/reg"
)

var rawBytes = regexp.MustCompile(`(?m)^\t((?:BYTE \$0x[0-9a-f]{2}(?:; )?)+) // (.+)$`)

// TestTileBytes holds every instruction that is written as bytes against what GNU as makes of the mnemonic behind it.
func TestTileBytes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("../../../kernels", "amx_amd64.s"))
	if err != nil {
		t.Fatal(err)
	}
	distinct, source := map[string]string{}, ""
	lines := rawBytes.FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "\tBYTE"); n != len(lines) || n == 0 {
		t.Fatalf("%d of %d lines of bytes have a mnemonic", len(lines), n)
	}
	for _, l := range lines {
		hex := strings.NewReplacer("BYTE $0x", "", "; ", "").Replace(l[1])
		if other, ok := distinct[l[2]]; ok && other != hex {
			t.Errorf("%s is %s and %s", l[2], hex, other)
		}
		distinct[l[2]] = hex
	}
	var order []string
	for mnemonic := range distinct {
		order = append(order, mnemonic)
		source += mnemonic + "\n"
	}
	for i, want := range assembled(t, source) {
		if got := distinct[order[i]]; got != want {
			t.Errorf("%s: %s, GNU as has %s", order[i], got, want)
		}
	}
}

// TestAddresses holds memory operands of every register against GNU as: some need one byte more than the others.
func TestAddresses(t *testing.T) {
	var codes []string
	source := ""
	registers := []reg.GPPhysical{reg.RAX, reg.RCX, reg.RDX, reg.RBX, reg.RBP, reg.RSI, reg.RDI, reg.R8, reg.R9, reg.R10,
		reg.R11, reg.R12, reg.R13, reg.R14, reg.R15}
	for _, base := range append(registers, reg.RSP) {
		for _, disp := range []int{0, 64, -128, 128, 4096, -4096} {
			for _, index := range registers {
				codes = append(codes, fmt.Sprintf("%x", vexMemory(vexF2, 0x4b, 5, base, index, disp)))
				source += "tileloadd " + address(base, index, disp) + ", %tmm5\n"
			}
			codes = append(codes, fmt.Sprintf("%x", vexMemory(vexNone, 0x49, 0, base, nil, disp)))
			source += "ldtilecfg " + address(base, nil, disp) + "\n"
		}
	}
	for i, want := range assembled(t, source) {
		if codes[i] != want {
			t.Errorf("%s: %s, GNU as has %s", strings.Split(source, "\n")[i], codes[i], want)
		}
	}
}

var listed = regexp.MustCompile(`(?m)^ +[0-9]+ [0-9a-f]{4} ((?:[0-9A-F]{2,8} )+)`)

// assembled returns the machine code of every line of source, in hexadecimal digits.
func assembled(t *testing.T, source string) []string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("as is GNU as of amd64 on Linux only")
	}
	as, err := exec.LookPath("as")
	if err != nil {
		t.Skip("as is not here (Debian: binutils)")
	}
	cmd := exec.Command(as, "-al", "--listing-lhs-width=4", "-o", filepath.Join(t.TempDir(), "o"), "-")
	cmd.Stdin = strings.NewReader(source)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", as, err, out)
	}
	var codes []string
	for _, m := range listed.FindAllStringSubmatch(string(out), -1) {
		codes = append(codes, strings.ToLower(strings.ReplaceAll(m[1], " ", "")))
	}
	if want := strings.Count(source, "\n"); len(codes) != want {
		t.Fatalf("%d instructions in the listing, want %d", len(codes), want)
	}
	return codes
}
