// Package grammar constrains what a model may say: a grammar, a JSON schema, a regular expression or a list of choices
// becomes a machine over bytes, and the machine says for every token of a vocabulary whether it may come next.
//
// A grammar is compiled to a small program of byte sets, splits, calls and returns. Its configurations (a place in the
// program and a stack of returns) are gathered into states as a lazy automaton: each state computes where a byte leads
// once, and which tokens it allows once, and remembers both. So a grammar may be recursive, and costs next to nothing
// where its states come again, as they do within a string or a list.
package grammar

import (
	"fmt"
	"maps"
	"slices"
)

// Limits of what a grammar from a stranger may cost.
const (
	maxProgram = 1 << 17 // instructions; repetitions count as often as they are repeated
	maxDepth   = 512     // returns on a stack: JSON of that many levels
	maxConfigs = 1 << 12 // configurations in one state; more is ambiguity beyond use
	maxStates  = 1 << 12 // states that are remembered, of 1 KiB and more
	maxMasks   = 1 << 9  // states whose allowed tokens are remembered, a bit for each token
)

// Grammar is a set of rules over bytes. The zero value has none.
type Grammar struct {
	rules map[string]*expr
	root  string
}

// expr is a pattern. Which of the fields count depends on kind.
type expr struct {
	kind     kind
	set      set
	subs     []*expr
	name     string // of a rule
	min, max int    // of a repetition; max < 0: without end
}

type kind int

const (
	isSet kind = iota
	isSeq
	isAlt
	isRepeat
	isRule
)

// set is a set of bytes.
type set [4]uint64

func (s *set) add(lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		s[b/64] |= 1 << (b % 64)
	}
}

func (s *set) has(b byte) bool { return s[b/64]>>(b%64)&1 != 0 }

func oneByte(lo, hi byte) *expr {
	e := &expr{kind: isSet}
	e.set.add(lo, hi)
	return e
}

// text is the bytes of s, one after the other.
func text(s string) *expr {
	e := &expr{kind: isSeq}
	for i := range len(s) {
		e.subs = append(e.subs, oneByte(s[i], s[i]))
	}
	return e
}

func seq(subs ...*expr) *expr { return &expr{kind: isSeq, subs: subs} }

func alt(subs ...*expr) *expr { return &expr{kind: isAlt, subs: subs} }

func rule(name string) *expr { return &expr{kind: isRule, name: name} }

// repeat is e between min and max times; max < 0 is without end.
func repeat(e *expr, min, max int) *expr {
	return &expr{kind: isRepeat, subs: []*expr{e}, min: min, max: max}
}

func optional(e *expr) *expr { return repeat(e, 0, 1) }

// Choices is the grammar of exactly these texts.
func Choices(texts ...string) (*Grammar, error) {
	if len(texts) == 0 {
		return nil, fmt.Errorf("grammar: no choices; want at least one")
	}
	e := alt()
	for _, s := range texts {
		if s == "" {
			return nil, fmt.Errorf("grammar: an empty choice; want texts")
		}
		e.subs = append(e.subs, text(s))
	}
	return &Grammar{rules: map[string]*expr{"root": e}, root: "root"}, nil
}

// check finds rules that are not there and rules that begin with themselves: a machine that reads from left to right
// would never get past them.
func (g *Grammar) check() error {
	names := slices.Sorted(maps.Keys(g.rules))
	for _, name := range names {
		if missing := g.missing(g.rules[name]); missing != "" {
			return fmt.Errorf("grammar: rule %q refers to rule %q, which is not there", name, missing)
		}
	}
	if g.rules[g.root] == nil {
		return fmt.Errorf("grammar: no rule %q; it is where a text begins", g.root)
	}
	empty := g.emptyRules()
	state := map[string]int{} // 1 while a rule's start is looked at, 2 after
	for _, name := range names {
		if loop := g.leftLoop(name, empty, state); loop != "" {
			return fmt.Errorf("grammar: rule %q begins with itself; write the repetition as (...)* or put the rule at the end", loop)
		}
	}
	return nil
}

func (g *Grammar) missing(e *expr) string {
	if e.kind == isRule && g.rules[e.name] == nil {
		return e.name
	}
	for _, sub := range e.subs {
		if name := g.missing(sub); name != "" {
			return name
		}
	}
	return ""
}

// emptyRules are the rules that the empty text matches.
func (g *Grammar) emptyRules() map[string]bool {
	empty := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for name, e := range g.rules {
			if !empty[name] && e.matchesEmpty(empty) {
				empty[name], changed = true, true
			}
		}
	}
	return empty
}

func (e *expr) matchesEmpty(empty map[string]bool) bool {
	switch e.kind {
	case isSeq:
		return !slices.ContainsFunc(e.subs, func(sub *expr) bool { return !sub.matchesEmpty(empty) })
	case isAlt:
		return slices.ContainsFunc(e.subs, func(sub *expr) bool { return sub.matchesEmpty(empty) })
	case isRepeat:
		return e.min == 0 || e.subs[0].matchesEmpty(empty)
	case isRule:
		return empty[e.name]
	}
	return false
}

// leftLoop is a rule that may begin with itself, found from the rule name on, or "".
func (g *Grammar) leftLoop(name string, empty map[string]bool, state map[string]int) string {
	switch state[name] {
	case 1:
		return name
	case 2:
		return ""
	}
	state[name] = 1
	defer func() { state[name] = 2 }()
	var first func(e *expr) string
	first = func(e *expr) string {
		if e.kind == isRule {
			return g.leftLoop(e.name, empty, state)
		}
		for _, sub := range e.subs {
			if loop := first(sub); loop != "" {
				return loop
			}
			if e.kind == isSeq && !sub.matchesEmpty(empty) {
				break
			}
		}
		return ""
	}
	return first(g.rules[name])
}
