package engine

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/sample"
	"github.com/nrt-go/nrt/tokenizer"
)

// Chat implements chat.Service. The engine is busy until the sequence ends, so read it without long pauses; leaving
// the loop or cancelling ctx ends the answer after the step that is being computed.
func (e *Engine) Chat(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		a, err := e.newAnswer(req)
		if err == nil {
			err = a.run(ctx, yield)
		}
		if err != nil && !errors.Is(err, errLeft) {
			yield(chat.Event{}, err)
		}
	}
}

// errLeft says that the caller left the loop.
var errLeft = errors.New("engine: the caller left")

// answer is one request on its way.
type answer struct {
	e       *Engine
	prompt  []int32
	limit   int // tokens to generate at most
	full    chat.FinishReason
	sampler *sample.Sampler
	stream  *tokenizer.Stream
	stop    stopFilter
	batch   models.Batch
	kept    *prefix
	final   chat.Final
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
	a := &answer{e: e, prompt: prompt, sampler: sampler, stream: e.vocab.NewStream(false), stop: stopFilter{stops: req.Stop}}
	a.final = chat.Final{PromptTokens: prompt, Seed: params.Seed}
	a.limit, a.full = e.context-len(prompt), chat.FinishContext
	if req.MaxTokens > 0 && req.MaxTokens <= a.limit {
		a.limit, a.full = req.MaxTokens, chat.FinishLength
	}
	return a, nil
}

func (a *answer) run(ctx context.Context, yield func(chat.Event, error) bool) error {
	asked := time.Now()
	if err := a.e.acquire(ctx); err != nil {
		return err
	}
	defer a.e.release()
	started := time.Now()
	a.final.Timings.Queue = started.Sub(asked)

	defer a.keep()
	logits, err := a.prefill(ctx)
	if err != nil {
		return err
	}
	a.final.Timings.Prefill = time.Since(started)
	first := time.Now()
	for a.final.Generated < a.limit {
		token, err := a.sampler.Sample(logits)
		if err != nil {
			return chat.Errorf(chat.NonFinite, "engine: %w", err)
		}
		if a.e.vocab.IsEOG(token) {
			return a.finish(chat.FinishStop, first, yield)
		}
		a.sampler.Accept(token)
		a.final.Generated++
		text, hit := a.stop.push(a.stream.Push(token))
		if !yield(chat.Event{Text: text, Tokens: []int32{token}}, nil) {
			return errLeft
		}
		if hit {
			a.stream.Flush()
			return a.finish(chat.FinishStop, first, yield)
		}
		if a.final.Generated == a.limit {
			break
		}
		if logits, err = a.step(ctx, token); err != nil {
			return err
		}
	}
	return a.finish(a.full, first, yield)
}

// finish sends what was held back and the closing event.
func (a *answer) finish(reason chat.FinishReason, first time.Time, yield func(chat.Event, error) bool) error {
	a.final.Reason = reason
	a.final.Timings.Decode = time.Since(first)
	text, hit := a.stop.push(a.stream.Flush())
	if hit {
		a.final.Reason = chat.FinishStop
	} else {
		text += a.stop.flush()
	}
	yield(chat.Event{Text: text, Final: &a.final}, nil)
	return nil
}

// prefill computes what no kept conversation holds of the prompt and returns the logits after its last token.
func (a *answer) prefill(ctx context.Context) ([]float32, error) {
	for _, token := range a.prompt {
		a.sampler.Accept(token)
	}
	a.kept = a.e.prefixes.take(a.prompt)
	if a.kept == nil {
		a.kept = &prefix{seq: a.e.pages.NewSequence()}
	}
	a.final.CachedTokens = len(a.kept.tokens)
	var logits []float32
	for rest := a.prompt[a.final.CachedTokens:]; len(rest) > 0; {
		n := min(len(rest), PrefillChunk)
		out, err := a.e.forward(ctx, &a.batch, a.kept, rest[:n], n == len(rest))
		if err != nil {
			return nil, err
		}
		logits, rest = out, rest[n:]
	}
	return logits, nil
}

// step computes the logits after one more token.
func (a *answer) step(ctx context.Context, token int32) ([]float32, error) {
	return a.e.forward(ctx, &a.batch, a.kept, []int32{token}, true)
}

// keep leaves the pages for the next turn.
func (a *answer) keep() {
	if a.kept == nil {
		return
	}
	if len(a.kept.tokens) == 0 || a.e.failed != nil {
		a.kept.seq.Free()
		return
	}
	a.e.prefixes.put(a.kept)
}
