package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/tokenizer"
)

// templateCommand is nrt template.
type templateCommand struct {
	*app
	model    modelFlags
	system   string
	messages string
	args     map[string]string
	json     bool
}

func newTemplate(a *app) *cobra.Command {
	t := &templateCommand{app: a}
	cmd := &cobra.Command{
		Use:   "template -m FILE [MESSAGE]",
		Short: "Show what the model will really see of a conversation",
		Long: `Show what the model will really see of a conversation: the text after the chat
template, and its tokens. Without a message the template's source is printed.`,
		RunE: func(_ *cobra.Command, args []string) error { return t.run(args) },
	}
	t.model.fileFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&t.model.templateFile, "chat-template-file", "", "use the chat template in this `file` instead of the model's own")
	flags.StringVar(&t.system, "system", "", "system prompt, a `text` (also -sys)")
	flags.StringVar(&t.messages, "messages", "", "read messages, or a request with tools, from this JSON `file`")
	flags.StringToStringVar(&t.args, "arg", nil, "a further variable of the template, such as enable_thinking=false")
	flags.BoolVar(&t.json, "json", false, "print JSON: text, count, ids, pieces")
	return cmd
}

func (t *templateCommand) run(args []string) error {
	args, err := t.model.take(args)
	if err != nil {
		return err
	}
	f, err := gguf.Open(t.model.path)
	if err != nil {
		return err
	}
	defer f.Close()
	vocab, err := tokenizer.FromGGUF(f)
	if err != nil {
		return err
	}
	if len(args) == 0 && t.messages == "" {
		return t.source(vocab)
	}
	req, err := t.request(strings.Join(args, " "))
	if err != nil {
		return err
	}
	return t.render(vocab, req)
}

// source prints the template itself.
func (t *templateCommand) source(vocab *tokenizer.Tokenizer) error {
	text, ok := vocab.ChatTemplate("")
	if t.model.templateFile != "" {
		var err error
		if text, err = readTextFile(t.model.templateFile); err != nil {
			return fmt.Errorf("chat template: %w", err)
		}
	} else if !ok {
		return fmt.Errorf("%s has no chat template", t.model.path)
	}
	if t.json {
		return t.printJSON(map[string]string{"template": text})
	}
	_, err := fmt.Fprintln(t.text(), text)
	return err
}

func (t *templateCommand) request(message string) (*chat.Request, error) {
	req := &chat.Request{Messages: conversationOf(t.system, message), TemplateArgs: map[string]json.RawMessage{}}
	if t.messages != "" {
		var err error
		if req.Messages, req.Tools, err = readMessages(t.messages); err != nil {
			return nil, err
		}
	}
	for name, value := range t.args {
		raw := json.RawMessage(value)
		if !json.Valid(raw) { // a bare word is a string
			raw, _ = json.Marshal(value)
		}
		req.TemplateArgs[name] = raw
	}
	return req, nil
}

// readMessages takes a list of messages, or an object with messages and tools.
func readMessages(path string) ([]chat.Message, []chat.Tool, error) {
	text, err := readTextFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("messages: %w", err)
	}
	var doc struct {
		Messages []chat.Message `json:"messages"`
		Tools    []chat.Tool    `json:"tools"`
	}
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		err = json.Unmarshal([]byte(text), &doc.Messages)
	} else {
		err = json.Unmarshal([]byte(text), &doc)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("messages: %s: %w", path, err)
	}
	if len(doc.Messages) == 0 {
		return nil, nil, fmt.Errorf("messages: %s: found none", path)
	}
	return doc.Messages, doc.Tools, nil
}

func (t *templateCommand) render(vocab *tokenizer.Tokenizer, req *chat.Request) error {
	template, err := t.template(vocab)
	if err != nil {
		return err
	}
	text, ids, err := template.Prompt(req)
	if err != nil {
		return err
	}
	if t.json {
		return t.printJSON(struct {
			Text string `json:"text"`
			tokenList
		}{text, tokensOf(vocab, ids)})
	}
	fmt.Fprintf(t.out, "%s\n\n", plain.Text(strings.TrimSuffix(text, "\n")))
	return writeTokens(t.out, vocab, ids)
}

func (t *templateCommand) template(vocab *tokenizer.Tokenizer) (*tokenizer.Template, error) {
	if t.model.templateFile == "" {
		return tokenizer.ModelTemplate(vocab)
	}
	source, err := readTextFile(t.model.templateFile)
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	return tokenizer.ParseTemplate(vocab, source)
}
