package conversation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nrt-go/nrt/chat"
)

// fake answers "re: " and the last message, word by word. A message may ask for more:
// "fail" for an error, "endless" for an answer that only ctx ends, "silent" for one that never begins, "full" for the
// end of the context, "long" for a prompt that does not fit.
type fake struct{ requests []*chat.Request }

func (f *fake) Chat(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	f.requests = append(f.requests, req)
	last := req.Messages[len(req.Messages)-1].Content
	return func(yield func(chat.Event, error) bool) {
		final := &chat.Final{Reason: chat.FinishStop, PromptTokens: make([]int32, 10*len(req.Messages)), Generated: 2, Seed: 7}
		switch last {
		case "fail":
			_ = yield(chat.Event{Text: "half"}, nil) && yield(chat.Event{}, chat.Errorf(chat.ModelFailed, "fake: broken"))
			return
		case "long":
			yield(chat.Event{}, chat.Errorf(chat.ContextTooLong, "fake: 9000 tokens do not fit 64"))
			return
		case "silent", "endless":
			for last == "endless" && ctx.Err() == nil {
				if !yield(chat.Event{Text: "more "}, nil) {
					return
				}
			}
			<-ctx.Done()
			yield(chat.Event{}, ctx.Err())
			return
		case "full":
			final.Reason = chat.FinishContext
		}
		if yield(chat.Event{Text: "re: "}, nil) && yield(chat.Event{Text: last}, nil) {
			yield(chat.Event{Final: final}, nil)
		}
	}
}

// test is a conversation with its two outputs.
type test struct {
	*Conversation
	service    *fake
	out, notes strings.Builder
}

func start() *test {
	t := &test{service: &fake{}}
	t.Conversation = New(Config{
		Service: t.service, Out: &t.out, Notes: &t.notes,
		Model: Model{Name: "fake.gguf", Context: 64, Template: "{{ x }}", Describe: func(w io.Writer) error {
			_, err := fmt.Fprintln(w, "a fake model")
			return err
		}},
	})
	return t
}

// say hands over inputs; each must succeed.
func (c *test) say(t *testing.T, inputs ...string) {
	t.Helper()
	for _, input := range inputs {
		if err := c.Handle(t.Context(), input); err != nil {
			t.Fatalf("Handle(%q) = %v", input, err)
		}
	}
}

// dialogue is the messages as "role: text" lines.
func (c *test) dialogue() string {
	var lines []string
	for _, m := range c.Messages {
		lines = append(lines, string(m.Role)+": "+m.Content)
	}
	return strings.Join(lines, "\n")
}

const turn = "user: hello\nassistant: re: hello"

func TestSend(t *testing.T) {
	c := start()
	c.say(t, "/system be brief", "hello", "again")
	want := turn + "\nuser: again\nassistant: re: again"
	if diff := cmp.Diff(want, c.dialogue()); diff != "" {
		t.Error(diff)
	}
	req := c.service.requests[1]
	if len(req.Messages) != 4 || req.Messages[0].Role != chat.System || req.Messages[0].Content != "be brief" {
		t.Errorf("second request = %+v, want system, both turns", req.Messages)
	}
	if got := c.out.String(); got != "re: hello\nre: again\n" {
		t.Errorf("out = %q, want the answers, a line each", got)
	}
}

func TestControlCharactersDoNotReachTheTerminal(t *testing.T) {
	c := start()
	c.say(t, "a\x1b[2Jb\u009bc")
	if got := c.out.String(); got != "re: a^[[2Jb<U+009B>c\n" {
		t.Errorf("out = %q, want the escape sequence made visible", got)
	}
	if got := c.Messages[1].Content; got != "re: a\x1b[2Jb\u009bc" {
		t.Errorf("the conversation keeps %q, want what the model said", got)
	}
}

// R-3.W.4: an error is an error, and the conversation is as before.
func TestErrorsLeaveTheConversation(t *testing.T) {
	for input, want := range map[string]string{"fail": "fake: broken", "long": "9000 tokens do not fit 64: /undo"} {
		c := start()
		c.say(t, "hello")
		err := c.Handle(t.Context(), input)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Handle(%q) = %v, want %q in it", input, err, want)
		}
		if c.dialogue() != turn {
			t.Errorf("after %q the dialogue is %q, want it as before", input, c.dialogue())
		}
	}
}

// stopAfter cancels a context once the writer has seen a text.
type stopAfter struct {
	io.Writer
	text string
	stop context.CancelFunc
}

func (w stopAfter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.text) {
		w.stop()
	}
	return w.Writer.Write(p)
}

// Ctrl-C stops the answer; what had come stays.
func TestStoppedAnswerStays(t *testing.T) {
	c := start()
	ctx, cancel := context.WithCancel(t.Context())
	c.cfg.Out = stopAfter{&c.out, "more", cancel}
	if err := c.Handle(ctx, "endless"); err != nil {
		t.Fatal(err)
	}
	if got := c.dialogue(); !strings.HasPrefix(got, "user: endless\nassistant: more ") {
		t.Errorf("dialogue = %q, want the part that came", got)
	}
	if !strings.Contains(c.notes.String(), "[stopped]") {
		t.Errorf("notes = %q, want a word about the stop", c.notes.String())
	}
}

func TestStoppedBeforeTheAnswerTakesTheMessageBack(t *testing.T) {
	c := start()
	c.say(t, "hello")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Handle(ctx, "silent"); err != nil {
		t.Fatal(err)
	}
	if c.dialogue() != turn {
		t.Errorf("dialogue = %q, want it as before", c.dialogue())
	}
}

func TestFullContextIsExplained(t *testing.T) {
	c := start()
	c.say(t, "full")
	for _, want := range []string{"12 of 64 tokens", "/clear", "/undo", "-c N"} {
		if !strings.Contains(c.notes.String(), want) {
			t.Errorf("notes = %q, want %q in them", c.notes.String(), want)
		}
	}
}

func TestVerbose(t *testing.T) {
	c := start()
	c.say(t, "/set verbose", "hello")
	for _, want := range []string{"total duration:", "prompt eval count:    10 token(s)", "eval count:           2 token(s)"} {
		if !strings.Contains(c.notes.String(), want) {
			t.Errorf("notes = %q, want %q in them", c.notes.String(), want)
		}
	}
}

func TestSaveAndLoadKeepEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.json")
	c := start()
	c.say(t, "/system be brief", "/temp 0.2", "/set stop END", "/set think off", "/set verbose", "/max 9", "hello", "/save "+path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, want 0600", info.Mode().Perm())
	}
	d := start()
	d.say(t, "other talk", "/load "+path)
	if diff := cmp.Diff(c.Request(), d.Request()); diff != "" {
		t.Errorf("the request after /load differs:\n%s", diff)
	}
	if !d.Verbose {
		t.Error("verbose was not loaded")
	}
}

// A file as the original wrote them.
const original = `{"model":"qwen","system_prompt":"be brief","max_tokens":512,"temperature":0.7,
"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hello"},{"role":"assistant","content":"re: hello"}]}`

func TestLoadOriginal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversation.json")
	if err := os.WriteFile(path, []byte(original), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start()
	c.say(t, "/load "+path)
	if c.System != "be brief" || c.dialogue() != turn || *c.Settings.Temperature != 0.7 || *c.Settings.MaxTokens != 512 {
		t.Errorf("loaded %q, %q, %+v", c.System, c.dialogue(), c.Settings)
	}
	if !strings.Contains(c.notes.String(), "saved with the model qwen") {
		t.Errorf("notes = %q, want a word about the other model", c.notes.String())
	}
}

func TestLoadRefuses(t *testing.T) {
	for doc, want := range map[string]string{
		``:   "no conversation",
		`[]`: "no conversation",
		`{"messages":[{"role":"assistant","content":"x"}]}`:                                     `found the role "assistant", wanted "user"`,
		`{"messages":[{"role":"user","content":"x"}]}`:                                          "without its answer",
		`{"messages":[{"role":"user","content":"x"},{"role":"tool","content":"x"}]}`:            `wanted "assistant"`,
		`{"temperature":"hot","messages":[]}`:                                                   "no conversation",
		`{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]} extra`: "no conversation",
	} {
		path := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		c := start()
		c.say(t, "hello")
		if err := c.Handle(t.Context(), "/load "+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("/load of %s = %v, want %q in it", doc, err, want)
		}
		if c.dialogue() != turn {
			t.Errorf("/load of %s changed the conversation to %q", doc, c.dialogue())
		}
	}
	c := start()
	if err := c.Handle(t.Context(), "/load "+filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("/load of no file = %v, want %v", err, os.ErrNotExist)
	}
}

func FuzzParseSaved(f *testing.F) {
	f.Add([]byte(original))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSaved(data)
		if err == nil && len(s.Messages)%2 != 0 {
			t.Errorf("a conversation of %d messages was taken", len(s.Messages))
		}
	})
}
