package grammar

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// GBNF reads a grammar in llama.cpp's notation: rules such as
//
//	root  ::= "yes" | "no" ("," ws word){0,3}   # a comment
//	word  ::= [a-zA-Z_]+
//
// with "texts", [classes], [^negated classes], . for any character, (groups), * + ? {n} {n,} {n,m} and rule names. A
// text begins at root. An error says where the notation is broken, by line and column.
func GBNF(source string) (*Grammar, error) {
	r := &gbnfReader{src: source, g: &Grammar{rules: map[string]*expr{}, root: "root"}}
	for r.space(true); r.at < len(r.src); r.space(true) {
		if err := r.rule(); err != nil {
			return nil, err
		}
	}
	return r.g, r.g.check()
}

// gbnfReader reads the notation from left to right.
type gbnfReader struct {
	src   string
	at    int
	depth int
	g     *Grammar
}

const maxNesting = 200 // groups within groups

func (r *gbnfReader) errorf(format string, args ...any) error {
	line := 1 + strings.Count(r.src[:r.at], "\n")
	column := 1 + utf8.RuneCountInString(r.src[strings.LastIndexByte(r.src[:r.at], '\n')+1:r.at])
	return fmt.Errorf("grammar: line %d, column %d: %s", line, column, fmt.Sprintf(format, args...))
}

// found is what stands at the reader's place, for errors.
func (r *gbnfReader) found() string {
	if r.at == len(r.src) {
		return "the end"
	}
	_, n := utf8.DecodeRuneInString(r.src[r.at:])
	return strconv.Quote(r.src[r.at : r.at+n])
}

// space skips blanks and comments, and ends of lines where lines is set.
func (r *gbnfReader) space(lines bool) {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r'):
			r.at++
		case c == '#':
			for r.at < len(r.src) && r.src[r.at] != '\n' {
				r.at++
			}
		default:
			return
		}
	}
}

func (r *gbnfReader) take(text string) bool {
	if strings.HasPrefix(r.src[r.at:], text) {
		r.at += len(text)
		return true
	}
	return false
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

func (r *gbnfReader) name() string {
	start := r.at
	for r.at < len(r.src) && isNameByte(r.src[r.at]) {
		r.at++
	}
	return r.src[start:r.at]
}

func (r *gbnfReader) rule() error {
	name := r.name()
	if name == "" {
		return r.errorf("found %s, want the name of a rule", r.found())
	}
	if r.g.rules[name] != nil {
		return r.errorf("rule %q is there already", name)
	}
	r.space(false)
	if !r.take("::=") {
		return r.errorf("found %s after the name of a rule, want ::=", r.found())
	}
	r.space(true)
	e, err := r.alternatives(false)
	if err != nil {
		return err
	}
	if r.at < len(r.src) && r.src[r.at] != '\n' && r.src[r.at] != '\r' {
		return r.errorf("found %s, want the end of the rule", r.found())
	}
	r.g.rules[name] = e
	return nil
}

// alternatives reads sequences with | between them. Within groups a line's end is a blank like others.
func (r *gbnfReader) alternatives(group bool) (*expr, error) {
	out := alt()
	for {
		e, err := r.sequence(group)
		if err != nil {
			return nil, err
		}
		out.subs = append(out.subs, e)
		if !r.bar(group) {
			return out, nil
		}
	}
}

// bar takes a | and the blanks around it, even where it begins the next line.
func (r *gbnfReader) bar(group bool) bool {
	r.space(group)
	before := r.at
	if r.space(true); r.take("|") {
		r.space(true)
		return true
	}
	r.at = before
	return false
}

func (r *gbnfReader) sequence(group bool) (*expr, error) {
	out := seq()
	for r.space(group); r.at < len(r.src) && !strings.ContainsRune("|)\r\n", rune(r.src[r.at])); r.space(group) {
		e, err := r.item()
		if err != nil {
			return nil, err
		}
		if e, err = r.repeated(e); err != nil {
			return nil, err
		}
		out.subs = append(out.subs, e)
	}
	return out, nil
}

func (r *gbnfReader) item() (*expr, error) {
	switch c := r.src[r.at]; {
	case c == '"':
		return r.literal()
	case c == '[':
		return r.class()
	case c == '.':
		r.at++
		return anyChar.raw()
	case c == '(':
		return r.group()
	case isNameByte(c):
		return rule(r.name()), nil
	case c == '<' || c == '!':
		return nil, r.errorf("found %s: tokens by name or number are not supported, only texts", r.found())
	}
	return nil, r.errorf(`found %s, want "text", [class], ., (group) or the name of a rule`, r.found())
}

func (r *gbnfReader) group() (*expr, error) {
	if r.depth++; r.depth > maxNesting {
		return nil, r.errorf("more than %d groups within each other", maxNesting)
	}
	defer func() { r.depth-- }()
	r.at++
	e, err := r.alternatives(true)
	if err != nil {
		return nil, err
	}
	if !r.take(")") {
		return nil, r.errorf("found %s, want ) at the end of the group", r.found())
	}
	return e, nil
}

// repeated reads *, +, ? or {} behind an item.
func (r *gbnfReader) repeated(e *expr) (*expr, error) {
	r.space(false)
	switch {
	case r.take("*"):
		return repeat(e, 0, -1), nil
	case r.take("+"):
		return repeat(e, 1, -1), nil
	case r.take("?"):
		return optional(e), nil
	case !r.take("{"):
		return e, nil
	}
	least, ok := r.number()
	most := least
	if r.space(false); r.take(",") {
		if most, ok = r.number(); !ok {
			most = -1
		}
		ok = true
	}
	r.space(false)
	if !ok || !r.take("}") {
		return nil, r.errorf("found %s, want a repetition such as {2}, {2,} or {2,5}", r.found())
	}
	if most >= 0 && most < least {
		return nil, r.errorf("a repetition of at least %d and at most %d", least, most)
	}
	return repeat(e, least, most), nil
}

// number reads digits, at most as many as a repetition can have.
func (r *gbnfReader) number() (n int, ok bool) {
	r.space(false)
	for r.at < len(r.src) && r.src[r.at] >= '0' && r.src[r.at] <= '9' {
		n = min(10*n+int(r.src[r.at]-'0'), maxProgram)
		r.at++
		ok = true
	}
	return n, ok
}

func (r *gbnfReader) literal() (*expr, error) {
	r.at++
	out := seq()
	for !r.take(`"`) {
		c, err := r.char("the text's closing quote")
		if err != nil {
			return nil, err
		}
		out.subs = append(out.subs, text(string(c)).subs...)
	}
	return out, nil
}

func (r *gbnfReader) class() (*expr, error) {
	r.at++
	negated := r.take("^")
	var set chars
	for !r.take("]") {
		lo, err := r.char("the class's closing bracket")
		if err != nil {
			return nil, err
		}
		hi := lo
		if r.at+1 < len(r.src) && r.src[r.at] == '-' && r.src[r.at+1] != ']' {
			r.at++
			if hi, err = r.char("the end of a range"); err != nil {
				return nil, err
			}
		}
		if hi < lo {
			return nil, r.errorf("range %q-%q ends before it begins", lo, hi)
		}
		set = append(set, charRange{lo, hi})
	}
	if negated {
		set = set.not()
	}
	e, err := set.raw()
	if err != nil {
		return nil, r.errorf("the class has no characters")
	}
	return e, nil
}

// escapes are the characters that a backslash stands before, and the digits of those that are given by number.
var (
	escapes      = map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', '\\': '\\', '"': '"', '[': '[', ']': ']', '-': '-', '^': '^'}
	escapeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}
)

// char reads a character or an escape; want is what else might have come.
func (r *gbnfReader) char(want string) (rune, error) {
	c, n := utf8.DecodeRuneInString(r.src[r.at:])
	if n == 0 || c == '\n' || c == '\r' {
		return 0, r.errorf("found the line's end, want %s", want)
	}
	if c == utf8.RuneError && n == 1 {
		return 0, r.errorf("byte %#x is not UTF-8", r.src[r.at])
	}
	if r.at += n; c != '\\' {
		return c, nil
	}
	if r.at == len(r.src) {
		return 0, r.errorf("found the end, want a character after \\")
	}
	kind := r.src[r.at]
	if c, ok := escapes[kind]; ok {
		r.at++
		return c, nil
	}
	count, ok := escapeDigits[kind]
	if !ok || r.at+1+count > len(r.src) {
		return 0, r.errorf(`found \%s, want one of \n \r \t \\ \" \[ \] \- \^ \xHH \uHHHH \UHHHHHHHH, where H is a hexadecimal digit`, strings.Trim(r.found(), `"`))
	}
	v, err := strconv.ParseUint(r.src[r.at+1:r.at+1+count], 16, 32)
	if err != nil || !utf8.ValidRune(rune(v)) {
		return 0, r.errorf(`\%s is no character`, r.src[r.at:r.at+1+count])
	}
	r.at += 1 + count
	return rune(v), nil
}
