// Package testdata finds the real models, vocabularies and goldens that tests need and the repository does not hold.
package testdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared is the path of a file in the shared folder: $NRT_SHARED, or "shared" beside one of the folders above the
// test. The test skips where it is absent.
func Shared(tb testing.TB, name string) string {
	tb.Helper()
	if dir := os.Getenv("NRT_SHARED"); dir != "" {
		return existing(tb, filepath.Join(dir, name))
	}
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "shared", "DESIGN.md")); err == nil {
			return existing(tb, filepath.Join(dir, "shared", name))
		}
	}
	tb.Skipf("the shared folder is not here: set NRT_SHARED to run this test with %s", name)
	return ""
}

// SmolLM2 is the path of SmolLM2-135M-Instruct: $NRT_SMOLLM2, which `make test` sets, or a file in ~/.cache/nrt-test. The
// test skips where it is absent.
func SmolLM2(tb testing.TB) string {
	tb.Helper()
	if path := os.Getenv("NRT_SMOLLM2"); path != "" {
		return existing(tb, path)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		tb.Fatal(err)
	}
	return existing(tb, filepath.Join(home, ".cache", "nrt-test", "SmolLM2-135M-Instruct.Q4_1.gguf"))
}

func existing(tb testing.TB, path string) string {
	tb.Helper()
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("test material is not here: %v", err)
	}
	return path
}

// RealFaults skips a test that reads beyond a mapped file's end where a processor is emulated ($NRT_EMULATED, set by
// `make arm64`): qemu's user mode does not say at which address it happened, so a fault looks like a nil pointer.
func RealFaults(tb testing.TB) {
	tb.Helper()
	if os.Getenv("NRT_EMULATED") != "" {
		tb.Skip("emulated: a fault has no address here")
	}
}
