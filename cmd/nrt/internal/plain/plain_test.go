package plain

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	tests := []struct{ in, text, line string }{
		{"plain", "plain", "plain"},
		{"two\nlines\tand a tab", "two\nlines\tand a tab", `two\nlines\tand a tab`},
		{"\x1b[31mred\x07", "^[[31mred^G", "^[[31mred^G"},
		{"\r\x7f", "^M^?", "^M^?"},
		{"\u009b31m", "<U+009B>31m", "<U+009B>31m"},
		{"half \xe6\x97", "half ��", "half ��"},
		{"日本 é 👍", "日本 é 👍", "日本 é 👍"},
	}
	for _, tt := range tests {
		if got := Text(tt.in); got != tt.text {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.text)
		}
		if got := Line(tt.in); got != tt.line {
			t.Errorf("Line(%q) = %q, want %q", tt.in, got, tt.line)
		}
	}
}

// R-3.W.11: the original cut bytes and broke characters.
func TestCut(t *testing.T) {
	tests := []struct {
		in   string
		n    int
		want string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"日本語テキスト", 4, "日本語…"},
		{"a\x1bbc", 4, "a^[…"},
		{"\x1b", 1, "…"},
		{"", 3, ""},
	}
	for _, tt := range tests {
		if got := Cut(tt.in, tt.n); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[31m\u0085\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{Text(s), Line(s), Cut(s, 7)} {
			if !utf8.ValidString(got) {
				t.Fatalf("%q is not UTF-8", got)
			}
			if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
				t.Fatalf("%q still has a control character", got)
			}
		}
		if n := utf8.RuneCountInString(Cut(s, 7)); n > 7 {
			t.Fatalf("Cut(%q, 7) has %d characters", s, n)
		}
		doc, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back, want string
		if err := json.Unmarshal(JSON(doc), &back); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(doc, &want); err != nil || back != want {
			t.Fatalf("JSON changed %q to %q", want, back)
		}
	})
}
