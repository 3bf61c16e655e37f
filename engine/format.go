package engine

import (
	"encoding/json"
	"math"
	"sync"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/grammar"
)

// formats compiles the forms that requests ask for and keeps some of them: clients send the same schema with every
// request, and a compiled one remembers what it has worked out.
type formats struct {
	mu    sync.Mutex
	vocab *grammar.Vocab // made when the first form is asked for
	kept  map[string]*grammar.Constraint
}

const keptFormats = 32

// formatOf is the compiled form of a request; nil where it asks for none.
func (e *Engine) formatOf(f *chat.Format) (*grammar.Constraint, error) {
	if f == nil {
		return nil, nil
	}
	key, err := json.Marshal(f)
	if err != nil {
		return nil, chat.Errorf(chat.Invalid, "engine: the format's schema is no JSON: %w", err)
	}
	e.formats.mu.Lock()
	defer e.formats.mu.Unlock()
	if c := e.formats.kept[string(key)]; c != nil {
		return c, nil
	}
	c, err := e.compileFormat(f)
	if err != nil {
		return nil, chat.Errorf(chat.Invalid, "%w", err)
	}
	if len(e.formats.kept) == keptFormats {
		clear(e.formats.kept)
	}
	e.formats.kept[string(key)] = c
	return c, nil
}

func (e *Engine) compileFormat(f *chat.Format) (*grammar.Constraint, error) {
	g, err := readFormat(f)
	if err != nil {
		return nil, err
	}
	if e.formats.vocab == nil {
		var ends []int32
		for id := range int32(e.vocab.VocabSize()) {
			if e.vocab.IsEOG(id) {
				ends = append(ends, id)
			}
		}
		e.formats.vocab = grammar.NewVocab(e.vocab.VocabSize(), func(id int32) []byte { return e.vocab.Piece(id, false) }, ends)
	}
	return e.formats.vocab.Compile(g)
}

func readFormat(f *chat.Format) (*grammar.Grammar, error) {
	given := 0
	for _, is := range []bool{f.JSON, f.Schema != nil, f.Grammar != "", f.Regexp != "", f.Choices != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, chat.Errorf(chat.Invalid, "engine: a format is exactly one of json, schema, grammar, regexp and choices; this one has %d", given)
	}
	switch {
	case f.JSON:
		return grammar.JSON(), nil
	case f.Schema != nil:
		return grammar.JSONSchema(f.Schema)
	case f.Grammar != "":
		return grammar.GBNF(f.Grammar)
	case f.Regexp != "":
		return grammar.Regexp(f.Regexp)
	}
	return grammar.Choices(f.Choices...)
}

// constrain bans the tokens that may not come next. Tokens beyond the vocabulary, which some models have rows for, may
// never.
func constrain(logits []float32, form *grammar.State) {
	banned := float32(math.Inf(-1))
	mask := form.Mask()
	for base := 0; base < len(logits); base += 64 {
		block, allowed := logits[base:min(base+64, len(logits))], uint64(0)
		if base/64 < len(mask) {
			allowed = mask[base/64]
		}
		if allowed == math.MaxUint64 {
			continue
		}
		for i := range block {
			if allowed>>i&1 == 0 {
				block[i] = banned
			}
		}
	}
}
