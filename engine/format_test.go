package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/grammar"
	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/tokenizer"
)

// hot asks for an answer of a form at a temperature at which a model says anything.
func hot(seed uint64, f chat.Format) *chat.Request {
	prompt, temperature, topK, topP, minP := "Once upon a time", 2.0, 0, 1.0, 0.0
	return &chat.Request{Prompt: &prompt, MaxTokens: 120, Format: &f,
		Sampling: chat.Sampling{Seed: &seed, Temperature: &temperature, TopK: &topK, TopP: &topP, MinP: &minP}}
}

func TestFormats(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	yesNo := regexp.MustCompile(`^(yes|no)$`)
	for _, c := range []struct {
		name string
		form chat.Format
		ok   func(s string) bool
	}{
		{"choices", chat.Format{Choices: []string{"yes", "no"}}, yesNo.MatchString},
		{"regexp", chat.Format{Regexp: `[a-z]{3,8}\.`}, regexp.MustCompile(`^[a-z]{3,8}\.$`).MatchString},
		{"grammar", chat.Format{Grammar: `root ::= "<" [0-9]{1,5} ">"`}, regexp.MustCompile(`^<[0-9]{1,5}>$`).MatchString},
		{"schema", chat.Format{Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"enum":["x","y"]}},"required":["a","b"]}`)}, func(s string) bool {
			var v struct {
				A *int
				B string
			}
			return json.Unmarshal([]byte(s), &v) == nil && v.A != nil && (v.B == "x" || v.B == "y")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				a := answerOf(t, e, hot(seed, c.form))
				if !c.ok(a.Text) || a.Reason != chat.FinishStop {
					t.Errorf("seed %d: %q, ended by %q", seed, a.Text, a.Reason)
				}
			}
		})
	}
}

// A form's answers are drawn as the model would draw them among those of the form, and the same beside others.
func TestFormatTogether(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{Parallel: 8})
	form := chat.Format{Schema: json.RawMessage(`{"type":"array","items":{"type":"boolean"},"minItems":3,"maxItems":9}`)}
	want := make([]chat.Answer, 8)
	for i := range want {
		want[i] = answerOf(t, e, hot(uint64(i), form))
	}
	done := make(chan error)
	for i := range want {
		go func() {
			a, err := chat.Collect(e.Chat(context.Background(), hot(uint64(i), form)))
			if err == nil && !slices.Equal(a.Tokens, want[i].Tokens) {
				err = fmt.Errorf("request %d: %q, alone %q", i, a.Text, want[i].Text)
			}
			done <- err
		}()
	}
	for range want {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := len(e.formats.kept); n != 1 {
		t.Errorf("%d compiled forms are kept for one", n)
	}
}

func TestFormatErrors(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	for want, form := range map[string]chat.Format{
		"this one has 0":            {},
		"this one has 2":            {JSON: true, Regexp: "a"},
		`keyword "not" cannot`:      {Schema: json.RawMessage(`{"not":{}}`)},
		"the format's schema is no": {Schema: json.RawMessage(`{`)},
		`no rule "root"`:            {Grammar: `a ::= "b"`},
		"missing closing )":         {Regexp: "("},
		"no choices":                {Choices: []string{}},
	} {
		_, err := chat.Collect(e.Chat(context.Background(), hot(1, form)))
		if codeOf(err) != chat.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// BenchmarkMask is what a form costs beside a step: new, the tokens of a state that nobody has been in; known, those of
// one that somebody has, laid over the logits.
func BenchmarkMask(b *testing.B) {
	for _, name := range []string{"qwen2_5", "llama3", "gpt2"} {
		vocab, brace, quote := vocabOf(b, name)
		fresh := func() *grammar.State {
			c, err := vocab.Compile(grammar.JSON())
			if err != nil {
				b.Fatal(err)
			}
			st := c.Start()
			for _, id := range []int32{brace, quote} { // into a string
				if err := st.Accept(id); err != nil {
					b.Fatal(err)
				}
			}
			return st
		}
		b.Run(name+"/new", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				st := fresh()
				b.StartTimer()
				st.Mask()
			}
		})
		b.Run(name+"/known", func(b *testing.B) {
			st, logits := fresh(), make([]float32, 152_064)
			for b.Loop() {
				constrain(logits, st)
			}
		})
	}
}

func vocabOf(b *testing.B, name string) (vocab *grammar.Vocab, brace, quote int32) {
	b.Helper()
	raw, err := os.ReadFile(testdata.Shared(b, "tokenizers/"+name+"/tokenizer.json"))
	if err != nil {
		b.Fatal(err)
	}
	v, err := tokenizer.FromJSON(raw, nil)
	if err != nil {
		b.Fatal(err)
	}
	brace, _ = v.ID("{")
	quote, _ = v.ID("\"")
	return grammar.NewVocab(v.VocabSize(), func(id int32) []byte { return v.Piece(id, false) }, nil), brace, quote
}
