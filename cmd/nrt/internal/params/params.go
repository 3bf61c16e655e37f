// Package params is the table of what a user can set about an answer: each parameter is a flag of the commands, a word
// of the chat's /set, and a line of its /show.
package params

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/sample"
)

// Settings is what the user has set. What is unset is the model's or the engine's default.
type Settings struct {
	chat.Sampling
	MaxTokens *int     `json:"max_tokens,omitempty"`
	Stop      []string `json:"stop,omitempty"`
}

// Apply puts the settings into a request.
func (s *Settings) Apply(req *chat.Request) {
	req.Sampling = s.Sampling
	req.Stop = s.Stop
	req.MaxTokens = 0 // until the context is full
	if s.MaxTokens != nil {
		req.MaxTokens = max(*s.MaxTokens, 0)
	}
}

// Param is one row of the table.
type Param struct {
	Name  string   // the flag, and the word of /set
	Short string   // the flag's letter
	Also  []string // the same in others' spelling
	Arg   string   // what the value is called in help
	Help  string

	set func(s *Settings, value string) error
	get func(s *Settings) (string, bool)
}

// Set parses value; Unset unsets.
func (p *Param) Set(s *Settings, value string) error {
	if err := p.set(s, value); err != nil {
		return fmt.Errorf("%s: found %q, wanted %w", p.Name, value, err)
	}
	return nil
}

// Get is the value as Set takes it; ok is false when it is unset.
func (p *Param) Get(s *Settings) (value string, ok bool) { return p.get(s) }

// Default is what the parameter is while it is unset; "" where the answer decides, as of the seed.
func (p *Param) Default() string {
	if p.Name == seed.Name {
		return ""
	}
	value, _ := p.get(&engineDefaults)
	return value
}

// engineDefaults are package sample's. Both it and chat.Sampling have the JSON names of the HTTP APIs.
var engineDefaults = func() Settings {
	var s Settings
	doc, err := json.Marshal(sample.Default())
	if err == nil {
		err = json.Unmarshal(doc, &s)
	}
	if err != nil {
		panic(err) // the two packages do not fit each other: every test fails
	}
	return s
}()

// Table has every parameter, in the order of help texts. The words are llama.cpp's; ollama's are in Also where
// they differ. Package sample checks the ranges (R-028 wants 0 to 2 for the temperature; users of high ones exist).
var Table = []Param{
	number("temp", "temperature; 0 takes the likeliest token", func(s *Settings) **float64 { return &s.Temperature }, "temperature"),
	integer("top-k", "", "keep the K likeliest tokens; 0 keeps all", func(s *Settings) **int { return &s.TopK }),
	number("top-p", "keep the fewest tokens that reach this probability; 1 keeps all", func(s *Settings) **float64 { return &s.TopP }),
	number("min-p", "keep tokens with this share of the likeliest one's probability", func(s *Settings) **float64 { return &s.MinP }),
	number("typical", "locally typical sampling; 1 is off", func(s *Settings) **float64 { return &s.TypicalP }, "typical-p"),
	number("top-n-sigma", "keep logits within N standard deviations of the best", func(s *Settings) **float64 { return &s.TopNSigma }, "top-nsigma"),
	number("dynatemp-range", "move the temperature so far with the entropy", func(s *Settings) **float64 { return &s.DynatempRange }),
	number("dynatemp-exp", "how entropy maps to temperature", func(s *Settings) **float64 { return &s.DynatempExponent }, "dynatemp-exponent"),
	number("repeat-penalty", "penalty for repeated tokens; 1 is off", func(s *Settings) **float64 { return &s.RepeatPenalty }),
	integer("repeat-last-n", "", "tokens the penalties look back; -1 is all", func(s *Settings) **int { return &s.RepeatLastN }),
	number("presence-penalty", "penalty for tokens that came before", func(s *Settings) **float64 { return &s.PresencePenalty }),
	number("frequency-penalty", "penalty for each time a token came before", func(s *Settings) **float64 { return &s.FrequencyPenalty }),
	integer("mirostat", "", "0 is off, 2 is Mirostat 2.0", func(s *Settings) **int { return &s.Mirostat }),
	number("mirostat-ent", "Mirostat's target surprise, bits", func(s *Settings) **float64 { return &s.MirostatTau }, "mirostat-tau"),
	number("mirostat-lr", "Mirostat's learning rate", func(s *Settings) **float64 { return &s.MirostatEta }, "mirostat-eta"),
	number("dry-multiplier", "DRY penalty for repeated passages; 0 is off", func(s *Settings) **float64 { return &s.DryMultiplier }),
	number("dry-base", "how fast the DRY penalty grows", func(s *Settings) **float64 { return &s.DryBase }),
	integer("dry-allowed-length", "", "repeats shorter than this are free", func(s *Settings) **int { return &s.DryAllowedLength }),
	integer("dry-penalty-last-n", "", "tokens DRY looks back; -1 is all", func(s *Settings) **int { return &s.DryPenaltyLastN }),
	list("dry-sequence-breaker", "text that ends a repeat; give it again for more", func(s *Settings) *[]string { return &s.DryBreakers }),
	number("xtc-probability", "how often to leave out the top choices; 0 is off", func(s *Settings) **float64 { return &s.XTCProbability }),
	number("xtc-threshold", "what counts as a top choice", func(s *Settings) **float64 { return &s.XTCThreshold }),
	seed,
	bias,
	samplers,
	integer("predict", "n", "generate at most N tokens; -1 is until the context is full", func(s *Settings) **int { return &s.MaxTokens }, "n-predict", "num-predict", "max-tokens", "max"),
	list("stop", "text that ends the answer; give it again for more", func(s *Settings) *[]string { return &s.Stop }, "reverse-prompt"),
}

// Find looks a parameter up by any of its spellings; _ and - are the same.
func Find(name string) *Param {
	name = Spelling(name)
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i]
		}
	}
	return nil
}

// Spelling is the name that flags and /set use for one that others spell differently; other names are left as they are.
func Spelling(name string) string {
	dashed := strings.ReplaceAll(name, "_", "-")
	for i := range Table {
		for _, also := range Table[i].Also {
			if also == dashed {
				return Table[i].Name
			}
		}
	}
	return dashed
}

func number(name, help string, field func(*Settings) **float64, also ...string) Param {
	return Param{Name: name, Also: also, Arg: "F", Help: help,
		set: func(s *Settings, value string) error {
			return scalar(field(s), value, errNumber, parseFinite)
		},
		get: func(s *Settings) (string, bool) {
			return shown(*field(s), func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
		},
	}
}

func integer(name, short, help string, field func(*Settings) **int, also ...string) Param {
	return Param{Name: name, Short: short, Also: also, Arg: "N", Help: help,
		set: func(s *Settings, value string) error { return scalar(field(s), value, errInteger, strconv.Atoi) },
		get: func(s *Settings) (string, bool) { return shown(*field(s), strconv.Itoa) },
	}
}
