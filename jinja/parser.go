package jinja

import (
	"fmt"
	"slices"
)

// parser turns tokens into statements and expressions.
type parser struct {
	name    string
	src     string
	tokens  []token
	next    int
	nesting int
	loops   int         // loops around the current statement, for break and continue
	lenient bool        // whether an unknown filter or test fails only when it is reached, as jinja2 has it inside an if
	macros  []*macroDef // the macros around, which note whether they name varargs, kwargs and caller
	waiting []string    // tags that would end the blocks around
}

func (p *parser) failAt(pos int, format string, args ...any) {
	panic(&Error{Name: p.name, Message: fmt.Sprintf(format, args...), src: p.src, pos: pos})
}

func (p *parser) peek() token { return p.tokens[p.next] }

func (p *parser) peekSecond() token { return p.tokens[min(p.next+1, len(p.tokens)-1)] }

func (p *parser) take() token {
	t := p.tokens[p.next]
	if t.kind != tokenEOF {
		p.next++
	}
	return t
}

// accept takes the next token if it is this operator.
func (p *parser) accept(op string) bool {
	if p.peek().is(tokenOperator, op) {
		p.next++
		return true
	}
	return false
}

// acceptName takes the next token if it is this word.
func (p *parser) acceptName(word string) bool {
	if p.peek().is(tokenName, word) {
		p.next++
		return true
	}
	return false
}

func (p *parser) expect(op string) token {
	t := p.take()
	if !t.is(tokenOperator, op) {
		p.failAt(t.pos, "found %v, want '%s'", t, op)
	}
	return t
}

func (p *parser) expectKind(kind tokenKind) token {
	t := p.take()
	if t.kind != kind {
		p.failAt(t.pos, "found %v, want %v", t, token{kind: kind, text: "a name"})
	}
	return t
}

func (p *parser) expectName(word string) {
	if t := p.take(); !t.is(tokenName, word) {
		p.failAt(t.pos, "found %v, want '%s'", t, word)
	}
}

// nest guards the recursion of the parser; its result undoes it.
func (p *parser) nest() func() {
	if p.nesting++; p.nesting > maxNesting {
		e := &Error{Name: p.name, Message: fmt.Sprintf("nested more than %d deep", maxNesting), src: p.src, pos: p.peek().pos, cause: ErrLimit}
		panic(e)
	}
	return func() { p.nesting-- }
}

// link guards the length of a chain of operators, which evaluation descends into. n is the number of links so far.
func (p *parser) link(n int) int {
	if n >= maxChain {
		panic(&Error{Name: p.name, Message: fmt.Sprintf("more than %d operators in a row", maxChain), src: p.src, pos: p.peek().pos, cause: ErrLimit})
	}
	return n + 1
}

func (p *parser) template() []stmt {
	body := p.block()
	if t := p.peek(); t.kind != tokenEOF {
		p.failAt(t.pos, "found %v outside any tag", t)
	}
	return body
}

// block parses statements up to one of the tags that end it, whose name is then the next token, or up to the end of
// the template where there are none.
func (p *parser) block(ends ...string) []stmt {
	defer p.nest()()
	outer := p.waiting
	p.waiting = append(slices.Clip(outer), ends...)
	defer func() { p.waiting = outer }()
	var body []stmt
	for {
		switch t := p.take(); t.kind {
		case tokenEOF:
			if len(ends) > 0 {
				p.failAt(t.pos, "found the end of the template, want %s", alternatives(ends))
			}
			return body
		case tokenData:
			body = append(body, &textStmt{place(t.pos), t.text})
		case tokenPrintBegin:
			body = append(body, &printStmt{place(t.pos), p.tuple(tupleRules{})})
			p.expectKind(tokenPrintEnd)
		case tokenBlockBegin:
			if word := p.peek(); word.kind == tokenName && slices.Contains(ends, word.text) {
				return body
			}
			if st := p.statement(); st != nil {
				body = append(body, st)
			}
			p.expectKind(tokenBlockEnd)
		default:
			p.failAt(t.pos, "found %v outside any tag", t)
		}
	}
}

func alternatives(tags []string) string {
	s := ""
	for i, tag := range tags {
		if i > 0 {
			s += " or "
		}
		s += "'{% " + tag + " %}'"
	}
	return s
}

// enclosed parses the body of a tag up to its end tag, which it takes.
func (p *parser) enclosed(end string) []stmt {
	p.expectKind(tokenBlockEnd)
	body := p.block(end)
	p.next++
	return body
}

// separate parses a body that jinja2 compiles on its own: unknown filters in it fail at once, even inside an if. Where
// the body becomes a function, loops around it cannot be left from inside.
func (p *parser) separate(function bool, parse func() []stmt) []stmt {
	lenient, loops := p.lenient, p.loops
	p.lenient = false
	if function {
		p.loops = 0
	}
	body := parse()
	p.lenient, p.loops = lenient, loops
	return body
}
