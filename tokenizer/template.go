package tokenizer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/jinja"
)

// Template turns conversations into prompts. Any number of goroutines may use it.
type Template struct {
	vocab    *Tokenizer
	plain    *jinja.Template
	tools    *jinja.Template // for conversations with tools, nil where plain does these as well
	source   TemplateSource
	bos, eos string
	now      func() time.Time
}

// TemplateSource says where a template came from.
type TemplateSource string

// The sources of a template.
const (
	FromModel TemplateSource = "model"  // the model's own
	FromUser  TemplateSource = "given"  // given by the user instead
	FromTurns TemplateSource = "chatml" // the model has none, but the turn tokens of ChatML
)

// chatML is what models with ChatML's tokens were trained on when they say nothing else.
const chatML = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`

// A prompt may take renderTime, and as much again for each renderTimeBytes of conversation; and renderMemory bytes, or
// renderMemoryEach for each byte of conversation where that is more.
const (
	renderTime       = 500 * time.Millisecond
	renderTimeBytes  = 1 << 20
	renderMemory     = 64 << 20
	renderMemoryEach = 64
)

// ModelTemplate is the chat template of the model that t belongs to. A model without one is taken to speak ChatML
// where its vocabulary has the tokens for it, which Source tells; otherwise there is no template to use.
func ModelTemplate(t *Tokenizer) (*Template, error) {
	src, ok := t.ChatTemplate("")
	if !ok {
		src, ok = t.ChatTemplate("default")
	}
	if !ok {
		_, starts := t.ID("<|im_start|>")
		_, ends := t.ID("<|im_end|>")
		if !starts || !ends {
			return nil, errors.New("tokenizer: the model has no chat template and no <|im_start|> tokens to guess one from; give a template, or a raw prompt instead of messages")
		}
		return newTemplate(t, FromTurns, chatML)
	}
	c, err := newTemplate(t, FromModel, src)
	if err != nil {
		return nil, err
	}
	if src, ok := t.ChatTemplate("tool_use"); ok {
		if c.tools, err = jinja.Parse("chat_template.tool_use", src); err != nil {
			return nil, fmt.Errorf("tokenizer: the model's chat template for tools: %w", err)
		}
	}
	return c, nil
}

// ParseTemplate reads a chat template that is used instead of the model's own.
func ParseTemplate(t *Tokenizer, src string) (*Template, error) { return newTemplate(t, FromUser, src) }

func newTemplate(t *Tokenizer, source TemplateSource, src string) (*Template, error) {
	plain, err := jinja.Parse("chat_template", src)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: the chat template (%s): %w", source, err)
	}
	return &Template{vocab: t, plain: plain, source: source, bos: t.Token(t.BOS()), eos: t.Token(t.EOS()), now: time.Now}, nil
}

// Source says where the template came from.
func (c *Template) Source() TemplateSource { return c.source }

// Render is the text of the prompt for a conversation: its messages, tools and template arguments. The error of a
// template that refuses the conversation wraps a *jinja.Raised, of one that breaks on it a *jinja.Error.
func (c *Template) Render(req *chat.Request) (string, error) {
	return c.render(req, asWritten)
}

// render fills in the template; spell is how it gets to see the conversation's strings.
func (c *Template) render(req *chat.Request, spell func(string) string) (string, error) {
	v := &conversation{req: req, spell: spell}
	text, err := c.attempt(v)
	var fault *jinja.Error
	if err == nil || !v.called || !errors.As(err, &fault) || errors.Is(err, jinja.ErrLimit) {
		return text, err
	}
	// Some templates want the arguments of calls as objects, some as JSON text, and they do not say which.
	v.argumentsAsText = true
	if text, second := c.attempt(v); second == nil {
		return text, nil
	}
	return "", err
}

func (c *Template) attempt(v *conversation) (string, error) {
	vars, err := v.variables()
	if err != nil {
		return "", err
	}
	for name, token := range map[string]string{"bos_token": c.bos, "eos_token": c.eos} {
		if token != "" {
			vars.Set(name, jinja.String(token))
		}
	}
	template := c.plain
	if c.tools != nil && len(v.req.Tools) > 0 {
		template = c.tools
	}
	limit := renderTime + renderTime*time.Duration(v.size)/renderTimeBytes
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return template.Render(ctx, vars, jinja.Options{
		Limits: jinja.Limits{Memory: max(renderMemory, renderMemoryEach*v.size)},
		Now:    c.now(),
	})
}

func asWritten(s string) string { return s }
