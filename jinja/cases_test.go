package jinja

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
)

// goldenCase is a template of testdata/cases.json with what jinja2 made of it.
type goldenCase struct {
	Template string
	Vars     json.RawMessage
	Want     *string
	Raised   string
	Error    string
}

func goldenCases(t testing.TB) []goldenCase {
	var cases []goldenCase
	readJSON(t, "testdata/cases.json", &cases)
	return cases
}

func (c *goldenCase) variables(t testing.TB) *Dict {
	if len(c.Vars) == 0 {
		return NewDict()
	}
	return variables(t, c.Vars)
}

func render(src string, vars *Dict, limits Limits) (string, error) {
	tmpl, err := Parse("test", src)
	if err != nil {
		return "", err
	}
	return tmpl.Render(context.Background(), vars, Options{Limits: limits, Now: goldenNow})
}

// TestLanguage holds every feature of the language against jinja2.
func TestLanguage(t *testing.T) {
	cases := goldenCases(t)
	if len(cases) < 250 {
		t.Errorf("found %d cases, want at least 250", len(cases))
	}
	for _, c := range cases {
		got, err := render(c.Template, c.variables(t), Limits{})
		var raised *Raised
		switch {
		case c.Raised != "":
			if !errors.As(err, &raised) || raised.Message != c.Raised {
				t.Errorf("%q\nfound %q, %v\nwant refusal %q", c.Template, got, err, c.Raised)
			}
		case c.Error != "":
			var fault *Error
			if !errors.As(err, &fault) {
				t.Errorf("%q\nfound %q, %v\nwant error like %s", c.Template, got, err, c.Error)
			}
		case err != nil || got != *c.Want:
			t.Errorf("%q\nfound %q, %v\nwant  %q", c.Template, got, err, *c.Want)
		}
	}
}

// TestCallersDataStays renders everything twice on the same data, which has to be as before.
func TestCallersDataStays(t *testing.T) {
	for _, c := range goldenCases(t) {
		vars := c.variables(t)
		before, err := render("{{ v | tojson }}", NewDict().Set("v", vars), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		first, firstErr := render(c.Template, vars, Limits{})
		second, secondErr := render(c.Template, vars, Limits{})
		if first != second || (firstErr == nil) != (secondErr == nil) {
			t.Errorf("%q: found %q, then %q", c.Template, first, second)
		}
		if after, err := render("{{ v | tojson }}", NewDict().Set("v", vars), Limits{}); err != nil || after != before {
			t.Errorf("%q changed its variables from %s to %s (%v)", c.Template, before, after, err)
		}
	}
}
