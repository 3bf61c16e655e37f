package grammar

// jsonRules are the rules of JSON that schemas refer to. What JSON leaves to taste is bounded, so that a model cannot go
// on for ever within it: blanks, and the digits of numbers.
func jsonRules() map[string]*expr {
	digit := oneByte('0', '9')
	whole := alt(text("0"), seq(oneByte('1', '9'), repeat(digit, 0, 17)))
	sign := optional(text("-"))
	exponent := seq(alt(text("e"), text("E")), optional(alt(text("+"), text("-"))), repeat(digit, 1, 2))
	comma := seq(text(","), rule("ws"))
	member := seq(rule("string"), text(":"), rule("ws"), rule("value"))
	return map[string]*expr{
		"ws":      optional(alt(text(" "), seq(text("\n"), repeat(alt(text(" "), text("\t")), 0, 20)))),
		"value":   alt(rule("object"), rule("array"), rule("string"), rule("number"), rule("boolean"), rule("null")),
		"object":  braces("{", "}", optional(seq(member, repeat(seq(comma, member), 0, -1)))),
		"array":   braces("[", "]", optional(seq(rule("value"), repeat(seq(comma, rule("value")), 0, -1)))),
		"string":  seq(text(`"`), repeat(rule("char"), 0, -1), text(`"`)),
		"char":    jsonChar(),
		"integer": seq(sign, whole),
		"number":  seq(sign, whole, optional(seq(text("."), repeat(digit, 1, 17))), optional(exponent)),
		"boolean": alt(text("true"), text("false")),
		"null":    text("null"),
	}
}

// braces is an object or a list: what is within, with blanks around it.
func braces(open, close string, within *expr) *expr {
	return seq(text(open), rule("ws"), within, rule("ws"), text(close))
}

// jsonChar is a character of a string: as itself, or escaped in any of the ways that JSON has. Halves of UTF-16 pairs
// are left out; a model writes the character itself.
func jsonChar() *expr {
	hex := &expr{kind: isSet}
	hex.set.add('0', '9')
	hex.set.add('a', 'f')
	hex.set.add('A', 'F')
	noD := &expr{kind: isSet, set: hex.set}
	noD.set.remove('d')
	noD.set.remove('D')
	letter := &expr{kind: isSet}
	for _, c := range []byte(`"\/bfnrt`) {
		letter.set.add(c, c)
	}
	number := alt(seq(noD, repeat(hex, 3, 3)), seq(alt(text("d"), text("D")), oneByte('0', '7'), repeat(hex, 2, 2)))
	return alt(must(plainChars.raw()), seq(text(`\`), alt(letter, seq(text("u"), number))))
}

func (s *set) remove(b byte) { s[b/64] &^= 1 << (b % 64) }

// must is for sets that are known to have characters.
func must(e *expr, err error) *expr {
	if err != nil {
		panic(err)
	}
	return e
}

// plainChars are the characters that stand for themselves in a string.
var plainChars = chars{{0, 0x1f}, {'"', '"'}, {'\\', '\\'}}.not()

// quoted is one of the characters as it is written within a string: in one way each.
func (c chars) quoted() (*expr, error) {
	out := alt()
	for _, r := range c.and(plainChars.not()) {
		for ch := r.lo; ch <= r.hi; ch++ {
			out.subs = append(out.subs, text(string(escape(ch))))
		}
	}
	if plain, err := c.and(plainChars).raw(); err == nil {
		out.subs = append(out.subs, plain)
	}
	if len(out.subs) == 0 {
		return c.raw() // says that there are none
	}
	return out, nil
}
