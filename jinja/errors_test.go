package jinja

import (
	"errors"
	"strings"
	"testing"
)

func TestErrorsPointAtTheFault(t *testing.T) {
	for _, c := range []struct{ src, message, excerpt string }{
		{"a\n{{ x.y }}", "jinja: test:2:6: 'x' is undefined", "{{ x.y }}\n     ^"},
		{"{{ 'é' + 1 }}", "jinja: test:1:8: unsupported operand type(s) for +: 'str' and 'int'", "{{ 'é' + 1 }}\n       ^"},
		{"{{ 1|nope }}", "jinja: test:1:6: no filter named 'nope'", "{{ 1|nope }}\n     ^"},
		{"{% if 1 %}\n{% for i in 2 %}{% endfor %}{% endif %}", "jinja: test:2:4: 'int' object is not iterable", "{% for i in 2 %}{% endfor %}{% endif %}\n   ^"},
		{"{% if 1 %}", "jinja: test:1:11: found the end of the template, want '{% elif %}' or '{% else %}' or '{% endif %}'", "{% if 1 %}\n          ^"},
		{"{% for i in l %}\n{% endif %}", "jinja: test:2:4: unknown tag 'endif'; the innermost open block wants '{% endfor %}'", "{% endif %}\n   ^"},
		{"{% include 'x' %}", "jinja: test:1:4: the tag 'include' is not allowed in a chat template", "{% include 'x' %}\n   ^"},
		{"{{ (1 }}", "jinja: test:1:7: unexpected '}', want ')'", "{{ (1 }}\n      ^"},
		{"{{ {}.pop('a') }}", "jinja: test:1:10: access to attribute 'pop' of 'dict' object is unsafe", "{{ {}.pop('a') }}\n         ^"},
		{"{{ 1 }", "jinja: test:1:6: unexpected '}', no bracket is open", "{{ 1 }\n     ^"},
		{"\t{{ 9223372036854775807 + 1 }}", "jinja: test:1:25: integer overflow: integers here have 64 bits", " {{ 9223372036854775807 + 1 }}\n                        ^"},
	} {
		_, err := render(c.src, NewDict(), Limits{})
		var fault *Error
		if !errors.As(err, &fault) {
			t.Errorf("%q: found error %v, want an *Error", c.src, err)
			continue
		}
		if err.Error() != c.message {
			t.Errorf("%q:\nfound %s\nwant  %s", c.src, err, c.message)
		}
		if fault.Excerpt() != c.excerpt {
			t.Errorf("%q:\nfound\n%s\nwant\n%s", c.src, fault.Excerpt(), c.excerpt)
		}
	}
}

func TestExcerptOfALongLine(t *testing.T) {
	_, err := render(strings.Repeat("é", 100)+"{{ x.y }}"+strings.Repeat("é", 100), nil, Limits{})
	var fault *Error
	if !errors.As(err, &fault) {
		t.Fatalf("found error %v, want an *Error", err)
	}
	line, caret, _ := strings.Cut(fault.Excerpt(), "\n")
	at := len([]rune(caret)) - 1
	if got := []rune(line); string(got[at-2:at+1]) != "x.y" || len(line) > 200 {
		t.Errorf("found\n%s", fault.Excerpt())
	}
}

func TestRaisedKeepsItsMessage(t *testing.T) {
	_, err := render("\n{{ raise_exception('Roles must\\nalternate') }}", nil, Limits{})
	var raised *Raised
	if !errors.As(err, &raised) || raised.Message != "Roles must\nalternate" || raised.Line != 2 {
		t.Fatalf("found error %#v, want a *Raised", err)
	}
	if want := `jinja: test:2: the template refuses this conversation: Roles must\nalternate`; err.Error() != want {
		t.Errorf("found %s, want %s", err, want)
	}
}
