package engine

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/grammar"
	"github.com/nrt-go/nrt/sample"
	"github.com/nrt-go/nrt/tokenizer"
)

// Chat implements chat.Service. The answer is computed together with those of others and does not wait for its reader;
// leaving the loop or cancelling ctx ends it with the step that is being computed.
func (e *Engine) Chat(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		a, err := e.newAnswer(req)
		if err == nil {
			err = e.submit(a)
		}
		if err != nil {
			yield(chat.Event{}, err)
			return
		}
		defer e.leave(a)
		for {
			ev, ok, err := a.box.take(ctx)
			if err != nil {
				yield(chat.Event{}, err)
			}
			if !ok || !yield(ev, nil) {
				return
			}
		}
	}
}

// answer is one request on its way. The loop owns it; its reader touches the mailbox and left only.
type answer struct {
	id      string // in the order of submission
	prompt  []int32
	limit   int // tokens to generate at most
	full    chat.FinishReason
	sampler *sample.Sampler
	stream  *tokenizer.Stream
	stop    stopFilter
	form    *grammar.State // nil where any text will do
	box     *mailbox
	left    atomic.Bool // nobody reads any more

	kept  *prefix // the pages, once there are some
	next  int32   // the latest token, not computed yet
	final chat.Final

	asked, started, first time.Time
}

func (e *Engine) newAnswer(req *chat.Request) (*answer, error) {
	prompt, err := e.promptTokens(req)
	if err != nil {
		return nil, err
	}
	params, err := e.samplingParams(&req.Sampling)
	if err != nil {
		return nil, err
	}
	sampler, err := sample.New(params, e.model.Config().Vocab)
	if err != nil {
		return nil, chat.Errorf(chat.Invalid, "%w", err)
	}
	form, err := e.formatOf(req.Format)
	if err != nil {
		return nil, err
	}
	for _, token := range prompt {
		sampler.Accept(token)
	}
	a := &answer{prompt: prompt, sampler: sampler, stream: e.vocab.NewStream(false), stop: stopFilter{stops: req.Stop},
		box: newMailbox(), asked: time.Now()}
	if form != nil {
		a.form = form.Start()
	}
	a.final = chat.Final{PromptTokens: prompt, Seed: params.Seed}
	a.limit, a.full = e.context-len(prompt), chat.FinishContext
	if req.MaxTokens > 0 && req.MaxTokens <= a.limit {
		a.limit, a.full = req.MaxTokens, chat.FinishLength
	}
	return a, nil
}

// number gives an answer the name that the scheduler knows it by: names sort in the order of submission.
func (a *answer) number(n uint64) { a.id = fmt.Sprintf("%016x", n) }

// draw chooses the next token. It changes the logits where the answer has a form.
func (a *answer) draw(logits []float32) (int32, error) {
	if a.form != nil {
		constrain(logits, a.form)
	}
	token, err := a.sampler.Sample(logits)
	if err != nil {
		return 0, chat.Errorf(chat.NonFinite, "engine: %w", err)
	}
	if a.form != nil {
		if err := a.form.Accept(token); err != nil {
			return 0, chat.Errorf(chat.NonFinite, "engine: %w", err) // nothing that may come has a probability
		}
	}
	return token, nil
}

// accept draws the next token from its logits and sends what it says. It tells whether the answer is complete.
func (a *answer) accept(e *Engine, logits []float32) (complete bool) {
	token, err := a.draw(logits)
	if err != nil {
		a.box.end(err)
		return true
	}
	if a.final.Generated == 0 {
		a.first = time.Now()
		a.final.Timings.Prefill = a.first.Sub(a.started)
	}
	if e.vocab.IsEOG(token) {
		a.finish(chat.FinishStop)
		return true
	}
	a.sampler.Accept(token)
	a.next = token
	a.final.Generated++
	text, hit := a.stop.push(a.stream.Push(token))
	a.box.put(chat.Event{Text: text, Tokens: []int32{token}})
	switch {
	case hit:
		a.stream.Flush()
		a.finish(chat.FinishStop)
	case a.form != nil && a.form.Over():
		a.finish(chat.FinishStop)
	case a.final.Generated == a.limit:
		a.finish(a.full)
	default:
		return false
	}
	return true
}

// finish sends what was held back and the closing event.
func (a *answer) finish(reason chat.FinishReason) {
	a.final.Reason = reason
	a.final.Timings.Decode = time.Since(a.first)
	text, hit := a.stop.push(a.stream.Flush())
	if hit {
		a.final.Reason = chat.FinishStop
	} else {
		text += a.stop.flush()
	}
	a.box.put(chat.Event{Text: text, Final: &a.final})
	a.box.end(nil)
}
