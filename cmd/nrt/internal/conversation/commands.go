package conversation

import (
	"context"
	"fmt"
	"strings"
	"unicode"
)

// command is one row: what the user types after the slash and what it does.
type command struct {
	names []string
	args  string
	help  string
	do    func(c *Conversation, ctx context.Context, arg string) error
}

// The commands in the order of /help (R-027, R-028; /regen, /undo, /set, /show and /stats are ours).
var commands []command

func init() { // /help reads the table that it is in
	commands = []command{
		{[]string{"help", "h", "?"}, "", "show this list", (*Conversation).help},
		{[]string{"clear", "c", "reset"}, "", "forget the messages, keep the system prompt", (*Conversation).clear},
		{[]string{"system"}, "[TEXT]", `show or replace the system prompt; "" removes it`, (*Conversation).system},
		{[]string{"temp"}, "[F]", "show or set the temperature", alias("temp")},
		{[]string{"max"}, "[N]", "show or set how many tokens an answer may have", alias("predict")},
		{[]string{"set"}, "[NAME [VALUE]]", "show or set a parameter, system, verbose, think", (*Conversation).set},
		{[]string{"show"}, "[model|parameters|system|template]", "show what is in force", (*Conversation).show},
		{[]string{"regen", "retry"}, "", "answer the last message again, with a new seed", (*Conversation).regen},
		{[]string{"undo"}, "", "take back the last message and its answer", (*Conversation).undo},
		{[]string{"history"}, "", "show the messages", (*Conversation).history},
		{[]string{"stats", "tokens"}, "", "show tokens, speeds, cache hits, and the context used", (*Conversation).stats},
		{[]string{"save"}, "[FILE]", "write the conversation and its settings to a file", (*Conversation).save},
		{[]string{"load"}, "[FILE]", "go on with a conversation from a file", (*Conversation).load},
		{[]string{"quit", "q", "exit", "bye"}, "", "leave", (*Conversation).quit},
	}
}

// cutCommand splits "/name argument". A message may start with a slash where a space stands before it.
func cutCommand(input string) (name, arg string, ok bool) {
	rest, ok := strings.CutPrefix(input, "/")
	if !ok {
		return "", "", false
	}
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		return rest[:i], strings.TrimSpace(rest[i:]), true
	}
	return rest, "", true
}

func (c *Conversation) command(ctx context.Context, name, arg string) error {
	for i := range commands {
		for _, known := range commands[i].names {
			if known == strings.ToLower(name) {
				return commands[i].do(c, ctx, arg)
			}
		}
	}
	return fmt.Errorf("unknown command /%s%s; /help lists them, a space before the slash sends it as a message", name, didYouMean(name))
}

func didYouMean(name string) string {
	var names []string
	for i := range commands {
		names = append(names, commands[i].names...)
	}
	if near := Nearest(name, names); near != "" {
		return " (did you mean /" + near + "?)"
	}
	return ""
}

// Complete is what Tab adds to the text left of the cursor: the rest of a command's name.
func Complete(left string) string {
	prefix, ok := strings.CutPrefix(left, "/")
	if !ok || prefix == "" {
		return ""
	}
	rest := ""
	for i := range commands {
		if tail, ok := strings.CutPrefix(commands[i].names[0], prefix); ok {
			if rest != "" {
				return "" // more than one
			}
			rest = tail + " "
		}
	}
	return rest
}

func (c *Conversation) help(context.Context, string) error {
	for i := range commands {
		row := &commands[i]
		fmt.Fprintf(c.cfg.Out, "  %-42s %s\n", "/"+strings.Join(row.names, ", /")+" "+row.args, row.help)
	}
	fmt.Fprint(c.cfg.Out, `
  """                                        begins and ends a message of many lines; a paste is one message
  Ctrl-C                                     stop the answer, or clear the line
  Ctrl-D                                     leave
  Ctrl-G                                     write the message in $EDITOR
  Ctrl-R, up, down                           search and walk through earlier messages
  Alt-Enter                                  a new line in the message
`)
	return nil
}

func (c *Conversation) quit(context.Context, string) error { return ErrQuit }

// clear keeps the system prompt.
func (c *Conversation) clear(context.Context, string) error {
	c.Messages, c.last = nil, nil
	c.notef("[cleared]")
	return nil
}

func (c *Conversation) regen(ctx context.Context, _ string) error {
	n := len(c.Messages)
	if n < 2 {
		return fmt.Errorf("there is no answer to make again")
	}
	before := c.Messages
	c.Messages = before[: n-1 : n-1]
	err := c.answer(ctx, true)
	if err != nil || len(c.Messages) < n {
		c.Messages = before // no new answer came: the old one stands
	}
	return err
}

func (c *Conversation) undo(context.Context, string) error {
	n := len(c.Messages)
	if n < 2 {
		return fmt.Errorf("there is no message to take back")
	}
	c.notef("[taken back: %s]", quoted(c.Messages[n-2].Content))
	c.Messages = c.Messages[: n-2 : n-2]
	c.last = nil // its counts include what was taken back
	return nil
}
