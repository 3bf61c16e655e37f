package sample

import "strings"

// The longest breaker that is looked at, and the longest token sequence it becomes: llama.cpp's limits.
const (
	maxBreakerBytes  = 40
	maxBreakerTokens = 21
)

// Breakers translates a text that breaks sequences into Params.DrySequenceBreakers: every way in which it can come up in
// the tokens of a vocabulary. That is each token that contains the text, and each token that ends in its beginning,
// followed by the tokens of the rest. piece is a token's bytes, encode the tokens of a text without special ones.
//
// It reads the whole vocabulary: keep the result.
func Breakers(text string, vocab int, piece func(id int32) []byte, encode func(text string) []int32) [][]int32 {
	if text == "" {
		return nil
	}
	text = text[:min(len(text), maxBreakerBytes)]
	rests := make([][]int32, len(text)) // tokens of text[n:], by n
	for n := 1; n < len(text); n++ {
		rests[n] = encode(text[n:])
		rests[n] = rests[n][:min(len(rests[n]), maxBreakerTokens-1)]
	}
	var sequences [][]int32
	for id := range int32(vocab) {
		p := string(piece(id))
		if strings.Contains(p, text) {
			sequences = append(sequences, []int32{id})
			continue
		}
		for n := 1; n < len(text); n++ {
			if strings.HasSuffix(p, text[:n]) {
				sequences = append(sequences, append([]int32{id}, rests[n]...))
			}
		}
	}
	return sequences
}
