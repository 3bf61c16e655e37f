package jinja

import "slices"

// postfix parses subscripts, slices and calls behind x.
func (p *parser) postfix(x expr) expr {
	for n := 0; ; n = p.link(n) {
		t := p.peek()
		switch {
		case t.is(tokenOperator, "."):
			x = p.attribute(x)
		case t.is(tokenOperator, "["):
			x = p.subscript(x)
		case t.is(tokenOperator, "("):
			x = &callExpr{place(t.pos), x, p.callArgs()}
		default:
			return x
		}
	}
}

func (p *parser) attribute(x expr) expr {
	p.next++
	t := p.take()
	switch t.kind {
	case tokenName:
		return &attrExpr{place(t.pos), x, t.text}
	case tokenNumber:
		if _, ok := t.value.(Int); ok {
			return &itemExpr{place(t.pos), x, &literal{place(t.pos), t.value}}
		}
	}
	p.failAt(t.pos, "found %v behind '.', want a name or a number", t)
	return nil
}

func (p *parser) subscript(x expr) expr {
	at := place(p.expect("[").pos)
	if p.peek().is(tokenOperator, "]") {
		return p.closeTuple(at, x, nil)
	}
	first, slice := p.subscribed(at, x)
	if slice != nil {
		p.expect("]")
		return slice
	}
	items := []expr{first}
	if !p.peek().is(tokenOperator, ",") {
		p.expect("]")
		return &itemExpr{at, x, first}
	}
	for p.accept(",") {
		if p.peek().is(tokenOperator, "]") {
			break
		}
		items = append(items, p.expression())
	}
	return p.closeTuple(at, x, items)
}

// closeTuple ends a subscript by several keys, which is one by a tuple.
func (p *parser) closeTuple(at place, x expr, items []expr) expr {
	p.expect("]")
	return &itemExpr{at, x, &listExpr{at, items, true}}
}

// subscribed parses what stands in brackets: a key, or a slice of x.
func (p *parser) subscribed(at place, x expr) (key expr, slice expr) {
	n := &sliceExpr{place: at, x: x}
	if !p.peek().is(tokenOperator, ":") {
		n.start = p.expression()
		if !p.peek().is(tokenOperator, ":") {
			return n.start, nil
		}
	}
	for _, bound := range []*expr{&n.stop, &n.step} {
		if !p.accept(":") {
			break
		}
		if t := p.peek(); !t.is(tokenOperator, ":") && !t.is(tokenOperator, "]") {
			*bound = p.expression()
		}
	}
	return nil, n
}

// filtersAndTests parses filters, tests and calls of their results behind x.
func (p *parser) filtersAndTests(x expr) expr {
	for n := 0; ; n = p.link(n) {
		t := p.peek()
		switch {
		case t.is(tokenOperator, "|"):
			p.next++
			x = p.oneFilter(x)
		case t.is(tokenName, "is"):
			x = p.test(x)
		case t.is(tokenOperator, "("):
			x = &callExpr{place(t.pos), x, p.callArgs()}
		default:
			return x
		}
	}
}

// filters parses a chain of filters behind x, which is nil for the text of a block.
func (p *parser) filters(x expr) expr {
	for n := 0; p.accept("|"); n = p.link(n) {
		x = p.oneFilter(x)
	}
	return x
}

func (p *parser) oneFilter(x expr) expr {
	t := p.expectKind(tokenName)
	id := t.text
	for p.accept(".") {
		id += "." + p.expectKind(tokenName).text
	}
	if _, ok := filters[id]; !ok && !p.lenient {
		p.failAt(t.pos, "no filter named '%s'", id)
	}
	n := &filterExpr{place: place(t.pos), x: x, id: id}
	if p.peek().is(tokenOperator, "(") {
		n.args = p.callArgs()
	}
	return n
}

// test parses "is" and a test with its arguments, which are in parentheses or one plain operand.
func (p *parser) test(x expr) expr {
	p.next++
	negated := p.acceptName("not")
	t := p.expectKind(tokenName)
	id := t.text
	for p.accept(".") {
		id += "." + p.expectKind(tokenName).text
	}
	if _, ok := tests[id]; !ok && !p.lenient {
		p.failAt(t.pos, "no test named '%s'", id)
	}
	n := &testExpr{place: place(t.pos), x: x, id: id}
	if p.peek().is(tokenOperator, "(") {
		n.args = p.callArgs()
	} else if p.startsOperand() {
		if p.peek().is(tokenName, "is") {
			p.failAt(p.peek().pos, "tests cannot be chained with 'is'")
		}
		n.args.positional = []expr{p.postfix(p.primary())}
	}
	if negated {
		return &notExpr{place(t.pos), n}
	}
	return n
}

func (p *parser) startsOperand() bool {
	t := p.peek()
	switch t.kind {
	case tokenName:
		return !slices.Contains([]string{"else", "or", "and"}, t.text)
	case tokenString, tokenNumber:
		return true
	}
	return t.is(tokenOperator, "[") || t.is(tokenOperator, "{")
}

// callArgs parses arguments in parentheses: positional ones, keywords, then *args and **kwargs.
func (p *parser) callArgs() callArgs {
	defer p.nest()()
	open := p.expect("(")
	var a callArgs
	for first := true; !p.accept(")"); first = false {
		if !first {
			p.expect(",")
			if p.accept(")") {
				break
			}
		}
		p.argument(&a, open)
	}
	return a
}

func (p *parser) argument(a *callArgs, open token) {
	ordered := true
	switch t := p.peek(); {
	case p.accept("*"):
		ordered = a.star == nil && a.starStar == nil
		a.star = p.expression()
	case p.accept("**"):
		ordered = a.starStar == nil
		a.starStar = p.expression()
	case t.kind == tokenName && p.peekSecond().is(tokenOperator, "="):
		ordered = a.starStar == nil && !slices.Contains(a.names, t.text)
		p.next += 2
		a.names = append(a.names, t.text)
		a.values = append(a.values, p.expression())
	default:
		ordered = a.star == nil && a.starStar == nil && len(a.names) == 0
		a.positional = append(a.positional, p.expression())
	}
	if !ordered {
		p.failAt(open.pos, "arguments out of order, want positional ones, then keywords, then *args and **kwargs, each once")
	}
}
