package engine

import (
	"crypto/rand"
	"encoding/binary"
	"reflect"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/sample"
	"github.com/nrt-go/nrt/tokenizer"
)

// samplingParams lays what the caller said over the defaults. The fields of chat.Sampling have the names of
// sample.Params'; a test ranges over all of them.
func (e *Engine) samplingParams(s *chat.Sampling) (sample.Params, error) {
	p := sample.Default()
	from, to := reflect.ValueOf(s).Elem(), reflect.ValueOf(&p).Elem()
	for i := range from.NumField() {
		name, value := from.Type().Field(i).Name, from.Field(i)
		if value.Kind() == reflect.Pointer && !value.IsNil() {
			to.FieldByName(name).Set(value.Elem())
		}
	}
	if s.Seed == nil {
		p.Seed = randomSeed()
	}
	if s.LogitBias != nil {
		p.LogitBias = s.LogitBias
	}
	if s.Samplers != nil {
		p.Samplers = s.Samplers
	}
	if p.DryMultiplier != 0 {
		p.DrySequenceBreakers = e.breakers(s.DryBreakers)
	}
	if err := p.Validate(); err != nil {
		return p, chat.Errorf(chat.Invalid, "%w", err)
	}
	return p, nil
}

// randomSeed draws a seed that fits a JavaScript number, so that every client can send it back.
func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails, by its documentation
	return binary.LittleEndian.Uint64(b[:]) >> 11
}

// usualBreakers are the texts across which DRY does not look for repeats where a request names none.
var usualBreakers = []string{"\n", ":", "\"", "*"}

// breakers turns DRY's texts into token sequences. Reading the whole vocabulary for each takes a while, so results are
// kept: the texts come from requests, but few programs send more than one set.
func (e *Engine) breakers(texts []string) [][]int32 {
	if texts == nil {
		texts = usualBreakers
	}
	e.breakersMu.Lock()
	defer e.breakersMu.Unlock()
	var all [][]int32
	for _, text := range texts {
		seqs, ok := e.breakersOf[text]
		if !ok {
			seqs = sample.Breakers(text, e.vocab.VocabSize(), e.piece, e.plainTokens)
			if len(e.breakersOf) < keptBreakers {
				e.breakersOf[text] = seqs
			}
		}
		all = append(all, seqs...)
	}
	return all
}

// keptBreakers bounds what requests can make the engine remember.
const keptBreakers = 64

func (e *Engine) piece(id int32) []byte { return e.vocab.Piece(id, true) }

func (e *Engine) plainTokens(text string) []int32 {
	return e.vocab.Encode(text, tokenizer.Options{})
}
