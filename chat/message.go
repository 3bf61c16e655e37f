// Package chat is the vocabulary that every layer above one model shares: messages, requests, events, errors, and the
// one interface that composes them. An engine is a Service; a cluster is one made of others; so is a fleet.
package chat

import "encoding/json"

// Role says who speaks.
type Role string

// The roles that chat templates know.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool" // the result of a tool call
)

// Message is one turn of a conversation.
type Message struct {
	Role       Role       `json:"role"`
	Content    string     `json:"content"`
	Reasoning  string     `json:"reasoning_content,omitempty"` // an assistant's thinking, apart from its answer
	Name       string     `json:"name,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // what an assistant asks to be called
	ToolCallID string     `json:"tool_call_id,omitempty"` // the call that a tool message answers
}

// ToolCall is a model's wish to have a function called.
type ToolCall struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a JSON object
}

// Tool is a function that a model may ask for.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a JSON Schema; its key order is kept
}
