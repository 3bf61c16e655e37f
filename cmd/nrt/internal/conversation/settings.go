package conversation

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nrt-go/nrt/cmd/nrt/internal/params"
	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
)

// alias makes a command that is /set NAME.
func alias(name string) func(*Conversation, context.Context, string) error {
	return func(c *Conversation, ctx context.Context, arg string) error { return c.set(ctx, name+" "+arg) }
}

// set takes ollama's "/set parameter temperature 0.2" too, and its words for what is on or off.
func (c *Conversation) set(_ context.Context, arg string) error {
	arg = strings.TrimSpace(strings.TrimPrefix(arg+" ", "parameter "))
	name, value, _ := strings.Cut(arg, " ")
	value = strings.TrimSpace(value)
	switch name {
	case "":
		return c.showParameters()
	case "system":
		return c.system(context.Background(), value)
	case "verbose":
		return toggle(name, value, &c.Verbose)
	case "quiet":
		c.Verbose = false
		return nil
	case "think":
		return c.setThink(value)
	case "nothink":
		return c.setThink("off")
	}
	return c.setParam(name, value)
}

func (c *Conversation) setParam(name, value string) error {
	p := params.Find(name)
	if p == nil {
		return fmt.Errorf("unknown parameter %s%s; /set lists them", name, nearParam(name))
	}
	if value == "" {
		fmt.Fprintln(c.cfg.Out, plain.Line(c.line(p)))
		return nil
	}
	return p.Set(&c.Settings, value)
}

func nearParam(name string) string {
	names := []string{"system", "verbose", "quiet", "think", "nothink"}
	for i := range params.Table {
		names = append(append(names, params.Table[i].Name), params.Table[i].Also...)
	}
	if near := Nearest(name, names); near != "" {
		return " (did you mean " + near + "?)"
	}
	return ""
}

func (c *Conversation) setThink(value string) error {
	if value == params.Unset {
		c.Think = nil
		return nil
	}
	think := c.Think != nil && *c.Think
	if err := toggle("think", value, &think); err != nil {
		return err
	}
	c.Think = &think
	return nil
}

// toggle reads on and off; without a word it is on.
func toggle(name, value string, on *bool) error {
	switch value {
	case "", "on", "true", "1":
		*on = true
	case "off", "false", "0":
		*on = false
	default:
		return fmt.Errorf("%s: found %q, wanted on or off", name, value)
	}
	return nil
}

func (c *Conversation) system(_ context.Context, arg string) error {
	switch arg {
	case "":
		return c.showSystem()
	case `""`:
		c.System = ""
		c.notef("[system prompt removed]")
	default:
		c.System = unquoted(arg)
		c.notef("[system prompt set]")
	}
	return nil
}

// unquoted takes a pair of quotes off, as ollama does: they are how the text is given, not part of it.
func unquoted(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

func quoted(s string) string { return strconv.Quote(plain.Cut(s, 60)) }
