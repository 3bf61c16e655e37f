package grammar

import (
	"strings"
	"testing"
)

// bytesVocab is a vocabulary of all single bytes, some words, an end (300) and a control token (301).
func bytesVocab(words ...string) *Vocab {
	size := 302 + len(words)
	return NewVocab(size, func(id int32) []byte {
		switch {
		case id < 256:
			return []byte{byte(id)}
		case id >= 302:
			return []byte(words[id-302])
		}
		return nil
	}, []int32{300})
}

const end = 300

// matches tells whether the whole text is in the grammar, and whether the grammar can still be met behind its start.
func matches(t *testing.T, g *Grammar, s string) (whole, prefix bool) {
	t.Helper()
	c, err := bytesVocab().Compile(g)
	if err != nil {
		t.Fatal(err)
	}
	st := c.Start()
	for i := range len(s) {
		if st.Accept(int32(s[i])) != nil {
			return false, false
		}
	}
	return st.Complete(), true
}

func TestGBNF(t *testing.T) {
	for _, c := range []struct {
		name, source string
		yes, no      []string
	}{
		{"text", `root ::= "yes"`, []string{"yes"}, []string{"", "ye", "yess", "no"}},
		{"choice", `root ::= "a" | "bc" | ""`, []string{"a", "bc", ""}, []string{"b", "abc"}},
		{"lines", "root ::= (\n  \"a\" # first\n  | \"b\"\n)\n  | \"c\"\n\nrest ::= root", []string{"a", "b", "c"}, []string{"d"}},
		{"class", `root ::= [a-cx]+`, []string{"a", "xab"}, []string{"", "d", "a-"}},
		{"negated", `root ::= [^"\\]*`, []string{"", "a]ü🙂"}, []string{`a"`, `\`}},
		{"class with signs", `root ::= [\]\-\^a-]`, []string{"]", "-", "^", "a"}, []string{"b", "\\"}},
		{"any", `root ::= .`, []string{"a", "ü", "€", "🙂"}, []string{"", "ab", "\xff", "\xed\xa0\x80"}},
		{"repetitions", `root ::= "a"{2} "b"{1,} "c"{0,2} "d"{,1}`, []string{"aab", "aabbbccd"}, []string{"ab", "aaab", "aabccc", "aabdd"}},
		{"optional and groups", `root ::= ("a" "b"?)* "c"`, []string{"c", "abac"}, []string{"abb", "ac b"}},
		{"escapes", `root ::= "\x41\u00fc\U0001F642\n\t\\\""`, []string{"Aü🙂\n\t\\\""}, []string{"A"}},
		{"recursion", `root ::= "(" root? ")"`, []string{"()", "((()))"}, []string{"(", "(()"}},
		{"list that ends with itself", `root ::= [0-9] tail` + "\n" + `tail ::= "," [0-9] tail | ""`, []string{"1", "1,2,3"}, []string{"1,", ",1"}},
		{"empty loop", `root ::= ("a"*)* "b"`, []string{"b", "aab"}, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := GBNF(c.source)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.yes {
				if whole, _ := matches(t, g, s); !whole {
					t.Errorf("%q is refused", s)
				}
			}
			for _, s := range c.no {
				if whole, _ := matches(t, g, s); whole {
					t.Errorf("%q is taken", s)
				}
			}
		})
	}
}

func TestGBNFErrors(t *testing.T) {
	for source, want := range map[string]string{
		``:                                     `no rule "root"`,
		`start ::= "a"`:                        `no rule "root"`,
		`root = "a"`:                           `line 1, column 6: found "=" after the name of a rule, want ::=`,
		`root ::= "a`:                          `line 1, column 12: found the line's end, want the text's closing quote`,
		"root ::= \"a\n\"":                     `found the line's end, want the text's closing quote`,
		`root ::= [a`:                          `want the class's closing bracket`,
		`root ::= [z-a]`:                       `range 'z'-'a' ends before it begins`,
		`root ::= []`:                          `the class has no characters`,
		`root ::= ("a"`:                        `found the end, want ) at the end of the group`,
		`root ::= "a")`:                        `found ")", want the end of the rule`,
		`root ::= "a"{x}`:                      `found "x", want a repetition such as {2}, {2,} or {2,5}`,
		`root ::= "a"{3,1}`:                    `at least 3 and at most 1`,
		`root ::= "\q"`:                        `found \q, want one of \n`,
		`root ::= "\ud800"`:                    `\ud800 is no character`,
		`root ::= other`:                       `rule "root" refers to rule "other", which is not there`,
		`root ::= root "a" | "b"`:              `rule "root" begins with itself`,
		"root ::= x root\nx ::= \"a\"?":        `rule "root" begins with itself`,
		"root ::= \"a\"\nroot ::= \"b\"":       `line 2, column 5: rule "root" is there already`,
		`root ::= <think>`:                     `tokens by name or number are not supported`,
		`root ::= *`:                           `found "*", want "text", [class]`,
		"root ::= \"\xff\"":                    `byte 0xff is not UTF-8`,
		`root ::= ` + strings.Repeat("(", 300): `more than 200 groups within each other`,
	} {
		_, err := GBNF(source)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", source, err, want)
		}
	}
	g, err := GBNF(`root ::= (((("a"{100}){100}){100}){100})`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bytesVocab().Compile(g); err == nil || !strings.Contains(err.Error(), "more than 131072 instructions") {
		t.Errorf("a hundred million times: got %v", err)
	}
}

func TestRegexp(t *testing.T) {
	for pattern, cases := range map[string][2][]string{
		`[0-9]{3}-[a-z]+`: {{"123-a", "000-xyz"}, {"12-a", "123-"}},
		`^(yes|no)$`:      {{"yes", "no"}, {"yesno", ""}},
		`(?i)ok\.`:        {{"ok.", "OK.", "oK."}, {"okx"}},
		`\d+(\.\d+)?`:     {{"1", "1.5"}, {"1.", ".5"}},
		`.*`:              {{"", "aü"}, {"a\nb"}},
		`(?s).{2}`:        {{"a\n", "🙂ü"}, {"a"}},
		`[^\x00-\x7f]`:    {{"ü", "🙂"}, {"a"}},
		`\p{Greek}{1,2}`:  {{"α", "Ωβ"}, {"a", "αβγ"}},
	} {
		g, err := Regexp(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []bool{true, false} {
			for _, s := range cases[i] {
				if whole, _ := matches(t, g, s); whole != want {
					t.Errorf("%q on %q: %v, want %v", pattern, s, whole, want)
				}
			}
		}
	}
	for pattern, want := range map[string]string{
		`a(`:                 "missing closing )",
		`a\bc`:               `"\\b" is not supported here`,
		`a^b`:                "is not supported here",
		`(?=a)`:              "invalid or unsupported Perl syntax",
		`[^\x00-\x{10FFFF}]`: "a set of no characters",
	} {
		if _, err := Regexp(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", pattern, err, want)
		}
	}
}
