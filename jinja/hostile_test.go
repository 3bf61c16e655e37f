package jinja

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

func repeat(s string, n int) string { return strings.Repeat(s, n) }

// hostile are templates that try to take the machine down or to reach beyond their arguments.
var hostile = []struct {
	name, src string
	limit     bool // whether a limit stops it, rather than a rule of the language
}{
	{"range of a billion", "{{ range(10**9) }}", false},
	{"range of a billion in a loop", "{% for i in range(1000000000) %}{% endfor %}", false},
	{"range over all integers", "{{ range(-9223372036854775808, 9223372036854775807)|list }}", false},
	{"nested loops", "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", true},
	{"nested loops without a body", repeat("{% for i in range(1000) %}", 20) + repeat("{% endfor %}", 20), true},
	{"macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", true},
	{"macros that call each other", "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}", true},
	{"macro that calls itself twice", "{% macro m(n) %}{% if n %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(60) }}", true},
	{"caller that calls itself", "{% macro m() %}{{ caller() }}{% endmacro %}{% macro n() %}{% call m() %}{{ n() }}{% endcall %}{% endmacro %}{{ n() }}", true},
	{"recursive loop without end", "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}", true},
	{"filter block in a macro without end", "{% macro m() %}{% filter upper %}{{ m() }}{% endfilter %}{% endmacro %}{{ m() }}", true},
	{"deep parentheses", "{{ " + repeat("(", 10000) + "1" + repeat(")", 10000) + " }}", true},
	{"deep brackets", "{{ " + repeat("[", 10000) + repeat("]", 10000) + " }}", true},
	{"deep braces", "{{ " + repeat("{1:", 10000) + "1" + repeat("}", 10000) + " }}", true},
	{"deep calls", "{{ " + repeat("dict(a=", 10000) + "1" + repeat(")", 10000) + " }}", true},
	{"deep subscripts", "{{ " + repeat("a[", 10000) + "1" + repeat("]", 10000) + " }}", true},
	{"deep not", "{{ " + repeat("not ", 100000) + "1 }}", true},
	{"deep minus", "{{ " + repeat("-", 100000) + "1 }}", true},
	{"deep conditionals", "{{ " + repeat("1 if 0 else ", 50000) + "1 }}", true},
	{"deep ifs", repeat("{% if 1 %}", 10000) + repeat("{% endif %}", 10000), true},
	{"deep targets", "{% set " + repeat("(", 10000) + "a" + repeat(")", 10000) + " = 1 %}", true},
	{"long sum", "{{ " + repeat("1+", 100000) + "1 }}", true},
	{"long chain of attributes", "{{ a" + repeat(".b", 100000) + " }}", true},
	{"long chain of filters", "{{ a" + repeat("|e", 100000) + " }}", true},
	{"long chain of calls", "{{ a" + repeat("()", 100000) + " }}", true},
	{"template of megabytes", repeat(" ", 2<<20), true},
	{"string repeated", "{{ 'a' * 10**12 }}", true},
	{"empty string repeated", "{{ ('' * 10**18) ~ ('a' * 10**9) }}", true},
	{"list repeated", "{{ [1] * 10**10 }}", true},
	{"string that doubles", "{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}", true},
	{"list that doubles", "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}", true},
	{"list that holds itself twice", "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}", true},
	{"JSON of a list that holds itself twice", "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l|tojson }}", true},
	{"comparing lists that hold themselves twice", "{% set ns = namespace(l=[1], m=[1]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}{% set ns.m = [ns.m, ns.m] %}{% endfor %}{{ ns.l == ns.m }}", true},
	{"ordering deep lists", "{% set ns = namespace(l=[1], m=[1]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% set ns.m = [ns.m] %}{% endfor %}{{ ns.l < ns.m }}", true},
	{"deep list printed", "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}", true},
	{"deep tuple as a key", "{% set ns = namespace(l=()) %}{% for i in range(99999) %}{% set ns.l = (ns.l,) %}{% endfor %}{{ {ns.l: 1} }}", false},
	{"namespace in itself", "{% set ns = namespace() %}{% set ns.ns = ns %}{{ ns }}", true},
	{"much output", "{% for i in range(99999) %}" + repeat("x", 1000) + "{% endfor %}", true},
	{"much output in a macro", "{% macro m() %}{% for i in range(99999) %}" + repeat("x", 1000) + "{% endfor %}{% endmacro %}{{ m() }}", true},
	{"much output in a block", "{% set x %}{% for i in range(99999) %}" + repeat("x", 1000) + "{% endfor %}{% endset %}", true},
	{"wide padding", "{{ 'a'.center(10**9) }}", true},
	{"wide format", "{{ '%999999999d' % 1 }}", true},
	{"wide format method", "{{ '{:>999999999}'.format(1) }}", true},
	{"precise format", "{{ '%.999999999f' % 1 }}", false},
	{"precise format method", "{{ '{:.999999999f}'.format(1) }}", false},
	{"wide indent", "{{ ('a\n' * 1000)|indent(10**9) }}", true},
	{"wide JSON", "{{ [[1]]|tojson(indent=10**9) }}", true},
	{"join that multiplies", "{{ ('x' * 10**6).join('a' * 10**5) }}", true},
	{"replacing nothing by much", "{{ ('a' * 10**6).replace('', 'b' * 10**6) }}", true},
	{"tabs expanded", "{{ ('\t' * 10**6).expandtabs(10**6) }}", true},
	{"batches filled up", "{{ [1]|batch(10**9, 0)|list }}", true},
	{"slices of nothing", "{{ []|slice(10**9)|list }}", true},
	{"scanning long strings", "{% set s = 'a' * 10**7 %}{% for i in range(99999) %}{% if s.find('b') > 0 %}{% endif %}{% endfor %}", true},
	{"measuring long strings", "{% set s = 'a' * 10**7 %}{% for i in range(99999) %}{{ s|length }}{% endfor %}", true},
	{"comparing long strings", "{% set s = 'a' * 10**7 %}{% set u = s ~ '' %}{% for i in range(99999) %}{{ s == u }}{% endfor %}", true},
	{"searching long lists", "{% set l = range(99999)|list %}{% for i in l %}{{ -1 in l }}{% endfor %}", true},
	{"sorting again and again", "{% set l = range(99999)|list %}{% for i in l %}{% set x = l|sort %}{% endfor %}", true},
	{"integer that grows", "{% set ns = namespace(n=2) %}{% for i in range(99) %}{% set ns.n = ns.n * ns.n %}{% endfor %}", false},
	{"power", "{{ 9 ** 9 ** 9 }}", false},
	{"class of a string", "{{ ''.__class__.__mro__ }}", false},
	{"class by subscript", "{{ ''['__cl' ~ 'ass__']['__base__'] }}", false},
	{"class by filter", "{{ (''|attr('__class__'))|attr('__mro__')|list|first|attr('x') }}", false},
	{"class by map", "{{ ['']|map(attribute='__class__.__mro__')|list }}", false},
	{"class by format", "{{ '{0.__class__.__mro__}'.format('') }}", false},
	{"class by format with a key", "{{ '{a[__class__][__mro__]}'.format(a='') }}", false},
	{"globals of a macro", "{% macro m() %}{% endmacro %}{{ m.__globals__.os }}", false},
	{"globals of a function", "{{ range.__globals__.os }}", false},
	{"init of cycler", "{{ cycler.__init__.__globals__ }}", false},
	{"subclasses", "{{ [].__class__.__base__.__subclasses__()[0] }}", false},
	{"include", "{% include '/etc/passwd' %}", false},
	{"import", "{% import 'os' as os %}", false},
	{"from import", "{% from 'os' import system %}", false},
	{"extends", "{% extends '/etc/passwd' %}", false},
	{"changing a list", "{{ messages.append(1) }}", false},
	{"changing a dict", "{{ messages[0].update({'role': 'system'}) }}", false},
	{"emptying a dict", "{{ messages[0].clear() }}", false},
	{"assigning to an item", "{% set messages[0] = 1 %}", false},
	{"assigning to an attribute", "{% set messages.x = 1 %}", false},
	{"random", "{{ messages|random }}", false},
	{"open", "{{ open('/etc/passwd') }}", false},
	{"text of a function's name", "{{ namespace.x.y }}", false},
	{"NUL bytes", "{{ \x00 }}", false},
	{"half a character", "{{ \xff }}", false},
	{"unclosed comment", "{#" + repeat("{#", 100000), false},
	{"unclosed raw", "{% raw %}" + repeat("{% raw %}", 100000), false},
	{"unclosed string", "{{ '" + repeat("\\'", 100000), false},
	{"unclosed tags", repeat("{% if", 100000), false},
}

// TestHostileTemplates: every one of them ends in a clean error, soon and in little memory.
func TestHostileTemplates(t *testing.T) {
	if len(hostile) < 46 {
		t.Errorf("found %d templates, want at least 46", len(hostile))
	}
	messages, err := FromJSON([]byte(`{"messages": [{"role": "user", "content": "x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := render(c.src, messages.(*Dict), Limits{Steps: 3_000_000})
			runtime.ReadMemStats(&after)
			var fault *Error
			if !errors.As(err, &fault) {
				t.Fatalf("found %.100q, %v, want an *Error", got, err)
			}
			if errors.Is(err, ErrLimit) != c.limit {
				t.Errorf("found error %v, stopped by a limit: want %t", err, c.limit)
			}
			if n := len(err.Error()); n > 4096 || strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("found an error of %d bytes, want one line of at most 4096: %.200q", n, err)
			}
			if line, col := fault.Position(); line < 1 || col < 1 || fault.Excerpt() == "" {
				t.Errorf("found position %d:%d and excerpt %q", line, col, fault.Excerpt())
			}
			const most = 1 << 30 // allocated in all, most of it garbage at once
			if used := after.TotalAlloc - before.TotalAlloc; used > most {
				t.Errorf("allocated %d bytes, want at most %d", used, most)
			}
		})
	}
}

func TestRenderStopsWithItsContext(t *testing.T) {
	tmpl, err := Parse("test", "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = tmpl.Render(ctx, NewDict(), Options{Limits: Limits{Steps: 1 << 40}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("found error %v, want the context's", err)
	}
	if _, err = tmpl.Render(ctx, NewDict(), Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("found error %v, want the context's before the first step", err)
	}
}

func TestLimitsAreKept(t *testing.T) {
	for _, c := range []struct {
		name, src string
		limits    Limits
	}{
		{"steps", "{% for i in range(100) %}{% endfor %}", Limits{Steps: 50}},
		{"output", "{{ 'abcdef' }}", Limits{Output: 5}},
		{"memory", "{{ 'a' * 1000 }}", Limits{Memory: 500}},
		{"depth", "{{ [[[[1]]]] }}", Limits{Depth: 3}},
	} {
		if got, err := render(c.src, nil, c.limits); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: found %q, %v, want ErrLimit", c.name, got, err)
		}
		if _, err := render(c.src, nil, Limits{}); err != nil {
			t.Errorf("%s: found error %v without the limit", c.name, err)
		}
	}
}
