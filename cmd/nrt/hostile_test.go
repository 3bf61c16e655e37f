package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/nrt-go/nrt/gguf"
)

// hostile would empty a terminal, retitle it, and forge a line; the last one is a C1 control, which xterm obeys too.
const hostile = "\x1b[2J\x1b]0;gotcha\a\rforged\u009b31m"

// What stands in a model file never reaches the terminal as a control character, whatever field it stands in.
func TestHostileFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hostile.gguf")
	w := gguf.NewWriter()
	for _, key := range []string{
		"general.architecture", "general.name", "general.license", "tokenizer.ggml.model", "tokenizer.ggml.pre",
		"tokenizer.chat_template",
	} {
		w.Set(key, hostile)
	}
	w.Set("some.list", []string{hostile, "b"})
	if err := w.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"show", path}, {"show", path, "--tensors"}, {"show", path, "--json"}} {
		out, err := output(t, args...)
		if err != nil {
			t.Fatal(err)
		}
		if args[len(args)-1] == "--json" && !json.Valid(out) {
			t.Errorf("nrt %q printed no JSON: %q", args, out)
		}
		checkHarmless(t, args, string(out))
	}
	for _, args := range [][]string{{"run", "-m", path, "hello"}, {"chat", "-m", path}, {"tokenize", "-m", path, "x"}, {"show", path, "--metadata", hostile}} {
		_, err := output(t, args...)
		if err == nil {
			t.Errorf("nrt %q took the file", args)
			continue
		}
		_, complaint, _ := strings.Cut(err.Error(), "exit status 1: ")
		if !wholeLine.MatchString(complaint) {
			t.Errorf("nrt %q complained with %q, want one line", args, err)
		}
		checkHarmless(t, args, complaint)
	}
}

func checkHarmless(t *testing.T, args []string, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); i >= 0 {
		t.Errorf("nrt %q wrote a control character: %q", args, text[max(0, i-20):min(len(text), i+20)])
	}
}
