package jinja

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nrt-go/nrt/internal/testdata"
)

// seeds are the golden cases and the hostile templates.
func seeds(f *testing.F) {
	for _, c := range goldenCases(f) {
		f.Add(c.Template)
	}
	for _, c := range hostile {
		if len(c.src) < 4096 {
			f.Add(c.src)
		}
	}
}

// FuzzParse: a template is parsed or refused with a position inside of it.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		_, err := Parse("fuzz", src)
		if err != nil {
			checkError(t, src, err)
		}
	})
}

// FuzzRender: rendering ends within its limits, and twice the same.
func FuzzRender(f *testing.F) {
	seeds(f)
	vars, err := FromJSON([]byte(`{"messages": [{"role": "user", "content": "hé\n<|x|>"}], "tools": [{"a": 1, "b": [1.5, null, true]}],
		"s": "text", "n": 3, "x": null, "l": [3, 1, 2], "d": {"k": "v"}, "add_generation_prompt": true}`))
	if err != nil {
		f.Fatal(err)
	}
	limits := Limits{Steps: 20_000, Output: 1 << 16, Memory: 1 << 20, Depth: 500}
	f.Fuzz(func(t *testing.T, src string) {
		first, err := render(src, vars.(*Dict), limits)
		if err != nil {
			checkError(t, src, err)
		}
		if len(first) > limits.Output {
			t.Errorf("found %d bytes, want at most %d", len(first), limits.Output)
		}
		if !utf8.ValidString(first) {
			t.Errorf("found %q, which is not UTF-8", first)
		}
		second, again := render(src, vars.(*Dict), limits)
		if first != second || (err == nil) != (again == nil) {
			t.Errorf("found %q (%v), then %q (%v)", first, err, second, again)
		}
	})
}

func checkError(t *testing.T, src string, err error) {
	t.Helper()
	if strings.Contains(err.Error(), "\n") || len(err.Error()) > 4096 {
		t.Errorf("found an error of %d bytes or several lines: %q", len(err.Error()), err)
	}
	var raised *Raised
	if errors.As(err, &raised) {
		return
	}
	var fault *Error
	if !errors.As(err, &fault) {
		t.Fatalf("found error %v of type %T, want an *Error", err, err)
	}
	line, col := fault.Position()
	if line < 1 || line > 1+strings.Count(src, "\n")+strings.Count(src, "\r") || col < 1 || fault.Excerpt() == "" {
		t.Errorf("found position %d:%d in %q", line, col, src)
	}
}

// TestRealTemplatesCut parses every beginning of real templates at tag borders: none may panic.
func TestRealTemplatesCut(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testdata.Shared(t, "templates"), "*.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		step := max(1, len(src)/40)
		for cut := 0; cut < len(src); cut += step {
			if _, err := Parse(file, string(src[:cut])); err != nil {
				checkError(t, string(src[:cut]), err)
			}
		}
	}
}
