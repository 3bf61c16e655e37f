package conversation

import (
	"errors"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	tests := []struct {
		name   string
		inputs []string
		want   string // in the output or the notes of the last input
	}{
		{"help", []string{"/help"}, "/quit, /q, /exit, /bye"},
		{"help by ?", []string{"/?"}, "Ctrl-R"},
		{"no system", []string{"/system"}, "no system prompt"},
		{"system", []string{"/system be brief", "/system"}, "be brief"},
		{"quoted system", []string{`/set system "be brief"`, "/system"}, "be brief\n"},
		{"system removed", []string{"/system x", `/system ""`, "/system"}, "no system prompt"},
		{"clear keeps the system prompt (R-029)", []string{"/system be brief", "hello", "/clear", "/history"}, "system: be brief\n"},
		{"temp", []string{"/temp 0.2", "/temp"}, "temp                   0.2"},
		{"upper case", []string{"/TEMP"}, "default"},
		{"ollama's words", []string{"/set parameter num_predict 9", "/max"}, "predict                9"},
		{"unset", []string{"/temp 0.2", "/temp default", "/temp"}, "default"},
		{"set lists", []string{"/set"}, "repeat-penalty         default"},
		{"show", []string{"/show"}, "a fake model"},
		{"show template", []string{"/show template"}, "{{ x }}"},
		{"show parameters", []string{"/set top-k 3", "/show parameters"}, "top-k                  3"},
		{"history", []string{"hello", "/history"}, "user: hello\nassistant: re: hello\n"},
		{"stats", []string{"hello", "again", "/stats"}, "context    32 of 64 tokens (50 %)"},
		{"tokens", []string{"hello", "/tokens"}, "generated  2 tokens"},
		{"undo", []string{"hello", "/undo"}, `taken back: "hello"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := start()
			for _, input := range tt.inputs {
				c.out.Reset()
				c.notes.Reset()
				c.say(t, input)
			}
			if got := c.out.String() + c.notes.String(); !strings.Contains(got, tt.want) {
				t.Errorf("%q said %q, want %q in it", tt.inputs, got, tt.want)
			}
		})
	}
}

func TestCommandErrors(t *testing.T) {
	for input, want := range map[string]string{
		"/hlep":             "did you mean /help?",
		"/etc/passwd":       "a space before the slash",
		"/temp hot":         `temp: found "hot", wanted a number`,
		"/set tmp 1":        "did you mean temp?",
		"/set think maybe":  `found "maybe", wanted on or off`,
		"/set verbose loud": `found "loud", wanted on or off`,
		"/show weather":     `found "weather"`,
		"/undo":             "no message to take back",
		"/regen":            "no answer to make again",
	} {
		c := start()
		if err := c.Handle(t.Context(), input); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Handle(%q) = %v, want %q in it", input, err, want)
		}
		if len(c.service.requests) != 0 {
			t.Errorf("%q was sent to the model", input)
		}
	}
}

func TestQuit(t *testing.T) {
	for _, input := range []string{"/quit", "/exit", "/bye", "/q"} {
		if err := start().Handle(t.Context(), input); !errors.Is(err, ErrQuit) {
			t.Errorf("Handle(%q) = %v, want ErrQuit", input, err)
		}
	}
}

func TestSpaceBeforeTheSlashSendsIt(t *testing.T) {
	c := start()
	c.say(t, " /etc/passwd")
	if got := c.dialogue(); got != "user:  /etc/passwd\nassistant: re:  /etc/passwd" {
		t.Errorf("dialogue = %q, want the text as a message", got)
	}
}

func TestUndoTakesBackOneTurn(t *testing.T) {
	c := start()
	c.say(t, "hello", "again", "/undo")
	if c.dialogue() != turn {
		t.Errorf("dialogue = %q, want the first turn", c.dialogue())
	}
}

func TestRegen(t *testing.T) {
	c := start()
	c.say(t, "/set seed 3", "hello", "/regen")
	if c.dialogue() != turn || len(c.service.requests) != 2 {
		t.Errorf("after %d requests the dialogue is %q, want one turn answered twice", len(c.service.requests), c.dialogue())
	}
	first, second := c.service.requests[0], c.service.requests[1]
	if len(second.Messages) != 1 || first.Sampling.Seed == nil || second.Sampling.Seed != nil {
		t.Errorf("second request = %+v, want the same message and a new seed", second)
	}
}

func TestRegenThatFailsKeepsTheAnswer(t *testing.T) {
	c := start()
	c.say(t, "hello")
	c.Messages[0].Content = "fail"
	if err := c.Handle(t.Context(), "/regen"); err == nil {
		t.Error("/regen = nil, want the model's error")
	}
	if got := c.dialogue(); got != "user: fail\nassistant: re: hello" {
		t.Errorf("dialogue = %q, want the old answer", got)
	}
}

func TestThink(t *testing.T) {
	for setting, want := range map[string]string{"/set think": "true", "/set nothink": "false", "/set think default": ""} {
		c := start()
		c.say(t, setting)
		if got := string(c.Request().TemplateArgs["enable_thinking"]); got != want {
			t.Errorf("%s: enable_thinking = %q, want %q", setting, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	for left, want := range map[string]string{"/he": "lp ", "/un": "do ", "/s": "", "/": "", "he": "", "/zz": ""} {
		if got := Complete(left); got != want {
			t.Errorf("Complete(%q) = %q, want %q", left, got, want)
		}
	}
}

func TestAssembler(t *testing.T) {
	tests := []struct {
		lines []string
		want  []string
	}{
		{[]string{"plain"}, []string{"plain"}},
		{[]string{`"""one line"""`}, []string{"one line"}},
		{[]string{`"""`, "one", "", "two", `"""`, "next"}, []string{"one\n\ntwo", "next"}},
		{[]string{`"""one`, `two"""`}, []string{"one\ntwo"}},
		{[]string{`/system """`, "be", "brief", `"""`}, []string{"/system be\nbrief"}},
		{[]string{`he said """ once`}, []string{`he said """ once`}},
		{[]string{"\"\"\"pasted\nlines\"\"\""}, []string{"pasted\nlines"}},
	}
	for _, tt := range tests {
		var a Assembler
		var got []string
		for _, line := range tt.lines {
			if input, whole := a.Push(line); whole {
				got = append(got, input)
			}
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") || a.Open() {
			t.Errorf("%q: inputs %q, open %v, want %q", tt.lines, got, a.Open(), tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"temp", "top-k", "seed"}
	for word, want := range map[string]string{"tmep": "temp", "topk": "top-k", "sed": "seed", "weather": "", "": ""} {
		if got := Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
