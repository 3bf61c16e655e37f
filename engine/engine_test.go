package engine

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/internal/testdata"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plain is a template for models that have none.
const plain = `{% for m in messages %}{{ m.content }}{% endfor %}`

func open(t testing.TB, name string, cfg Config) *Engine {
	t.Helper()
	e, err := Open(testdata.Shared(t, "models/"+name), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// greedy asks for n tokens behind a raw prompt.
func greedy(prompt string, n int) *chat.Request {
	return &chat.Request{Prompt: &prompt, MaxTokens: n, Sampling: chat.Sampling{Temperature: new(float64)}}
}

func answerOf(t testing.TB, e *Engine, req *chat.Request) chat.Answer {
	t.Helper()
	a, err := chat.Collect(e.Chat(context.Background(), req))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func codeOf(err error) chat.Code {
	var e *chat.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestGoldenTokens(t *testing.T) {
	for _, name := range []string{"stories260K-f32", "tinystories-656K-f32"} {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(testdata.Shared(t, "golden/"+name+".golden.json"))
			if err != nil {
				t.Fatal(err)
			}
			var golden struct {
				Cases []struct {
					Prompt    string  `json:"prompt"`
					PromptIDs []int32 `json:"prompt_ids"`
					Greedy    []int32 `json:"greedy_ids"`
				} `json:"cases"`
			}
			if err := json.Unmarshal(raw, &golden); err != nil || len(golden.Cases) == 0 {
				t.Fatalf("%d cases, %v", len(golden.Cases), err)
			}
			e := open(t, name+".gguf", Config{})
			for _, c := range golden.Cases {
				a := answerOf(t, e, greedy(c.Prompt, len(c.Greedy)))
				if !slices.Equal(a.PromptTokens, c.PromptIDs) {
					t.Errorf("%q: prompt is %v, want %v", c.Prompt, a.PromptTokens, c.PromptIDs)
				}
				if !slices.Equal(a.Tokens, c.Greedy) {
					t.Errorf("%q: got %v, want %v", c.Prompt, a.Tokens, c.Greedy)
				}
				if a.Reason != chat.FinishLength || a.Generated != len(c.Greedy) {
					t.Errorf("%q: ended by %q after %d tokens, want %q after %d", c.Prompt, a.Reason, a.Generated, chat.FinishLength, len(c.Greedy))
				}
			}
		})
	}
}

// TestPrefix has a conversation grow: the second turn computes only what is new, and answers as a fresh engine does.
func TestPrefix(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	first := answerOf(t, e, greedy("Once upon a time, there was a dog", 20))
	if first.CachedTokens != 0 {
		t.Errorf("the first prompt had %d tokens in the cache", first.CachedTokens)
	}
	longer := append(slices.Clone(first.PromptTokens), first.Tokens...)
	longer = append(longer, first.PromptTokens[1:]...)
	ask := func(e *Engine) chat.Answer {
		return answerOf(t, e, &chat.Request{Tokens: longer, MaxTokens: 20, Sampling: chat.Sampling{Seed: new(uint64)}})
	}
	second := ask(e)
	if want := len(first.PromptTokens) + len(first.Tokens) - 1; second.CachedTokens != want {
		t.Errorf("%d tokens came from the cache, want %d", second.CachedTokens, want)
	}
	fresh := ask(open(t, "stories260K-q8_0.gguf", Config{}))
	if !slices.Equal(second.Tokens, fresh.Tokens) {
		t.Errorf("with the cache: %v, without: %v", second.Tokens, fresh.Tokens)
	}
	again := ask(e)
	if again.CachedTokens != len(longer)-1 || !slices.Equal(again.Tokens, fresh.Tokens) {
		t.Errorf("asked again: %d cached, %v; want %d, %v", again.CachedTokens, again.Tokens, len(longer)-1, fresh.Tokens)
	}
}

// TestLongPrompt has a prompt of several chunks, the last of which is short.
func TestLongPrompt(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	prompt := make([]int32, 3*PrefillChunk+7)
	for i := range prompt {
		prompt[i] = int32(3 + i*7%500)
	}
	a := answerOf(t, e, &chat.Request{Tokens: prompt, MaxTokens: 1, Sampling: chat.Sampling{Temperature: new(float64)}})
	var want int32
	err := e.Score(context.Background(), prompt, func(pos int, logits []float32) error {
		want = int32(slices.Index(logits, slices.Max(logits)))
		return nil
	})
	if err != nil || !slices.Equal(a.Tokens, []int32{want}) {
		t.Errorf("got %v, %v; want [%d]", a.Tokens, err, want)
	}
}

// TestManyConversations shares the budget of the pages among more conversations than are kept.
func TestManyConversations(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{Context: 128})
	prompts := []string{"Once upon", "Tom and", "Lily said", "One day", "The big", "A little", "Mom was", "Dad had"}
	want := map[string][]int32{}
	for round := range 3 {
		for _, p := range prompts {
			a := answerOf(t, e, greedy(p, 100))
			if round == 0 {
				want[p] = a.Tokens
			} else if !slices.Equal(a.Tokens, want[p]) {
				t.Errorf("%q in round %d: %v, want %v", p, round, a.Tokens, want[p])
			}
		}
	}
	if n := len(e.prefixes.idle); n > keptPrefixes {
		t.Errorf("%d conversations are kept, want at most %d", n, keptPrefixes)
	}
	e.prefixes.drop()
	if s := e.pages.Stats(); s.InUse != 0 {
		t.Errorf("%d pages are in use after all conversations were dropped", s.InUse)
	}
}

func TestConcurrent(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	prompts := []string{"Once upon a time", "Tom and his mom", "The dog"}
	var want [3][]int32
	for i, p := range prompts {
		want[i] = answerOf(t, e, greedy(p, 16)).Tokens
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			a, err := chat.Collect(e.Chat(context.Background(), greedy(prompts[i%3], 16)))
			if err != nil || !slices.Equal(a.Tokens, want[i%3]) {
				t.Errorf("%q: %v, %v; alone %v", prompts[i%3], a.Tokens, err, want[i%3])
			}
		})
	}
	wg.Wait()
}

func TestStop(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	whole := answerOf(t, e, greedy("Once upon a time", 40)).Text
	stop := whole[len(whole)/3 : len(whole)/3+7]
	req := greedy("Once upon a time", 40)
	req.Stop = []string{"never said", stop}
	a := answerOf(t, e, req)
	if want := whole[:strings.Index(whole, stop)]; a.Text != want || a.Reason != chat.FinishStop {
		t.Errorf("got %q, ended by %q; want %q, %q", a.Text, a.Reason, want, chat.FinishStop)
	}
}

func TestContextFull(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{Context: 32})
	a := answerOf(t, e, greedy("Once upon a time", 0))
	if a.Reason != chat.FinishContext || len(a.PromptTokens)+a.Generated != 32 {
		t.Errorf("ended by %q with %d tokens, want %q with 32", a.Reason, len(a.PromptTokens)+a.Generated, chat.FinishContext)
	}
	_, err := chat.Collect(e.Chat(context.Background(), greedy(strings.Repeat("a dog ", 40), 1)))
	if codeOf(err) != chat.ContextTooLong || !strings.Contains(err.Error(), "the context is 32") || !strings.Contains(err.Error(), "trained for 512") {
		t.Errorf("a long prompt: %v", err)
	}
}

func TestLeaving(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	want := answerOf(t, e, greedy("Once upon a time", 30)).Tokens
	n := 0
	for range e.Chat(context.Background(), greedy("Once upon a time", 30)) {
		if n++; n == 5 {
			break
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n = 0
	var last error
	for _, err := range e.Chat(ctx, greedy("Once upon a time", 30)) {
		if n++; n == 5 {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) || n != 6 {
		t.Errorf("cancelled after 5 events: %d events, the last with error %v", n, last)
	}
	if a := answerOf(t, e, greedy("Once upon a time", 30)); !slices.Equal(a.Tokens, want) {
		t.Errorf("afterwards: %v, want %v", a.Tokens, want)
	}
}

// TestWaiting cancels a request that waits for another.
func TestWaiting(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	for range e.Chat(context.Background(), greedy("Once upon a time", 3)) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := chat.Collect(e.Chat(ctx, greedy("Tom", 3))); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want %v", err, context.Canceled)
		}
	}
}

func TestBadRequests(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{Template: plain})
	text, hot, off := "hi", -1.0, math.NaN()
	messages := []chat.Message{{Role: chat.User, Content: "hi"}}
	tests := []struct {
		name string
		req  chat.Request
		want string
	}{
		{"nothing", chat.Request{}, "this one has 0"},
		{"two prompts", chat.Request{Prompt: &text, Messages: messages}, "this one has 2"},
		{"negative length", chat.Request{Prompt: &text, MaxTokens: -1}, "max tokens is -1"},
		{"id too large", chat.Request{Tokens: []int32{1, 512}}, "token 1 is id 512; want 0 to 511"},
		{"negative id", chat.Request{Tokens: []int32{-3}}, "id -3"},
		{"no tokens", chat.Request{Tokens: []int32{}}, "no tokens"},
		{"temperature", chat.Request{Prompt: &text, Sampling: chat.Sampling{Temperature: &hot}}, "temperature"},
		{"NaN", chat.Request{Prompt: &text, Sampling: chat.Sampling{TopP: &off}}, "top_p"},
		{"sampler", chat.Request{Prompt: &text, Sampling: chat.Sampling{Samplers: []string{"magic"}}}, "magic"},
		{"template argument", chat.Request{Messages: messages, TemplateArgs: map[string]json.RawMessage{"x": json.RawMessage("{")}}, "template argument"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := chat.Collect(e.Chat(context.Background(), &tt.req))
			if codeOf(err) != chat.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v; want %s with %q", err, chat.Invalid, tt.want)
			}
		})
	}
}

func TestNoTemplate(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	_, err := chat.Collect(e.Chat(context.Background(), &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "hi"}}}))
	if codeOf(err) != chat.Invalid || !strings.Contains(err.Error(), "no chat template") {
		t.Errorf("got %v", err)
	}
}

func TestBadConfig(t *testing.T) {
	path := testdata.Shared(t, "models/stories260K-q8_0.gguf")
	for _, tt := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"context", Config{Context: 1 << 20}, "trained for 512"},
		{"negative context", Config{Context: -1}, "at least 1"},
		{"parallel", Config{Parallel: -1}, "want 1 to 1024, or 0 for 4"},
		{"KV type", Config{KV: "q4_0"}, "want one of f16, f32, q8_0"},
		{"template", Config{Template: "{% if %}"}, "template"},
	} {
		if _, err := Open(path, tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestClosed(t *testing.T) {
	e, err := Open(testdata.Shared(t, "models/stories260K-q8_0.gguf"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Error(err)
	}
	if _, err := chat.Collect(e.Chat(context.Background(), greedy("a", 1))); codeOf(err) != chat.Unavailable {
		t.Errorf("got %v", err)
	}
}

// cutFile opens a copy of a model in float32, whose weights are read from the mapping, and returns what cuts the file.
func cutFile(t *testing.T) (e *Engine, cut func()) {
	t.Helper()
	data, err := os.ReadFile(testdata.Shared(t, "models/stories260K-f32.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if e, err = Open(path, Config{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, func() {
		if err := os.Truncate(path, int64(len(data)/4)); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that was cut fails the answer that waits for its next step, and all that follow.
func TestFileCut(t *testing.T) {
	e, cut := cutFile(t)
	<-e.turn // no step until the file is cut
	answered := make(chan error)
	go func() {
		_, err := chat.Collect(e.Chat(context.Background(), greedy("Once upon a time", 30)))
		answered <- err
	}()
	cut()
	e.release()
	if err := <-answered; codeOf(err) != chat.ModelFailed {
		t.Errorf("while answering: %v", err)
	}
	if _, err := chat.Collect(e.Chat(context.Background(), greedy("Once", 1))); codeOf(err) != chat.ModelFailed {
		t.Errorf("afterwards: %v", err)
	}
}

// A file that is cut during a step fails that step, and all that follow.
func TestFileCutWithinStep(t *testing.T) {
	testdata.RealFaults(t)
	e, cut := cutFile(t)
	if err := e.acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	a, err := e.newAnswer(greedy("Once upon a time", 30))
	if err != nil {
		t.Fatal(err)
	}
	e.begin(a)
	e.parts = []part{{a: a, tokens: a.prompt, draws: true}}
	cut()
	e.computeParts()
	if _, _, err := a.box.take(context.Background()); codeOf(err) != chat.ModelFailed || e.failed == nil || len(e.parts) != 0 {
		t.Errorf("got %v, and %v for those that follow", err, e.failed)
	}
	e.release()
}
