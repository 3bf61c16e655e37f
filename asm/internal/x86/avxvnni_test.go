package x86

import (
	bytesof "encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	vexBytes     = regexp.MustCompile(`(?m)^\t(BYTE .*) // (.+)$`)
	disassembled = regexp.MustCompile(`(?m)^ *[0-9a-f]+:\t((?:[0-9a-f]{2} )+) *\t(.+)$`)
)

// TestVEXBytes holds every instruction that avxvnni writes as bytes against what objdump reads in them.
func TestVEXBytes(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not here (Debian: binutils)")
	}
	text, err := os.ReadFile(filepath.Join("../../../kernels", "avxvnni_amd64.s"))
	if err != nil {
		t.Fatal(err)
	}
	lines := vexBytes.FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "\tBYTE"); n != len(lines) || n == 0 {
		t.Fatalf("%d of %d lines of bytes have a mnemonic", len(lines), n)
	}
	var code []byte
	for _, l := range lines {
		b, err := bytesof.DecodeString(strings.NewReplacer("BYTE $0x", "", "; ", "").Replace(l[1]))
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, b...)
	}
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "i386:x86-64", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	read := disassembled.FindAllStringSubmatch(string(out), -1)
	if len(read) != len(lines) {
		t.Fatalf("objdump reads %d instructions in %d", len(read), len(lines))
	}
	for i, l := range lines {
		if got := strings.ReplaceAll(strings.TrimSpace(read[i][2]), ",", ", "); got != l[2] {
			t.Errorf("%s: objdump reads %s", l[2], got)
		}
	}
}
