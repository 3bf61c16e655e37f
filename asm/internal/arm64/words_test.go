package arm64

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var rawWord = regexp.MustCompile(`\tWORD \$0x([0-9a-f]{8})(?: // (.+))?\n`)

// TestWords holds every machine word that Kernels writes against what GNU as makes of the mnemonic behind it.
func TestWords(t *testing.T) {
	as, err := exec.LookPath("aarch64-linux-gnu-as")
	if err != nil {
		t.Skip("aarch64-linux-gnu-as is not here (Debian: binutils-aarch64-linux-gnu)")
	}
	a := New()
	Kernels(a)
	words := distinct(rawWord.FindAllStringSubmatch(string(a.Text()), -1))
	source := ".arch armv8.6-a+i8mm\n"
	for _, w := range words {
		source += w[2] + "\n"
	}
	code := assemble(t, as, source)
	if len(words) < 100 || len(code) != 4*len(words) {
		t.Fatalf("%d bytes of code for %d words", len(code), len(words))
	}
	for i, w := range words {
		want := binary.LittleEndian.Uint32(code[4*i:])
		if got, err := strconv.ParseUint(w[1], 16, 32); err != nil || uint32(got) != want {
			t.Errorf("%s: %s, GNU as has %08x", w[2], w[1], want)
		}
	}
}

func distinct(lines [][]string) [][]string {
	seen := map[string]bool{}
	var kept [][]string
	for _, l := range lines {
		if !seen[l[0]] {
			seen[l[0]] = true
			kept = append(kept, l)
		}
	}
	return kept
}

// assemble returns the machine code of source.
func assemble(t *testing.T, as, source string) []byte {
	t.Helper()
	object, binary := filepath.Join(t.TempDir(), "o"), filepath.Join(t.TempDir(), "bin")
	cmd := exec.Command(as, "-o", object, "-")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", as, err, out)
	}
	objcopy := strings.TrimSuffix(as, "as") + "objcopy"
	if out, err := exec.Command(objcopy, "-O", "binary", "-j", ".text", object, binary).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", objcopy, err, out)
	}
	code, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestWordsWithoutMnemonic says that no word escapes the comparison above.
func TestWordsWithoutMnemonic(t *testing.T) {
	a := New()
	Kernels(a)
	text := a.Text()
	if n, all := len(rawWord.FindAll(text, -1)), bytes.Count(text, []byte("WORD")); n != all {
		t.Errorf("%d of %d words have the form that is compared", n, all)
	}
	for _, w := range rawWord.FindAllSubmatch(text, -1) {
		if len(w[2]) == 0 {
			t.Errorf("%s has no mnemonic", w[1])
		}
	}
}

// TestCommitted says that package kernels has what the generator writes today.
func TestCommitted(t *testing.T) {
	a := New()
	Kernels(a)
	for path, want := range map[string][]byte{"neon_arm64.s": a.Text(), "neon_arm64.go": a.Stubs("kernels")} {
		got, err := os.ReadFile(filepath.Join("../../../kernels", path))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("kernels/%s is out of date: go generate ./kernels", path)
		}
	}
}

// TestRegistersRunOut says that a kernel that needs more registers than there are does not come about.
func TestRegistersRunOut(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("33 vectors were found in 32 registers")
		}
	}()
	New().Vecs(33)
}
