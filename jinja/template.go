package jinja

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Template is a parsed template. It is not changed by rendering and can be used by many goroutines at once.
type Template struct {
	name string
	src  string
	body []stmt
}

// Options are what a rendering may use besides its variables.
type Options struct {
	Limits Limits
	Now    time.Time // what strftime_now shows; where it is zero, strftime_now is an error
}

// Parse reads a template; name stands for it in errors. An error is an *Error.
func Parse(name, src string) (t *Template, err error) {
	defer catch(&err)
	if len(src) > maxSource {
		return nil, &Error{Name: name, Message: fmt.Sprintf("the template has %d bytes, want at most %d", len(src), maxSource), cause: ErrLimit}
	}
	if !utf8.ValidString(src) {
		src = strings.ToValidUTF8(src, "\uFFFD")
	}
	src = normalise(src)
	p := &parser{name: name, src: src, tokens: lex(name, src)}
	return &Template{name: name, src: src, body: p.template()}, nil
}

// Render returns the template's text for the variables, which are not changed. An error is an *Error, or a *Raised
// where the template itself refuses what it was given. Render stops when ctx does.
func (t *Template) Render(ctx context.Context, vars *Dict, opt Options) (result string, err error) {
	defer catch(&err)
	r := &run{
		budget: budget{ctx: ctx, limits: opt.Limits.withDefaults()},
		tmpl:   t,
		now:    opt.Now,
		root:   &scope{},
	}
	if err := ctx.Err(); err != nil {
		return "", &Error{Name: t.name, Message: "stopped: " + context.Cause(ctx).Error(), src: t.src, cause: err}
	}
	r.vars = vars
	r.out = &r.page
	r.block(t.body, r.root)
	return r.page.String(), nil
}
