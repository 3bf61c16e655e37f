package lineedit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// buffer is the message being edited, cut at the cursor. The cursor moves by what the reader sees as one character (a
// grapheme cluster), so it never stands between a letter and its accent.
type buffer struct {
	left, right string
	killed      string // what ctrl-Y brings back
}

func (b *buffer) text() string    { return b.left + b.right }
func (b *buffer) empty() bool     { return b.left == "" && b.right == "" }
func (b *buffer) set(text string) { b.left, b.right = text, "" }

// insert puts text before the cursor. Line breaks become \n; other control characters, which a paste may hold, are left out.
func (b *buffer) insert(text string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	b.left += strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r != '\n' && r != '\t' && unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
}

// goTo puts the cursor before the n-th byte of the text.
func (b *buffer) goTo(n int) {
	text := b.text()
	b.left, b.right = text[:n], text[n:]
}

// cut removes the bytes from..to of the text and keeps them for yank.
func (b *buffer) cut(from, to int) {
	text := b.text()
	if from < to {
		b.killed = text[from:to]
	}
	b.left, b.right = text[:from], text[to:]
}

func (b *buffer) yank() { b.left += b.killed }

func (b *buffer) backspace() { b.left = b.left[:b.before()] }

func (b *buffer) delete() { b.right = b.right[b.after()-len(b.left):] }

// before is where the character left of the cursor begins.
func (b *buffer) before() int {
	// No character crosses a line break, so the search may start at one.
	start := max(strings.LastIndexByte(b.left, '\n'), 0)
	last := start
	for rest, state := b.left[start:], -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		last, start = start, start+len(cluster)
	}
	return last
}

// after is where the character right of the cursor ends.
func (b *buffer) after() int {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(b.right, -1)
	return len(b.left) + len(cluster)
}

// lineStart and lineEnd bound the line of the message that the cursor is on.
func (b *buffer) lineStart() int { return strings.LastIndexByte(b.left, '\n') + 1 }

func (b *buffer) lineEnd() int {
	if i := strings.IndexByte(b.right, '\n'); i >= 0 {
		return len(b.left) + i
	}
	return len(b.left) + len(b.right)
}

// wordStart is the start of the word that the cursor is in or behind, wordEnd the end of the one it is in or before.
func (b *buffer) wordStart() int { return runStart(b.left, notWord) }

func (b *buffer) wordEnd() int {
	skipped := len(b.right) - len(strings.TrimLeftFunc(b.right, notWord))
	if i := strings.IndexFunc(b.right[skipped:], notWord); i >= 0 {
		return len(b.left) + skipped + i
	}
	return len(b.left) + len(b.right)
}

// blankStart is the start of the run without spaces left of the cursor: what ctrl-W takes.
func (b *buffer) blankStart() int { return runStart(b.left, unicode.IsSpace) }

func runStart(s string, separator func(rune) bool) int {
	s = strings.TrimRightFunc(s, separator)
	i := strings.LastIndexFunc(s, separator)
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return i + size
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_'
}
