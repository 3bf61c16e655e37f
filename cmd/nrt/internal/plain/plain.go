// Package plain makes text that comes from models and files safe to print: a terminal obeys control characters, so none
// of theirs may reach it.
package plain

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text shows control characters other than newline and tab in caret notation, as cat -v does, and bytes that are not
// UTF-8 as U+FFFD.
func Text(s string) string { return visible(s, "\n\t") }

// Line is Text in one line: newline and tab are shown as \n and \t.
func Line(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(visible(s, "\n\t"))
}

// Cut is Line of at most n characters; an ellipsis is the last one where more follow.
func Cut(s string, n int) string {
	// A character of s makes at least one of the line, so what lies beyond n characters need not be looked at.
	end := 0
	for i := 0; i <= n && end < len(s); i++ {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	line := []rune(Line(s[:end]))
	if end == len(s) && len(line) <= n {
		return string(line)
	}
	return string(line[:min(len(line), n-1)]) + "…"
}

func visible(s, keep string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var out strings.Builder
	for _, r := range s { // an invalid byte comes as U+FFFD
		switch {
		case !unicode.IsControl(r) || strings.ContainsRune(keep, r):
			out.WriteRune(r)
		case r < 0x80:
			out.WriteString("^" + string(r^0x40))
		default: // C1: xterm obeys these too
			fmt.Fprintf(&out, "<U+%04X>", r)
		}
	}
	return out.String()
}

// JSON escapes the control characters that encoding/json leaves as they are: DEL and C1. They stand only inside strings.
func JSON(doc []byte) []byte {
	if !bytes.ContainsFunc(doc, above) {
		return doc
	}
	var out bytes.Buffer
	for _, r := range string(doc) {
		if above(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}

func above(r rune) bool { return r >= 0x7f && unicode.IsControl(r) }
