package gguf

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// What errors.Is tells apart.
var (
	// ErrMissing is a key or a tensor that the file does not have.
	ErrMissing = errors.New("not in the file")
	// ErrChanged is a file whose bytes were changed or cut under an open File: its weights are no longer those that were checked.
	ErrChanged = errors.New("the file was changed while it was open")
	// ErrReplaced is a path that now names another file, or none; the open File still has its whole old content.
	ErrReplaced = errors.New("the path no longer names the open file")
)

// Error says what is wrong with a file, where, and what would be right. Its text is one line of at most 4 KiB in which
// whatever came from the file is quoted.
type Error struct {
	Path   string // empty for a Writer without a file
	Field  string // `tensor count`, `key "general.alignment"`, `tensor "output.weight": offset`
	Offset int64  // where in the file the field stands, or -1
	Found  string
	Want   string
	Err    error // the cause, where there is one beyond Found and Want
}

const maxErrorText = 4096

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("gguf")
	if e.Path != "" {
		fmt.Fprintf(&b, ": %q", e.Path)
	}
	if e.Field != "" {
		b.WriteString(": " + e.Field)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " at byte %d", e.Offset)
	}
	if e.Found != "" {
		fmt.Fprintf(&b, ": found %s, want %s", e.Found, e.Want)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return cut(b.String(), maxErrorText)
}

func (e *Error) Unwrap() error { return e.Err }

// quoted shows a string of the file on one line, however long it is and whatever it holds.
func quoted(s string) string { return fmt.Sprintf("%q", cut(s, 128)) }

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	n -= len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}
