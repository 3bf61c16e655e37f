package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt"
	"github.com/nrt-go/nrt/cmd/nrt/internal/conversation"
	"github.com/nrt-go/nrt/cmd/nrt/internal/lineedit"
)

// chatCommand is nrt chat.
type chatCommand struct {
	*app
	model     modelFlags
	answer    answerFlags
	verbose   bool
	noHistory bool
	load      string
}

func newChat(a *app) *cobra.Command {
	c := &chatCommand{app: a}
	cmd := &cobra.Command{
		Use:   "chat -m FILE",
		Short: "Talk with a model",
		Long: `Talk with a model. /help lists the commands of the chat.

Where stdin is no terminal, each line (or text between """ and """) is a turn and
the answers go to stdout; the first error ends it.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeGGUF,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	c.model.register(cmd)
	c.answer.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&c.verbose, "verbose", false, "print timings after each answer")
	flags.BoolVar(&c.noHistory, "no-history", false, "keep no history of lines (also with NRT_NOHISTORY set)")
	flags.StringVar(&c.load, "load", "", "go on with the conversation in this `file`")
	return cmd
}

func (c *chatCommand) run(ctx context.Context, args []string) (err error) {
	if err := c.model.only(args); err != nil {
		return err
	}
	m, load, err := c.model.open(c.app)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if err := needTemplate(m, c.model.templateFile); err != nil {
		return err
	}
	talk := c.conversation(m, load)
	if c.load != "" {
		if err := talk.Handle(ctx, "/load "+c.load); err != nil {
			return err
		}
	}
	if !isTerminal(c.in) {
		return c.pipe(ctx, talk)
	}
	return c.dialogue(ctx, talk)
}

func (c *chatCommand) conversation(m *nrt.Model, load time.Duration) *conversation.Conversation {
	notes := io.Writer(c.err)
	if isTerminal(c.out) {
		notes = c.out
	}
	template := c.model.template
	if template == "" {
		template, _ = m.Tokenizer().ChatTemplate("")
	}
	talk := conversation.New(conversation.Config{
		Service: m,
		Out:     c.out,
		Notes:   notes,
		Raw:     !isTerminal(c.out),
		Load:    load,
		Model: conversation.Model{
			Name: filepath.Base(c.model.path), Context: m.ContextSize(), Template: template,
			Describe: func(w io.Writer) error {
				t := &table{w: w}
				gather(m.File()).write(t)
				return t.flush()
			},
		},
	})
	talk.System, talk.Settings, talk.Verbose = c.answer.system, c.answer.Settings, c.verbose
	return talk
}

// pipe takes each line of stdin as a turn.
func (c *chatCommand) pipe(ctx context.Context, talk *conversation.Conversation) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	var message conversation.Assembler
	lines := bufio.NewScanner(c.in)
	lines.Buffer(nil, maxText)
	for lines.Scan() {
		input, whole := message.Push(lines.Text())
		if !whole || input == "" {
			continue
		}
		err := talk.Handle(ctx, input)
		switch {
		case errors.Is(err, conversation.ErrQuit):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("stdin: %w", err)
	}
	if message.Open() {
		return fmt.Errorf(`stdin: found its end, wanted the """ that ends the message`)
	}
	return nil
}

// The prompts, as ollama's users know them.
var (
	firstPrompt = lineedit.Prompt{Text: ">>> ", More: "... ", Hint: "Write a message, or /help"}
	morePrompt  = lineedit.Prompt{Text: "... ", More: "... ", Hint: `""" ends the message`}
)

// dialogue is the chat on a terminal. Ctrl-C at the prompt clears the line and stays, Ctrl-D leaves.
func (c *chatCommand) dialogue(ctx context.Context, talk *conversation.Conversation) error {
	cfg := lineedit.Terminal(c.in, c.out)
	cfg.Compose, cfg.Complete, cfg.History = lineedit.Compose, conversation.Complete, c.history()
	editor := lineedit.New(cfg)
	defer editor.Close()
	// One channel for the whole dialogue: a Ctrl-C that comes just when an answer is complete must not end nrt.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	var message conversation.Assembler
	for {
		prompt := firstPrompt
		if message.Open() {
			prompt = morePrompt
		}
		if !c.color(c.out) {
			prompt.Hint = "" // what is not dim would look like typed text
		}
		line, err := editor.Read(ctx, prompt)
		switch {
		case errors.Is(err, lineedit.ErrInterrupt):
			message.Reset()
			fmt.Fprintln(c.out, c.dim(c.out, "Ctrl-D or /quit leaves"))
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		input, whole := message.Push(line)
		if err := cfg.History.Add(line); err != nil {
			c.complain(err)
		}
		if !whole || input == "" {
			continue
		}
		if err := c.turn(ctx, talk, input, interrupts); errors.Is(err, conversation.ErrQuit) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// turn handles one input; Ctrl-C meanwhile ends the answer and no more. Only what ends the chat is returned.
func (c *chatCommand) turn(ctx context.Context, talk *conversation.Conversation, input string, interrupts <-chan os.Signal) error {
	select {
	case <-interrupts: // it was for an answer that is complete
	default:
	}
	answering, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-interrupts:
			cancel()
		case <-answering.Done():
		}
	}()
	err := talk.Handle(answering, input)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !errors.Is(err, conversation.ErrQuit) {
		c.complain(err)
		return nil
	}
	fmt.Fprintln(c.out)
	return err
}

// history is where earlier lines are kept; one that cannot be read is no reason not to talk.
func (c *chatCommand) history() *lineedit.History {
	if c.noHistory || os.Getenv("NRT_NOHISTORY") != "" {
		return &lineedit.History{}
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return &lineedit.History{}
	}
	h, err := lineedit.LoadHistory(filepath.Join(dir, "nrt", "history"))
	if err != nil {
		c.complain(err)
		return &lineedit.History{}
	}
	return h
}
