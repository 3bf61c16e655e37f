package engine

import (
	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/tokenizer"
)

// Render is what the model will really see of a request: the text after the chat template, and its ids.
func (e *Engine) Render(req *chat.Request) (text string, ids []int32, err error) {
	switch {
	case req.Tokens != nil:
		return e.vocab.Decode(req.Tokens, true), req.Tokens, nil
	case req.Prompt != nil:
		return *req.Prompt, e.vocab.Encode(*req.Prompt, tokenizer.Options{AddSpecial: true}), nil
	}
	if e.template == nil {
		return "", nil, chat.Errorf(chat.Invalid, "engine: %w", e.templateErr)
	}
	text, ids, err = e.template.Prompt(req)
	if err != nil {
		return "", nil, chat.Errorf(chat.Invalid, "engine: %w", err)
	}
	return text, ids, nil
}

// promptTokens checks a request and turns it into ids that fit the context.
func (e *Engine) promptTokens(req *chat.Request) ([]int32, error) {
	given := 0
	for _, is := range []bool{len(req.Messages) > 0, req.Prompt != nil, req.Tokens != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, chat.Errorf(chat.Invalid, "engine: a request has exactly one of messages, prompt and tokens; this one has %d", given)
	}
	if req.MaxTokens < 0 {
		return nil, chat.Errorf(chat.Invalid, "engine: max tokens is %d; want at least 1, or 0 for no limit", req.MaxTokens)
	}
	_, ids, err := e.Render(req)
	if err != nil {
		return nil, err
	}
	return ids, e.checkTokens(ids, 1)
}

// checkTokens refuses ids that the model cannot take, or that leave no room for that many more.
func (e *Engine) checkTokens(ids []int32, room int) error {
	if len(ids) == 0 {
		return chat.Errorf(chat.Invalid, "engine: the text has no tokens, and the model begins it with none")
	}
	if len(ids)+room > e.context {
		return chat.Errorf(chat.ContextTooLong, "engine: the text has %d tokens and %d more must fit, but the context is %d; shorten the text or open the model with a larger context (it was trained for %d)",
			len(ids), room, e.context, e.model.Config().Context)
	}
	vocab := e.model.Config().Vocab
	for i, id := range ids {
		if id < 0 || int(id) >= vocab {
			return chat.Errorf(chat.Invalid, "engine: token %d is id %d; want 0 to %d", i, id, vocab-1)
		}
	}
	return nil
}
