package chat

import (
	"context"
	"iter"
	"strings"
)

// Service answers chats. The sequence ends after an event with Final, or after the one error it yields. Leaving the
// loop or cancelling ctx ends the work at the next step.
type Service interface {
	Chat(ctx context.Context, req *Request) iter.Seq2[Event, error]
}

// Answer is a whole answer.
type Answer struct {
	Text   string
	Tokens []int32
	Final
}

// Collect waits for a whole answer. With an error it returns what had come until then.
func Collect(events iter.Seq2[Event, error]) (Answer, error) {
	var a Answer
	var text strings.Builder
	for ev, err := range events {
		if err != nil {
			a.Text = text.String()
			return a, err
		}
		text.WriteString(ev.Text)
		a.Tokens = append(a.Tokens, ev.Tokens...)
		if ev.Final != nil {
			a.Final = *ev.Final
		}
	}
	a.Text = text.String()
	return a, nil
}
