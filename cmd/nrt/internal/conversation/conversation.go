// Package conversation is what `nrt chat` holds between its prompts: messages, settings, statistics, and the commands
// that change them. It knows neither terminal nor model file: answers come from a chat.Service, output goes to writers.
package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/cmd/nrt/internal/params"
	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
	"github.com/nrt-go/nrt/cmd/nrt/internal/timing"
)

// ErrQuit is what Handle returns when the user wants to leave.
var ErrQuit = errors.New("conversation: quit")

// Config is what a Conversation stands on.
type Config struct {
	Service chat.Service
	Model   Model
	Out     io.Writer // answers, and what commands were asked to show
	Notes   io.Writer // asides: the terminal, or stderr where Out goes to a program
	Raw     bool      // answers go out byte for byte: Out is no terminal
	Load    time.Duration
}

// Model is what the commands say about the model.
type Model struct {
	Name     string
	Context  int    // tokens
	Template string // source; "" when there is none
	Describe func(w io.Writer) error
}

// Conversation is a dialogue under way.
type Conversation struct {
	cfg Config

	System   string         // the system prompt; "" is none beyond what the template adds
	Messages []chat.Message // user and assistant in turn
	Settings params.Settings
	Think    *bool // the template's enable_thinking; nil is its default
	Verbose  bool

	last  *chat.Final
	total totals
}

// New makes a Conversation without messages.
func New(cfg Config) *Conversation { return &Conversation{cfg: cfg} }

// Handle carries out one input of the user: a command where it starts with a slash, else a message.
func (c *Conversation) Handle(ctx context.Context, input string) error {
	if name, arg, ok := cutCommand(input); ok {
		return c.command(ctx, name, arg)
	}
	return c.Send(ctx, input)
}

// Send adds a message and prints the answer to it as it comes. Cancelling ctx stops the answer; what had come stays in
// the conversation. After an error the conversation is as it was before: an error never becomes text of the
// model (R-3.W.4).
func (c *Conversation) Send(ctx context.Context, text string) error {
	before := c.Messages
	c.Messages = append(slices.Clip(before), chat.Message{Role: chat.User, Content: text})
	if err := c.answer(ctx, false); err != nil {
		c.Messages = before
		return err
	}
	return nil
}

// answer prints and adds the model's next message. Where nothing came before the stop, it takes the user's message
// back too: templates want the roles in turn.
func (c *Conversation) answer(ctx context.Context, fresh bool) error {
	req := c.Request()
	if fresh {
		req.Sampling.Seed = nil
	}
	started := time.Now()
	text, final, err := c.stream(ctx, req)
	switch {
	case err != nil && ctx.Err() == nil:
		return c.explain(err)
	case err != nil && text == "":
		c.Messages = c.Messages[:len(c.Messages)-1]
		c.notef("[stopped before the answer began; your message is taken back]")
		return nil
	}
	c.Messages = append(c.Messages, chat.Message{Role: chat.Assistant, Content: text})
	if err != nil {
		c.notef("[stopped]")
		return nil
	}
	c.account(final, time.Since(started))
	return nil
}

// Request is what the model will be asked.
func (c *Conversation) Request() *chat.Request {
	req := &chat.Request{}
	if c.System != "" {
		req.Messages = append(req.Messages, chat.Message{Role: chat.System, Content: c.System})
	}
	req.Messages = append(req.Messages, c.Messages...)
	if c.Think != nil {
		value, _ := json.Marshal(*c.Think) // a bool always has a JSON form
		req.TemplateArgs = map[string]json.RawMessage{"enable_thinking": value}
	}
	c.Settings.Apply(req)
	return req
}

// stream prints an answer; on an error it returns the text that had come.
func (c *Conversation) stream(ctx context.Context, req *chat.Request) (text string, final *chat.Final, err error) {
	var all []byte
	for ev, err := range c.cfg.Service.Chat(ctx, req) {
		if err != nil {
			c.endLine(all)
			return string(all), nil, err
		}
		all = append(all, ev.Text...)
		if err := c.print(ev.Text); err != nil {
			return string(all), nil, err
		}
		if ev.Final != nil {
			final = ev.Final
		}
	}
	if final == nil {
		return string(all), nil, fmt.Errorf("conversation: the answer ended without its final event")
	}
	c.endLine(all)
	return string(all), final, nil
}

func (c *Conversation) print(text string) error {
	if !c.cfg.Raw {
		text = plain.Text(text)
	}
	_, err := io.WriteString(c.cfg.Out, text)
	return err
}

// endLine puts what follows an answer on a line of its own.
func (c *Conversation) endLine(text []byte) {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		fmt.Fprintln(c.cfg.Out)
	}
}

// explain adds to an error what the user can do about it.
func (c *Conversation) explain(err error) error {
	var e *chat.Error
	if errors.As(err, &e) && e.Code == chat.ContextTooLong {
		return fmt.Errorf("%w: %s", err, c.roomAdvice())
	}
	return err
}

func (c *Conversation) roomAdvice() string {
	return "/undo takes back the last turn, /clear starts anew, and nrt chat -c N gives more room"
}

// account keeps the figures of an answer and tells what the user should know of them.
func (c *Conversation) account(final *chat.Final, took time.Duration) {
	c.last = final
	c.total.add(final)
	if final.Reason == chat.FinishContext {
		c.notef("[the context is full: %d of %d tokens; %s]", c.used(), c.cfg.Model.Context, c.roomAdvice())
	}
	if c.Verbose {
		fmt.Fprintln(c.cfg.Notes)
		timing.Report{Load: c.cfg.Load, Total: c.cfg.Load + took, Final: final}.Write(c.cfg.Notes)
	}
	c.cfg.Load = 0 // the model is loaded once
}

// used is how many tokens of the context the conversation takes.
func (c *Conversation) used() int {
	if c.last == nil {
		return 0
	}
	return len(c.last.PromptTokens) + c.last.Generated
}

func (c *Conversation) notef(format string, args ...any) {
	fmt.Fprintf(c.cfg.Notes, format+"\n", args...)
}

// totals are the figures of all answers so far.
type totals struct {
	answers, prompt, cached, generated int
	prefill, decode                    time.Duration
}

func (t *totals) add(f *chat.Final) {
	t.answers++
	t.prompt += len(f.PromptTokens)
	t.cached += f.CachedTokens
	t.generated += f.Generated
	t.prefill += f.Timings.Prefill
	t.decode += f.Timings.Decode
}
