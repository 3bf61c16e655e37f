package jinja

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrLimit is wrapped by the errors of templates that exceed a limit.
var ErrLimit = errors.New("template limit exceeded")

// Error is a fault in a template, or in what it does with its arguments. It wraps ErrLimit when a limit was exceeded,
// and the context's error when the rendering was stopped.
type Error struct {
	Name    string // the template's
	Message string // what was found and what was wanted
	src     string
	pos     int // byte offset in src
	cause   error
}

// Raised is the error of a template that called raise_exception: it refuses the conversation.
type Raised struct {
	Name    string // the template's
	Message string // as the template gave it
	Line    int    // from 1
}

const maxMessage = 1024 // bytes of a template's own text in an error

func (e *Raised) Error() string {
	return fmt.Sprintf("jinja: %s:%d: the template refuses this conversation: %s", e.Name, e.Line, printable(e.Message))
}

func (e *Error) Error() string {
	line, col := e.Position()
	return fmt.Sprintf("jinja: %s:%d:%d: %s", e.Name, line, col, printable(e.Message))
}

func (e *Error) Unwrap() error { return e.cause }

// Position is the place of the fault; line and column count from 1, columns in characters.
func (e *Error) Position() (line, col int) {
	before := e.src[:min(e.pos, len(e.src))]
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

// Excerpt is the faulty line of the template and, below it, a caret under the fault.
func (e *Error) Excerpt() string {
	const context = 60 // bytes shown on either side of the fault
	pos := min(e.pos, len(e.src))
	start := strings.LastIndexByte(e.src[:pos], '\n') + 1
	end := len(e.src)
	if n := strings.IndexByte(e.src[pos:], '\n'); n >= 0 {
		end = pos + n
	}
	lead, tail := "", ""
	if pos-start > context {
		start, lead = runeStart(e.src, pos-context), "..."
	}
	if end-pos > context {
		end, tail = runeStart(e.src, pos+context), "..."
	}
	before := lead + visible(e.src[start:pos])
	return before + visible(e.src[pos:end]) + tail + "\n" + strings.Repeat(" ", utf8.RuneCountInString(before)) + "^"
}

func runeStart(s string, i int) int {
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// visible keeps one character per character, so that the caret stays under its target.
func visible(s string) string {
	return strings.Map(func(c rune) rune {
		if strconv.IsPrint(c) {
			return c
		}
		return ' '
	}, s)
}

// printable shortens a text and escapes its control characters for an error of one line.
func printable(s string) string {
	if len(s) > maxMessage {
		s = s[:runeStart(s, maxMessage)] + "..."
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// catch turns the panic of a failing parse or rendering into its error. Any other panic is a bug and goes on.
func catch(err *error) {
	switch fault := recover().(type) {
	case nil:
	case *Error:
		*err = fault
	case *Raised:
		*err = fault
	default:
		panic(fault)
	}
}
