package grammar

import (
	"fmt"
	"regexp/syntax"
	"unicode"
)

// Regexp is the grammar of the texts that a regular expression matches from beginning to end, in Go's syntax (RE2).
// What looks beyond the characters at hand, such as \b, is refused by name.
func Regexp(pattern string) (*Grammar, error) {
	e, err := regexpExpr(pattern, chars.raw)
	if err != nil {
		return nil, err
	}
	return &Grammar{rules: map[string]*expr{"root": e}, root: "root"}, nil
}

// regexpExpr compiles a pattern; encode is how one of some characters is written.
func regexpExpr(pattern string, encode func(chars) (*expr, error)) (*expr, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("grammar: pattern %q: %w", pattern, err)
	}
	e, err := (&regexpReader{encode}).expr(re, true, true)
	if err != nil {
		return nil, fmt.Errorf("grammar: pattern %q: %w", pattern, err)
	}
	return e, nil
}

type regexpReader struct {
	encode func(chars) (*expr, error)
}

// expr translates re; first and last say whether it stands where the text begins and ends.
func (r *regexpReader) expr(re *syntax.Regexp, first, last bool) (*expr, error) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return seq(), nil
	case syntax.OpBeginText, syntax.OpBeginLine:
		if first {
			return seq(), nil
		}
	case syntax.OpEndText, syntax.OpEndLine:
		if last {
			return seq(), nil
		}
	case syntax.OpLiteral:
		return r.literal(re)
	case syntax.OpCharClass:
		var c chars
		for i := 0; i < len(re.Rune); i += 2 {
			c = append(c, charRange{re.Rune[i], re.Rune[i+1]})
		}
		return r.encode(c)
	case syntax.OpAnyChar:
		return r.encode(anyChar)
	case syntax.OpAnyCharNotNL:
		return r.encode(chars{{'\n', '\n'}}.not())
	case syntax.OpCapture:
		return r.expr(re.Sub[0], first, last)
	case syntax.OpConcat:
		return r.subs(isSeq, re.Sub, first, last)
	case syntax.OpAlternate:
		return r.subs(isAlt, re.Sub, first, last)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return r.repeat(re)
	}
	return nil, fmt.Errorf("%q is not supported here; a text is matched from beginning to end, one character after the other", re)
}

func (r *regexpReader) literal(re *syntax.Regexp) (*expr, error) {
	out := seq()
	for _, c := range re.Rune {
		set := chars{{c, c}}
		if re.Flags&syntax.FoldCase != 0 {
			set = folded(c)
		}
		e, err := r.encode(set)
		if err != nil {
			return nil, err
		}
		out.subs = append(out.subs, e)
	}
	return out, nil
}

func (r *regexpReader) subs(k kind, all []*syntax.Regexp, first, last bool) (*expr, error) {
	out := &expr{kind: k}
	for i, sub := range all {
		e, err := r.expr(sub, first && (k == isAlt || i == 0), last && (k == isAlt || i == len(all)-1))
		if err != nil {
			return nil, err
		}
		out.subs = append(out.subs, e)
	}
	return out, nil
}

func (r *regexpReader) repeat(re *syntax.Regexp) (*expr, error) {
	e, err := r.expr(re.Sub[0], false, false)
	if err != nil {
		return nil, err
	}
	switch re.Op {
	case syntax.OpStar:
		return repeat(e, 0, -1), nil
	case syntax.OpPlus:
		return repeat(e, 1, -1), nil
	case syntax.OpQuest:
		return optional(e), nil
	}
	return repeat(e, re.Min, re.Max), nil
}

// folded is a character in all its cases.
func folded(c rune) chars {
	set := chars{{c, c}}
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		set = append(set, charRange{other, other})
	}
	return set
}
