package jinja

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// operators, the longer ones first so that the first match is the right one.
var operators = []string{"//", "**", "==", "!=", ">=", "<=",
	"+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";"}

var closers = map[string]byte{"(": ')', "[": ']', "{": '}'}

// tag reads the tokens of one tag up to its end, which counts only outside all brackets.
func (l *lexer) tag(open int, end tokenKind, delimiter string) {
	var brackets []byte
	for {
		l.pos = l.skipSpace(l.pos)
		if l.pos >= len(l.src) {
			l.fail(open, "this tag has no end, want '%s'", delimiter)
		}
		if len(brackets) == 0 {
			if behind, ok := l.closing(l.pos, delimiter); ok {
				l.emit(end, "", l.pos)
				l.resume(behind)
				return
			}
		}
		brackets = l.element(brackets)
	}
}

// element reads one number, name, string or operator, and returns the brackets that are open behind it.
func (l *lexer) element(brackets []byte) []byte {
	c := l.src[l.pos]
	switch {
	case c >= '0' && c <= '9':
		l.number()
	case c == '\'' || c == '"':
		l.str(c)
	case isWord(l.peek()):
		l.word()
	default:
		return l.operator(brackets)
	}
	return brackets
}

func (l *lexer) peek() rune {
	c, _ := utf8.DecodeRuneInString(l.src[l.pos:])
	return c
}

func isWord(c rune) bool {
	return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.M, c)
}

func (l *lexer) word() {
	start := l.pos
	end := len(l.src)
	if n := strings.IndexFunc(l.src[start:], func(c rune) bool { return !isWord(c) }); n >= 0 {
		end = start + n
	}
	if first := l.peek(); first != '_' && !unicode.IsLetter(first) {
		l.fail(start, "'%s' is no name", l.src[start:end])
	}
	l.emit(tokenName, l.src[start:end], start)
	l.pos = end
}

func (l *lexer) operator(brackets []byte) []byte {
	for _, op := range operators {
		if !strings.HasPrefix(l.src[l.pos:], op) {
			continue
		}
		if closer, ok := closers[op]; ok {
			brackets = append(brackets, closer)
		} else if op == ")" || op == "]" || op == "}" {
			if len(brackets) == 0 {
				l.fail(l.pos, "unexpected '%s', no bracket is open", op)
			}
			last := brackets[len(brackets)-1]
			if last != op[0] {
				l.fail(l.pos, "unexpected '%s', want '%c'", op, last)
			}
			brackets = brackets[:len(brackets)-1]
		}
		l.emit(tokenOperator, op, l.pos)
		l.pos += len(op)
		return brackets
	}
	l.fail(l.pos, "unexpected character %q", l.peek())
	return nil
}

// digits returns the offset behind a run of digits with single underscores between them.
func (l *lexer) digits(pos int, isDigit func(byte) bool) int {
	for pos < len(l.src) {
		switch {
		case isDigit(l.src[pos]):
			pos++
		case l.src[pos] == '_' && pos+1 < len(l.src) && isDigit(l.src[pos+1]) && isDigit(l.src[pos-1]):
			pos++
		default:
			return pos
		}
	}
	return pos
}

func isDecimal(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool {
	return isDecimal(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (l *lexer) number() {
	start := l.pos
	if end, ok := l.float(start); ok {
		l.pos = end
		f, _ := strconv.ParseFloat(strings.ReplaceAll(l.src[start:end], "_", ""), 64) // out of range is ±Inf, as in Python
		l.tokens = append(l.tokens, token{kind: tokenNumber, value: Float(f), pos: start})
		return
	}
	l.pos = l.integer(start)
	if l.pos-start > maxDigits {
		l.fail(start, "found a number of %d digits, want at most %d", l.pos-start, maxDigits)
	}
	i, ok := new(big.Int).SetString(strings.ReplaceAll(l.src[start:l.pos], "_", ""), 0)
	if !ok {
		l.fail(start, "'%s' is no number", l.src[start:l.pos])
	}
	l.tokens = append(l.tokens, token{kind: tokenNumber, value: integer(i), pos: start})
}

// integer returns the offset behind the integer at pos. A 0 that leads other digits stands alone, as in Python.
func (l *lexer) integer(pos int) int {
	if l.src[pos] != '0' {
		return l.digits(pos, isDecimal)
	}
	if pos+2 < len(l.src) {
		bases := map[byte]func(byte) bool{'x': isHex,
			'o': func(c byte) bool { return c >= '0' && c <= '7' },
			'b': func(c byte) bool { return c == '0' || c == '1' }}
		if digit := bases[l.src[pos+1]|0x20]; digit != nil && digit(l.src[pos+2]) {
			return l.digits(pos+2, digit)
		}
	}
	return l.digits(pos, func(c byte) bool { return c == '0' })
}

// float returns the offset behind the float at pos. Behind a dot there is none: a.0.1 is two subscripts.
func (l *lexer) float(pos int) (int, bool) {
	if pos > 0 && l.src[pos-1] == '.' {
		return 0, false
	}
	end := l.digits(pos, isDecimal)
	fraction := false
	if end+1 < len(l.src) && l.src[end] == '.' && isDecimal(l.src[end+1]) {
		end, fraction = l.digits(end+1, isDecimal), true
	}
	if end < len(l.src) && l.src[end]|0x20 == 'e' {
		exponent := end + 1
		if exponent < len(l.src) && (l.src[exponent] == '+' || l.src[exponent] == '-') {
			exponent++
		}
		if exponent < len(l.src) && isDecimal(l.src[exponent]) {
			return l.digits(exponent, isDecimal), true
		}
	}
	return end, fraction
}

func (l *lexer) str(quote byte) {
	start := l.pos
	for at := start + 1; at < len(l.src); at++ {
		switch l.src[at] {
		case '\\':
			at++
		case quote:
			l.emit(tokenString, l.unescape(start+1, l.src[start+1:at]), start)
			l.pos = at + 1
			return
		}
	}
	l.fail(start, "this string has no end, want %c", quote)
}

var simpleEscapes = map[byte]string{'\n': "", '\\': "\\", '\'': "'", '"': "\"",
	'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v"}

// unescape resolves Python's escapes in the text of a string literal that starts at pos.
func (l *lexer) unescape(pos int, text string) string {
	if !strings.Contains(text, "\\") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++ // a literal never ends in a lone backslash
		if s, ok := simpleEscapes[text[i]]; ok {
			b.WriteString(s)
			continue
		}
		c, n := l.codePoint(pos+i, text[i:])
		if n == 0 {
			b.WriteByte('\\') // Python keeps what it does not know
			b.WriteByte(text[i])
			continue
		}
		b.WriteRune(c)
		i += n - 1
	}
	return b.String()
}

// codePoint reads an escape given by number and returns its length, 0 when it is none.
func (l *lexer) codePoint(pos int, text string) (rune, int) {
	if text[0] >= '0' && text[0] <= '7' {
		n := 1
		for n < 3 && n < len(text) && text[n] >= '0' && text[n] <= '7' {
			n++
		}
		c, _ := strconv.ParseUint(text[:n], 8, 32) // at most three octal digits
		return rune(c), n
	}
	width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[0]]
	if text[0] == 'N' {
		l.fail(pos, "characters by name (\\N{...}) are not supported")
	}
	if width == 0 {
		return 0, 0
	}
	if len(text) <= width {
		l.fail(pos, "\\%c wants %d hexadecimal digits", text[0], width)
	}
	c, err := strconv.ParseUint(text[1:1+width], 16, 32)
	if err != nil || c > unicode.MaxRune {
		l.fail(pos, "'\\%s' is no character", text[:1+width])
	}
	return rune(c), 1 + width
}
