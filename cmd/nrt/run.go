package main

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt"
	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
	"github.com/nrt-go/nrt/cmd/nrt/internal/timing"
)

// runCommand is nrt run.
type runCommand struct {
	*app
	model   modelFlags
	answer  answerFlags
	form    formatFlags
	prompt  string
	file    string
	raw     bool
	json    bool
	verbose bool
}

func newRun(a *app) *cobra.Command {
	r := &runCommand{app: a}
	cmd := &cobra.Command{
		Use:   "run -m FILE [PROMPT]",
		Short: "Answer one prompt and leave",
		Long: `Answer one prompt and leave.

Without a prompt, or with -, the prompt is read from stdin. With a prompt, what
a pipe or file brings on stdin is put after it, unless --raw is set.

The text goes to stdout as it comes, and nothing else does. It ends with a
newline, unless --raw is set and stdout is no terminal: then it is the model's
text byte for byte. With --json one object is printed at the end instead.`,
		Example: `  nrt run -m model.gguf "Why is the sky blue?"
  nrt run -m model.gguf "Summarize:" < report.txt
  nrt run -m model.gguf --choice yes --choice no "Is the sky blue?"
  nrt run -m model.gguf --raw --temp 0 -n 32 --json "Once upon a time"`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	r.model.register(cmd)
	r.answer.register(cmd)
	r.form.register(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&r.prompt, "prompt", "p", "", "the prompt, a `text`")
	flags.StringVarP(&r.file, "file", "f", "", "read the prompt from this `file`")
	flags.BoolVar(&r.raw, "raw", false, "continue the text: no chat template, BOS as the file says")
	flags.BoolVar(&r.json, "json", false, "print one JSON object: ids, text, finish reason, timings")
	flags.BoolVar(&r.verbose, "verbose", false, "print timings to stderr")
	return cmd
}

func (r *runCommand) run(ctx context.Context, args []string) error {
	args, err := r.model.take(args)
	if err != nil {
		return err
	}
	if r.raw && r.answer.system != "" {
		return usagef("--system needs the chat template, which --raw leaves out")
	}
	prompt, err := r.readPrompt(args)
	if err != nil {
		return err
	}
	form, err := r.form.format()
	if err != nil {
		return err
	}
	if r.verbose {
		r.model.notice = func(line string) { fmt.Fprintln(r.err, "nrt:", plain.Line(line)) }
	}
	return r.model.with(ctx, r.app, func(ctx context.Context, m *nrt.Model, load time.Duration) error {
		return r.generate(ctx, m, load, r.request(prompt, form))
	})
}

// readPrompt puts together what flags, arguments and stdin bring.
func (r *runCommand) readPrompt(args []string) (string, error) {
	var parts []string
	if r.prompt != "" {
		parts = append(parts, r.prompt)
	}
	if r.file != "" {
		text, err := readTextFile(r.file)
		if err != nil {
			return "", fmt.Errorf("prompt: %w", err)
		}
		parts = append(parts, text)
	}
	words := slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "-" })
	if len(words) > 0 { // an empty prompt is one too: with --raw the model begins from BOS
		parts = append(parts, strings.Join(words, " "))
	}
	if len(words) < len(args) || len(parts) == 0 || !r.raw && r.piped() {
		text, err := readText(r.in, "stdin")
		if err != nil {
			return "", err
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	prompt := strings.Join(parts, "\n\n")
	if prompt == "" && !r.raw {
		return "", usagef("no prompt: give one as an argument or on stdin")
	}
	return prompt, nil
}

// piped says whether a program or a file is on stdin.
func (a *app) piped() bool {
	info, err := a.in.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeNamedPipe != 0)
}

func (r *runCommand) request(prompt string, form *chat.Format) *chat.Request {
	req := &chat.Request{Format: form}
	if r.raw {
		req.Prompt = &prompt
	} else {
		req.Messages = conversationOf(r.answer.system, prompt)
	}
	r.answer.Apply(req)
	return req
}

// conversationOf is a first message, behind a system prompt if there is one.
func conversationOf(system, user string) []chat.Message {
	messages := []chat.Message{{Role: chat.User, Content: user}}
	if system != "" {
		messages = slices.Insert(messages, 0, chat.Message{Role: chat.System, Content: system})
	}
	return messages
}

// runResult is what --json prints: the contract with scripts.
type runResult struct {
	Model        string            `json:"model"`
	PromptTokens []int32           `json:"prompt_tokens"`
	Tokens       []int32           `json:"tokens"`
	Text         string            `json:"text"`
	FinishReason chat.FinishReason `json:"finish_reason"`
	Seed         uint64            `json:"seed"`
	Timings      timing.JSON       `json:"timings"`
}

func (r *runCommand) generate(ctx context.Context, m *nrt.Model, load time.Duration, req *chat.Request) error {
	if !r.raw {
		if err := needTemplate(m, r.model.templateFile); err != nil {
			return err
		}
	}
	started := time.Now()
	var answer chat.Answer
	var err error
	if r.json {
		answer, err = chat.Collect(m.Chat(ctx, req))
	} else {
		answer, err = r.stream(ctx, m, req)
	}
	if err != nil {
		return err
	}
	report := timing.Report{Load: load, Total: time.Since(started) + load, Final: &answer.Final}
	if answer.Reason == chat.FinishContext {
		fmt.Fprintf(r.err, "nrt: the context of %d tokens is full and the answer may be cut; -c N gives more room\n", m.ContextSize())
	}
	if r.verbose {
		report.Write(r.err)
	}
	if !r.json {
		return nil
	}
	return r.printJSON(runResult{
		Model: r.model.path, PromptTokens: answer.PromptTokens, Tokens: append([]int32{}, answer.Tokens...), Text: answer.Text,
		FinishReason: answer.Reason, Seed: answer.Seed, Timings: report.JSON(),
	})
}

// stream prints the answer as it comes and returns its figures.
func (r *runCommand) stream(ctx context.Context, m *nrt.Model, req *chat.Request) (chat.Answer, error) {
	var answer chat.Answer
	out := r.text()
	last := ""
	for ev, err := range m.Chat(ctx, req) {
		if err != nil {
			if last != "" {
				fmt.Fprintln(r.out) // the complaint begins on a line of its own
			}
			return answer, err
		}
		if _, err := fmt.Fprint(out, ev.Text); err != nil {
			return answer, err
		}
		if ev.Text != "" {
			last = ev.Text
		}
		if ev.Final != nil {
			answer.Final = *ev.Final
		}
	}
	if !strings.HasSuffix(last, "\n") && (!r.raw || isTerminal(r.out)) {
		fmt.Fprintln(r.out)
	}
	return answer, nil
}

// needTemplate explains a model without a chat template before a request fails for it.
func needTemplate(m *nrt.Model, file string) error {
	if _, ok := m.Tokenizer().ChatTemplate(""); ok || file != "" {
		return nil
	}
	return fmt.Errorf("%s has no chat template: it was not made for conversations; "+
		"nrt run --raw continues a text, --chat-template-file FILE brings a template", m.File().Path())
}
