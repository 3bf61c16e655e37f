package jinja

import (
	"fmt"
	"strings"
)

// lexer cuts a template into tokens. Its fields are the state between two tags.
type lexer struct {
	name      string
	src       string
	pos       int
	lineStart bool // whether pos is where a line starts, though the newline before it went with a tag
	tokens    []token
}

// lex returns the tokens of src, the last of which is tokenEOF. src has newlines already normalised.
func lex(name, src string) []token {
	l := &lexer{name: name, src: src, lineStart: true}
	for l.pos < len(src) {
		l.data()
	}
	l.emit(tokenEOF, "", len(src))
	return l.tokens
}

// normalise is the source as tags see it: newlines are \n, and the last one of the file does not count.
func normalise(src string) string {
	src = strings.ReplaceAll(src, "\r\n", "\n")
	src = strings.ReplaceAll(src, "\r", "\n")
	return strings.TrimSuffix(src, "\n")
}

func (l *lexer) emit(kind tokenKind, text string, pos int) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, pos: pos})
}

func (l *lexer) fail(pos int, format string, args ...any) {
	panic(&Error{Name: l.name, Message: fmt.Sprintf(format, args...), src: l.src, pos: pos})
}

// data reads text up to the next tag, then that tag.
func (l *lexer) data() {
	start, open := l.pos, l.nextTag()
	if open < 0 {
		l.text(start, l.src[start:])
		l.pos = len(l.src)
		return
	}
	kind := l.src[open+1]
	inner := open + 2
	sign := l.sign(inner)
	if sign != 0 {
		inner++
	}
	l.text(start, l.stripBefore(l.src[start:open], sign, kind != '{'))
	if kind == '%' {
		if after, ok := l.rawTag(inner); ok {
			l.raw(open, after)
			return
		}
	}
	l.pos = inner
	switch kind {
	case '#':
		l.comment(open)
	case '%':
		l.emit(tokenBlockBegin, "", open)
		l.tag(open, tokenBlockEnd, "%}")
	default:
		l.emit(tokenPrintBegin, "", open)
		l.tag(open, tokenPrintEnd, "}}")
	}
}

func (l *lexer) nextTag() int {
	for at := l.pos; ; at++ {
		n := strings.IndexByte(l.src[at:], '{')
		if n < 0 || at+n+1 >= len(l.src) {
			return -1
		}
		at += n
		if c := l.src[at+1]; c == '%' || c == '#' || c == '{' {
			return at
		}
	}
}

// sign is the whitespace control at pos, or 0.
func (l *lexer) sign(pos int) byte {
	if pos < len(l.src) && (l.src[pos] == '-' || l.src[pos] == '+') {
		return l.src[pos]
	}
	return 0
}

func (l *lexer) text(pos int, text string) {
	if text != "" {
		l.emit(tokenData, text, pos)
	}
}

// stripBefore applies a tag's whitespace control to the text before it: "-" strips all, "+" nothing, and without a sign
// a block strips the blanks before it when they start the line.
func (l *lexer) stripBefore(text string, sign byte, block bool) string {
	if sign == '-' {
		return strings.TrimRightFunc(text, isSpace)
	}
	if sign == '+' || !block {
		return text
	}
	line := strings.LastIndexByte(text, '\n') + 1
	if (line > 0 || l.lineStart) && strings.TrimLeftFunc(text[line:], isSpace) == "" {
		return text[:line]
	}
	return text
}

// closing matches the end of a tag at pos: the delimiter with its whitespace control. It returns the offset behind it.
func (l *lexer) closing(pos int, delimiter string) (int, bool) {
	rest := l.src[pos:]
	switch {
	case strings.HasPrefix(rest, delimiter):
		pos += len(delimiter)
		if delimiter != "}}" && pos < len(l.src) && l.src[pos] == '\n' {
			pos++
		}
		return pos, true
	case strings.HasPrefix(rest, "-"+delimiter):
		return l.skipSpace(pos + 1 + len(delimiter)), true
	case delimiter != "}}" && strings.HasPrefix(rest, "+"+delimiter):
		return pos + 1 + len(delimiter), true
	}
	return pos, false
}

func (l *lexer) skipSpace(pos int) int {
	return len(l.src) - len(strings.TrimLeftFunc(l.src[pos:], isSpace))
}

// resume continues with data behind a tag that ended at pos.
func (l *lexer) resume(pos int) {
	l.pos = pos
	l.lineStart = l.src[pos-1] == '\n'
}

func (l *lexer) comment(open int) {
	for at := l.pos; at < len(l.src); at++ {
		if c := l.src[at]; c != '#' && c != '-' && c != '+' {
			continue
		}
		if end, ok := l.closing(at, "#}"); ok {
			l.resume(end)
			return
		}
	}
	l.fail(open, "this comment has no end, want '#}'")
}

// rawTag matches the rest of {% raw %} behind its opening and returns the offset behind it.
func (l *lexer) rawTag(pos int) (int, bool) {
	pos = l.skipSpace(pos)
	if !strings.HasPrefix(l.src[pos:], "raw") {
		return 0, false
	}
	pos = l.skipSpace(pos + len("raw"))
	rest := l.src[pos:]
	if strings.HasPrefix(rest, "-%}") {
		return l.skipSpace(pos + 3), true
	}
	return pos + 2, strings.HasPrefix(rest, "%}")
}

// raw emits the text between {% raw %}, which ends at body, and its {% endraw %}.
func (l *lexer) raw(open, body int) {
	l.resume(body)
	for at := body; ; {
		n := strings.Index(l.src[at:], "{%")
		if n < 0 {
			l.fail(open, "this raw block has no end, want '{%% endraw %%}'")
		}
		at += n
		inner := at + 2
		sign := l.sign(inner)
		if sign != 0 {
			inner++
		}
		inner = l.skipSpace(inner)
		if strings.HasPrefix(l.src[inner:], "endraw") {
			if end, ok := l.closing(l.skipSpace(inner+len("endraw")), "%}"); ok {
				l.text(body, l.stripBefore(l.src[body:at], sign, true))
				l.resume(end)
				return
			}
		}
		at += 2
	}
}
