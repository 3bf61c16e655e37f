package jinja

import "slices"

// statements maps the first word of a tag to what parses the rest of it.
var statements map[string]func(p *parser, at place) stmt

func init() {
	statements = map[string]func(p *parser, at place) stmt{
		"if":         (*parser).ifTag,
		"for":        (*parser).forTag,
		"set":        (*parser).setTag,
		"with":       (*parser).withTag,
		"macro":      (*parser).macroTag,
		"call":       (*parser).callTag,
		"filter":     (*parser).filterTag,
		"block":      (*parser).blockTag,
		"generation": (*parser).generationTag,
		"break":      (*parser).jumpTag,
		"continue":   (*parser).jumpTag,
		"do":         (*parser).doTag,
		"print":      (*parser).printTag,
	}
}

// refused are the tags of jinja2 that reach outside a template's arguments, or that chat templates have no use for.
var refused = []string{"include", "import", "from", "extends", "autoescape", "trans"}

func (p *parser) statement() stmt {
	t := p.take()
	if t.kind != tokenName {
		p.failAt(t.pos, "found %v, want the name of a tag", t)
	}
	if parse := statements[t.text]; parse != nil {
		return parse(p, place(t.pos))
	}
	if slices.Contains(refused, t.text) {
		p.failAt(t.pos, "the tag '%s' is not allowed in a chat template", t.text)
	}
	if len(p.waiting) > 0 {
		p.failAt(t.pos, "unknown tag '%s'; the innermost open block wants '{%% %s %%}'", t.text, p.waiting[len(p.waiting)-1])
	}
	p.failAt(t.pos, "unknown tag '%s'", t.text)
	return nil
}

func (p *parser) ifTag(at place) stmt {
	lenient := p.lenient
	p.lenient = true
	defer func() { p.lenient = lenient }()
	n := &ifStmt{place: at}
	for {
		test := p.tuple(tupleRules{noCond: true})
		p.expectKind(tokenBlockEnd)
		n.arms = append(n.arms, ifArm{test, p.block("elif", "else", "endif")})
		switch p.take().text {
		case "else":
			n.rest = p.enclosed("endif")
			return n
		case "endif":
			return n
		}
	}
}

func (p *parser) forTag(at place) stmt {
	n := &forStmt{place: at, target: p.target(targetRules{end: "in"})}
	p.expectName("in")
	n.items = p.tuple(tupleRules{noCond: true, end: "recursive"})
	if p.acceptName("if") {
		n.filter = p.expression()
	}
	n.recursive = p.acceptName("recursive")
	p.expectKind(tokenBlockEnd)
	n.body = p.separate(n.recursive, func() []stmt {
		p.loops++
		return p.block("else", "endfor")
	})
	if p.take().text == "else" {
		n.otherwise = p.separate(n.recursive, func() []stmt { return p.enclosed("endfor") })
	}
	return n
}

func (p *parser) setTag(at place) stmt {
	t := p.target(targetRules{namespace: true})
	if p.accept("=") {
		return &setStmt{at, t, p.tuple(tupleRules{})}
	}
	n := &setBlock{place: at, target: t}
	n.filter = p.filters(nil)
	n.body = p.separate(false, func() []stmt { return p.enclosed("endset") })
	return n
}

func (p *parser) withTag(at place) stmt {
	n := &withStmt{place: at}
	for p.peek().kind != tokenBlockEnd {
		if len(n.targets) > 0 {
			p.expect(",")
		}
		n.targets = append(n.targets, p.target(targetRules{}))
		p.expect("=")
		n.values = append(n.values, p.expression())
	}
	n.body = p.separate(false, func() []stmt { return p.enclosed("endwith") })
	return n
}

// signature parses the parameters of a macro. Its defaults belong to the macro: they may name caller.
func (p *parser) signature(def *macroDef) {
	p.expect("(")
	for !p.peek().is(tokenOperator, ")") {
		if len(def.params) > 0 {
			p.expect(",")
		}
		param := p.expectKind(tokenName)
		if slices.Contains(def.params, param.text) {
			p.failAt(param.pos, "duplicate parameter '%s'", param.text)
		}
		def.params = append(def.params, param.text)
		if p.accept("=") {
			def.defaults = append(def.defaults, p.expression())
		} else if len(def.defaults) > 0 {
			p.failAt(param.pos, "parameter '%s' without a default follows one with a default", param.text)
		}
	}
	p.expect(")")
}

// macroBody parses a macro's body; parameters named like the special names are plain parameters.
func (p *parser) macroBody(def *macroDef, end string) {
	p.macros = append(p.macros, def)
	def.body = p.separate(true, func() []stmt { return p.enclosed(end) })
	p.macros = p.macros[:len(p.macros)-1]
	def.varargs = def.varargs && !slices.Contains(def.params, "varargs")
	def.kwargs = def.kwargs && !slices.Contains(def.params, "kwargs")
}

func (p *parser) macroTag(at place) stmt {
	def := &macroDef{name: p.expectKind(tokenName).text}
	p.signature(def)
	p.macroBody(def, "endmacro")
	return &macroStmt{at, def}
}

func (p *parser) callTag(at place) stmt {
	def := &macroDef{name: "caller"}
	if p.peek().is(tokenOperator, "(") {
		p.signature(def)
	}
	t := p.peek()
	call, ok := p.expression().(*callExpr)
	if !ok {
		p.failAt(t.pos, "found no call, want one: {%% call name(...) %%}")
	}
	p.macroBody(def, "endcall")
	return &callStmt{at, call, def}
}

func (p *parser) filterTag(at place) stmt {
	filter := p.filters(p.oneFilter(nil))
	body := p.separate(false, func() []stmt { return p.enclosed("endfilter") })
	return &filterBlock{at, filter, body}
}

// blockTag parses a block, which renders in place since nothing can extend the template.
func (p *parser) blockTag(at place) stmt {
	id := p.expectKind(tokenName).text
	scoped := p.acceptName("scoped")
	body := p.separate(true, func() []stmt {
		p.expectKind(tokenBlockEnd)
		body := p.block("endblock")
		p.next++
		p.acceptName(id)
		return body
	})
	return &scopeStmt{at, body, !scoped}
}

// generationTag parses Hugging Face's mark around what the assistant wrote. It only adds a scope.
func (p *parser) generationTag(at place) stmt {
	return &scopeStmt{at, p.separate(true, func() []stmt { return p.enclosed("endgeneration") }), false}
}

func (p *parser) jumpTag(at place) stmt {
	word := p.tokens[p.next-1].text
	if p.loops == 0 {
		p.failAt(int(at), "'%s' outside of a loop", word)
	}
	if word == "break" {
		return &jumpStmt{at, breakLoop}
	}
	return &jumpStmt{at, continueLoop}
}

func (p *parser) doTag(at place) stmt { return &doStmt{at, p.tuple(tupleRules{})} }

// printTag parses expressions that are printed one behind the other.
func (p *parser) printTag(at place) stmt {
	n := &concatExpr{place: at}
	for p.peek().kind != tokenBlockEnd {
		if len(n.parts) > 0 {
			p.expect(",")
		}
		n.parts = append(n.parts, p.expression())
	}
	return &printStmt{at, n}
}

// targetRules say what may be assigned to.
type targetRules struct {
	namespace bool   // attributes of a namespace
	end       string // the word behind the target
}

func (p *parser) target(rules targetRules) target {
	t := target{place: place(p.peek().pos)}
	for {
		if t.tuple && (p.peek().is(tokenName, rules.end) || p.peek().is(tokenOperator, "=")) {
			return t
		}
		t.items = append(t.items, p.oneTarget(rules))
		if !p.accept(",") {
			break
		}
		t.tuple = true
	}
	if !t.tuple {
		return t.items[0]
	}
	return t
}

var reserved = []string{"true", "false", "none", "True", "False", "None"}

func (p *parser) oneTarget(rules targetRules) target {
	defer p.nest()()
	if p.accept("(") {
		t := p.target(rules)
		p.expect(")")
		return t
	}
	word := p.expectKind(tokenName)
	if slices.Contains(reserved, word.text) {
		p.failAt(word.pos, "cannot assign to '%s'", word.text)
	}
	t := target{place: place(word.pos), id: word.text}
	if rules.namespace && p.accept(".") {
		t.attr = p.expectKind(tokenName).text
	}
	return t
}
