package jinja

import "slices"

// tupleRules say how far an expression that may be a tuple goes.
type tupleRules struct {
	noCond bool   // whether "if" ends it rather than makes a conditional
	empty  bool   // whether it may be empty, as within parentheses
	end    string // a word that ends it
}

// tuple parses expressions with commas between them, or one expression.
func (p *parser) tuple(rules tupleRules) expr {
	parse := p.expression
	if rules.noCond {
		parse = p.or
	}
	at := place(p.peek().pos)
	var items []expr
	tuple := false
	for !p.tupleEnds(rules) {
		items = append(items, parse())
		if !p.accept(",") {
			break
		}
		tuple = true
	}
	if tuple || len(items) == 0 && rules.empty {
		return &listExpr{at, items, true}
	}
	if len(items) == 0 {
		p.failAt(p.peek().pos, "found %v, want an expression", p.peek())
	}
	return items[0]
}

func (p *parser) tupleEnds(rules tupleRules) bool {
	t := p.peek()
	return t.kind == tokenPrintEnd || t.kind == tokenBlockEnd || t.is(tokenOperator, ")") || t.is(tokenName, rules.end)
}

// expression parses a conditional: x if test else y.
func (p *parser) expression() expr {
	defer p.nest()()
	lenient := p.lenient
	x := p.or()
	for n := 0; p.peek().is(tokenName, "if"); n = p.link(n) {
		cond := &condExpr{place: place(p.take().pos), x: x}
		p.lenient = true
		cond.test = p.or()
		if p.acceptName("else") {
			cond.y = p.expression()
		}
		x = cond
	}
	p.lenient = lenient
	return x
}

func (p *parser) or() expr {
	x := p.and()
	for n := 0; p.peek().is(tokenName, "or"); n = p.link(n) {
		at := place(p.take().pos)
		x = &logicExpr{at, true, x, p.and()}
	}
	return x
}

func (p *parser) and() expr {
	x := p.not()
	for n := 0; p.peek().is(tokenName, "and"); n = p.link(n) {
		at := place(p.take().pos)
		x = &logicExpr{at, false, x, p.not()}
	}
	return x
}

func (p *parser) not() expr {
	if t := p.peek(); t.is(tokenName, "not") {
		defer p.nest()()
		p.next++
		return &notExpr{place(t.pos), p.not()}
	}
	return p.comparison()
}

var comparisons = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

func (p *parser) comparison() expr {
	at := place(p.peek().pos)
	x := p.sum()
	n := &compareExpr{place: at, x: x}
	for {
		t := p.peek()
		switch {
		case t.kind == tokenOperator && comparisons[t.text]:
			n.ops = append(n.ops, p.take().text)
		case p.acceptName("in"):
			n.ops = append(n.ops, "in")
		case t.is(tokenName, "not") && p.peekSecond().is(tokenName, "in"):
			p.next += 2
			n.ops = append(n.ops, "not in")
		case n.ops == nil:
			return x
		default:
			return n
		}
		n.place = place(t.pos)
		n.rest = append(n.rest, p.sum())
	}
}

// binary parses a chain of operators of one precedence, which bind to the left.
func (p *parser) binary(operand func() expr, ops ...string) expr {
	x := operand()
	for n := 0; ; n = p.link(n) {
		t := p.peek()
		if t.kind != tokenOperator || !slices.Contains(ops, t.text) {
			return x
		}
		p.next++
		x = &binaryExpr{place(t.pos), t.text, x, operand()}
	}
}

func (p *parser) sum() expr { return p.binary(p.concat, "+", "-") }

func (p *parser) concat() expr {
	first := p.product()
	n := &concatExpr{place(p.peek().pos), []expr{first}}
	for p.accept("~") {
		n.parts = append(n.parts, p.product())
	}
	if len(n.parts) == 1 {
		return first
	}
	return n
}

func (p *parser) product() expr { return p.binary(p.power, "*", "/", "//", "%") }

func (p *parser) power() expr {
	return p.binary(func() expr { return p.unary(true) }, "**")
}

// unary parses a signed operand with what follows it: subscripts, calls and, where wanted, filters and tests. The sign
// binds tighter than these.
func (p *parser) unary(filters bool) expr {
	var x expr
	if t := p.peek(); t.is(tokenOperator, "-") || t.is(tokenOperator, "+") {
		leave := p.nest()
		p.next++
		x = &unaryExpr{place(t.pos), t.text, p.unary(false)}
		leave()
	} else {
		x = p.primary()
	}
	x = p.postfix(x)
	if filters {
		x = p.filtersAndTests(x)
	}
	return x
}

func (p *parser) primary() expr {
	t := p.peek()
	at := place(t.pos)
	switch t.kind {
	case tokenName:
		p.next++
		return p.word(t)
	case tokenString:
		s := ""
		for p.peek().kind == tokenString {
			s += p.take().text
		}
		return &literal{at, String(s)}
	case tokenNumber:
		p.next++
		return &literal{at, t.value}
	case tokenOperator:
		switch t.text {
		case "(":
			p.next++
			x := p.tuple(tupleRules{empty: true})
			p.expect(")")
			return x
		case "[":
			return p.list()
		case "{":
			return p.dict()
		}
	}
	p.failAt(t.pos, "found %v, want an expression", t)
	return nil
}

func (p *parser) word(t token) expr {
	at := place(t.pos)
	switch t.text {
	case "true", "True":
		return &literal{at, Bool(true)}
	case "false", "False":
		return &literal{at, Bool(false)}
	case "none", "None":
		return &literal{at, None{}}
	}
	for _, def := range p.macros {
		def.varargs = def.varargs || t.text == "varargs"
		def.kwargs = def.kwargs || t.text == "kwargs"
		def.caller = def.caller || t.text == "caller"
	}
	return &name{at, t.text}
}

func (p *parser) list() expr {
	n := &listExpr{place: place(p.expect("[").pos)}
	for !p.accept("]") {
		if len(n.items) > 0 {
			p.expect(",")
			if p.accept("]") {
				break
			}
		}
		n.items = append(n.items, p.expression())
	}
	return n
}

func (p *parser) dict() expr {
	n := &dictExpr{place: place(p.expect("{").pos)}
	for !p.accept("}") {
		if len(n.keys) > 0 {
			p.expect(",")
			if p.accept("}") {
				break
			}
		}
		n.keys = append(n.keys, p.expression())
		p.expect(":")
		n.values = append(n.values, p.expression())
	}
	return n
}
