package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// spelling says how a vocabulary's texts stand for bytes.
type spelling int

const (
	byteSpelling      spelling = iota // one printable character for each byte
	metaspaceSpelling                 // metaspaces for spaces, <0x0A> for single bytes
)

// setPieces works out the bytes of every token. No piece is longer than its token's text.
func (t *Tokenizer) setPieces(how spelling) {
	blob, offsets := make([]byte, 0, len(t.texts.blob)), make([]uint32, 0, t.VocabSize()+1)
	for id := range int32(t.VocabSize()) {
		offsets = append(offsets, uint32(len(blob)))
		blob = t.appendPiece(blob, id, how)
	}
	t.pieces = texts{string(blob), append(offsets, uint32(len(blob)))}
}

// appendPiece appends the bytes of a token. Added tokens stand for their text as it is.
func (t *Tokenizer) appendPiece(dst []byte, id int32, how spelling) []byte {
	text := t.texts.at(id)
	switch k := t.kinds[id]; {
	case k == kindByte:
		if b, ok := byteToken(text); ok {
			return append(dst, b)
		}
	case k != kindNormal && k != kindUnused:
	case how == metaspaceSpelling:
		for {
			before, after, found := strings.Cut(text, metaspace)
			dst = append(dst, before...)
			if !found {
				return dst
			}
			dst, text = append(dst, ' '), after
		}
	default:
		if piece, ok := unspell(dst, text); ok {
			return piece
		}
	}
	return append(dst, text...)
}

// piece is the text of one token; control tokens have one only where special is set.
func (t *Tokenizer) piece(id int32, special bool) string {
	switch {
	case !t.pieces.has(id):
		return string(utf8.RuneError)
	case !special && t.IsSpecial(id):
		return ""
	}
	return t.pieces.at(id)
}

// Piece gives the bytes of one token as they stand within a text, which may be a part of a character; control tokens
// have none unless special is set, and an id outside the vocabulary is U+FFFD.
func (t *Tokenizer) Piece(id int32, special bool) []byte { return []byte(t.piece(id, special)) }

// Decode gives the text of tokens, control tokens included where special is set. What is not UTF-8 becomes U+FFFD. Where
// the vocabulary puts a space before every text, the first one is taken off.
func (t *Tokenizer) Decode(ids []int32, special bool) string {
	s := t.NewStream(special)
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(s.Push(id))
	}
	b.WriteString(s.Flush())
	return b.String()
}

// Stream turns tokens into text as they come and never gives half a character.
type Stream struct {
	t       *Tokenizer
	special bool
	trim    bool   // the text's first space is still to be taken off
	pending []byte // the beginning of a character
}

// NewStream starts a text; special as in Decode.
func (t *Tokenizer) NewStream(special bool) *Stream {
	return &Stream{t: t, special: special, trim: t.trimSpace}
}

// Continue makes the stream one that goes on behind a prompt: the first piece keeps its leading space.
func (s *Stream) Continue() *Stream {
	s.trim = false
	return s
}

// Push takes the next token and gives the characters that are complete with it, "" where there are none.
func (s *Stream) Push(id int32) string {
	piece := s.t.piece(id, s.special)
	if piece == "" {
		return ""
	}
	if s.trim {
		s.trim = false
		piece = strings.TrimPrefix(piece, " ")
	}
	if len(s.pending) == 0 && utf8.ValidString(piece) {
		return piece
	}
	s.pending = append(s.pending, piece...)
	out, used := complete(s.pending, false)
	s.pending = append(s.pending[:0], s.pending[used:]...)
	return out
}

// Flush ends the text: an unfinished character comes out as U+FFFD.
func (s *Stream) Flush() string {
	out, _ := complete(s.pending, true)
	s.pending = s.pending[:0]
	return out
}

// complete gives the text of b up to a character that more bytes may finish, and how much of b that is; with all it goes
// to the end. Of bytes that are no UTF-8 each longest beginning of a character, or else each byte, becomes one U+FFFD.
func complete(b []byte, all bool) (text string, used int) {
	var out strings.Builder
	for used < len(b) {
		r, n := utf8.DecodeRune(b[used:])
		if r == utf8.RuneError && n == 1 {
			n = beginning(b[used:])
			if used+n == len(b) && !utf8.FullRune(b[used:]) && !all {
				break
			}
		}
		out.WriteRune(r)
		used += n
	}
	return out.String(), used
}

// beginning is the length of the longest start of b that begins some character, at least 1.
func beginning(b []byte) int {
	n := 1
	for n < len(b) && !utf8.FullRune(b[:n]) && !invalid(b[:n+1]) {
		n++
	}
	return n
}

// invalid says whether no character begins with b.
func invalid(b []byte) bool {
	r, n := utf8.DecodeRune(b)
	return r == utf8.RuneError && n == 1 && utf8.FullRune(b)
}
