//go:build unix

package main

import (
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/nrt-go/nrt/internal/testdata"
)

// Ctrl-C ends an answer of nrt run: what had come stands on a line of its own, and the shell learns why it ended.
func TestRunInterrupted(t *testing.T) {
	model := testdata.Shared(t, "models/stories260K-f32.gguf")
	cmd := exec.CommandContext(t.Context(), "nrt", "run", "-m", model, "--raw", "--temp", "0", "Once upon a time")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(out, first); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("nrt run: %v, want exit status %d", err, exitInterrupted)
	}
	if !strings.HasSuffix(string(rest), "\n") || stderr.Len() > 0 {
		t.Errorf("stdout %q, stderr %q, want a last line end and no complaint", rest, stderr.String())
	}
}
