package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/kernels"
)

// TestMain lets the test binary be nrt: scripts and terminal tests find it in PATH.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"nrt": main})
}

// testModels are the files that scripts name by variables; a script says [have:NAME] where it needs one.
var testModels = []struct {
	name string
	find func(testing.TB) string
}{
	{"STORIES", func(t testing.TB) string { return testdata.Shared(t, "models/stories260K-f32.gguf") }},
	{"STORIES_Q8", func(t testing.TB) string { return testdata.Shared(t, "models/stories260K-q8_0.gguf") }},
	{"VOCAB", func(t testing.TB) string { return testdata.Shared(t, "vocab/ggml-vocab-gpt-2.gguf") }},
	{"SMOLLM2", testdata.SmolLM2},
}

func TestScripts(t *testing.T) {
	found := map[string]string{}
	for _, m := range testModels {
		t.Run(m.name, func(t *testing.T) { found[m.name] = m.find(t) })
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for name, path := range found {
				env.Setenv(name, path)
			}
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "panels" { // the kernels in use read weights in an order of their own
				return kernels.Supported()[0].Name != "generic", nil
			}
			name, ok := strings.CutPrefix(cond, "have:")
			if !ok {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			_, have := found[name]
			return have, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"oneline": oneLineOnStderr},
	})
}

var wholeLine = regexp.MustCompile(`^nrt: [^\n]+\n$`)

// oneLineOnStderr is the command "oneline": the last command must have complained in exactly one line, and printed
// nothing.
func oneLineOnStderr(ts *testscript.TestScript, _ bool, _ []string) {
	if got := ts.ReadFile("stderr"); !wholeLine.MatchString(got) {
		ts.Fatalf("stderr is %q, want one line that begins with nrt:", got)
	}
	if got := ts.ReadFile("stdout"); got != "" {
		ts.Fatalf("stdout is %q, want nothing", got)
	}
}

func TestRespell(t *testing.T) {
	got := respell([]string{"run", "-sys", "be brief", "-ctk", "f32", "--", "-sys"})
	want := []string{"run", "--system", "be brief", "--kv", "f32", "--", "-sys"}
	if !slices.Equal(got, want) {
		t.Errorf("respell = %q, want %q", got, want)
	}
}

func TestOneLine(t *testing.T) {
	err := fmt.Errorf("first\n  %w", errors.New("second\x1b[2J\n"))
	if got, want := oneLine(err), "first; second^[[2J"; got != want {
		t.Errorf("oneLine = %q, want %q", got, want)
	}
}

// output runs nrt with nothing on stdin.
func output(t *testing.T, args ...string) (stdout []byte, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "nrt", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err = cmd.Output()
	if err != nil {
		err = fmt.Errorf("nrt %q: %w: %s", args, err, stderr.String())
	}
	return stdout, err
}

// Who reads only the start of a long output gets it, and nrt ends without a word.
func TestReaderThatLeaves(t *testing.T) {
	path := testdata.Shared(t, "vocab/ggml-vocab-gpt-2.gguf")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(context.Background(), "nrt", "show", path, "--metadata", "tokenizer.ggml.tokens")
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := r.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	_ = cmd.Wait() // by SIGPIPE, or with 0
	if stderr.Len() > 0 {
		t.Errorf("stderr = %q, want nothing", stderr.String())
	}
}
