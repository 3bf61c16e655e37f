package tokenizer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/jinja"
)

// conversation turns a request into the variables that chat templates expect, in the shape that Hugging Face's
// apply_chat_template gives them.
type conversation struct {
	req             *chat.Request
	spell           func(string) string // how strings are passed on
	argumentsAsText bool                // of tool calls, instead of as objects
	called          bool                // whether there are tool calls with arguments
	size            int                 // bytes of text in the conversation
}

// ownVariables are those that the conversation itself fills in.
var ownVariables = []string{"messages", "tools", "bos_token", "eos_token"}

func (v *conversation) variables() (*jinja.Dict, error) {
	vars := jinja.NewDict().Set("add_generation_prompt", jinja.Bool(true))
	for _, name := range slices.Sorted(maps.Keys(v.req.TemplateArgs)) {
		if slices.Contains(ownVariables, name) {
			return nil, fmt.Errorf("tokenizer: template argument %q: this name is the conversation's own", name)
		}
		value, err := v.json(v.req.TemplateArgs[name])
		if err != nil {
			return nil, fmt.Errorf("tokenizer: template argument %q: %w", name, err)
		}
		vars.Set(name, value)
	}
	messages := make([]jinja.Value, len(v.req.Messages))
	for i := range v.req.Messages {
		message, err := v.message(&v.req.Messages[i])
		if err != nil {
			return nil, fmt.Errorf("tokenizer: message %d: %w", i, err)
		}
		messages[i] = message
	}
	vars.Set("messages", jinja.NewList(messages...))
	if len(v.req.Tools) == 0 {
		return vars, nil // templates tell "no tools" from "tools, but none" in too many ways
	}
	tools := make([]jinja.Value, len(v.req.Tools))
	for i, tool := range v.req.Tools {
		value, err := v.tool(tool)
		if err != nil {
			return nil, fmt.Errorf("tokenizer: tool %q: %w", tool.Name, err)
		}
		tools[i] = value
	}
	return vars.Set("tools", jinja.NewList(tools...)), nil
}

func (v *conversation) message(m *chat.Message) (jinja.Value, error) {
	d := jinja.NewDict().Set("role", v.text(string(m.Role))).Set("content", v.text(m.Content))
	for _, field := range []struct{ name, value string }{
		{"reasoning_content", m.Reasoning}, {"name", m.Name}, {"tool_call_id", m.ToolCallID},
	} {
		if field.value != "" {
			d.Set(field.name, v.text(field.value))
		}
	}
	if len(m.ToolCalls) == 0 {
		return d, nil
	}
	if m.Reasoning != "" && m.Content == "" {
		d.Set("thinking", v.text(m.Reasoning)) // gpt-oss's name for what led to a call
	}
	calls := make([]jinja.Value, len(m.ToolCalls))
	for i, call := range m.ToolCalls {
		value, err := v.call(call)
		if err != nil {
			return nil, fmt.Errorf("call of tool %q: %w", call.Name, err)
		}
		calls[i] = value
	}
	return d.Set("tool_calls", jinja.NewList(calls...)), nil
}

func (v *conversation) call(call chat.ToolCall) (jinja.Value, error) {
	arguments := jinja.Value(jinja.NewDict())
	if len(call.Arguments) > 0 {
		v.called = true
		var err error
		if arguments, err = v.json(call.Arguments); err != nil {
			return nil, err
		}
		if v.argumentsAsText {
			arguments = v.text(string(call.Arguments))
		}
	}
	d := jinja.NewDict().Set("type", jinja.String("function"))
	if call.ID != "" {
		d.Set("id", v.text(call.ID))
	}
	return d.Set("function", jinja.NewDict().Set("name", v.text(call.Name)).Set("arguments", arguments)), nil
}

func (v *conversation) tool(tool chat.Tool) (jinja.Value, error) {
	f := jinja.NewDict().Set("name", v.text(tool.Name)).Set("description", v.text(tool.Description))
	if len(tool.Parameters) > 0 {
		parameters, err := v.json(tool.Parameters)
		if err != nil {
			return nil, err
		}
		f.Set("parameters", parameters)
	}
	return jinja.NewDict().Set("type", jinja.String("function")).Set("function", f), nil
}

func (v *conversation) text(s string) jinja.Value {
	v.size += len(s)
	return jinja.String(v.spell(s))
}

// json reads a JSON value, its strings spelled like all others.
func (v *conversation) json(raw json.RawMessage) (jinja.Value, error) {
	v.size += len(raw)
	value, err := jinja.FromJSON(raw)
	if err != nil {
		return nil, err
	}
	return jinja.MapStrings(value, v.spell), nil
}
