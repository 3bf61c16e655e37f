package tokenizer

import (
	"slices"
	"strings"
	"testing"
)

// bytesAsTokens gives the byte-level tokens of single bytes.
func bytesAsTokens(s string) (ids []int32) {
	for _, b := range []byte(s) {
		ids = append(ids, int32(b)) // the tiny vocabulary has them in order
	}
	return ids
}

func TestStream(t *testing.T) {
	tok := tinyBPE(t)
	tests := []struct {
		bytes string
		want  []string // after each byte, and Flush
	}{
		{"ab", []string{"a", "b", ""}},
		{"é!", []string{"", "é", "!", ""}},
		{"😀", []string{"", "", "", "😀", ""}},
		{"\xf0\x9f\x98", []string{"", "", "", "\ufffd"}},
		{"\xf0\x9fa", []string{"", "", "\ufffda", ""}},
		{"\xffa", []string{"\ufffd", "a", ""}},
		{"\xc3\xc3\xa9", []string{"", "\ufffd", "é", ""}},
		{"\xed\xa0\x80", []string{"", "\ufffd\ufffd", "\ufffd", ""}},
		{"\x80\x80", []string{"\ufffd", "\ufffd", ""}},
	}
	for _, test := range tests {
		s := tok.NewStream(false)
		var got []string
		for _, id := range bytesAsTokens(test.bytes) {
			got = append(got, s.Push(id))
		}
		got = append(got, s.Flush())
		if !slices.Equal(got, test.want) {
			t.Errorf("%q comes as %q, want %q", test.bytes, got, test.want)
		}
		whole := tok.Decode(bytesAsTokens(test.bytes), false)
		if want := strings.Join(test.want, ""); whole != want {
			t.Errorf("Decode of %q gives %q, want %q", test.bytes, whole, want)
		}
	}
}

func TestLeadingSpace(t *testing.T) {
	tok := tinySPM(t, true)
	ids := tok.Encode("ab ab", Options{AddSpecial: true})
	tests := []struct {
		name    string
		special bool
		stream  func(*Stream) *Stream
		want    string
	}{
		{"a text", false, func(s *Stream) *Stream { return s }, "ab ab"},
		{"with BOS shown", true, func(s *Stream) *Stream { return s }, "<s> ab ab"},
		{"behind a prompt", false, (*Stream).Continue, " ab ab"},
	}
	for _, test := range tests {
		s := test.stream(tok.NewStream(test.special))
		got := ""
		for _, id := range ids {
			got += s.Push(id)
		}
		if got += s.Flush(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestPiece(t *testing.T) {
	tok := tinySPM(t, true)
	tests := []struct {
		id      int32
		special bool
		want    string
	}{
		{2, false, ""}, {2, true, "</s>"}, {0, false, ""}, {9, false, " ab"}, {13, false, "<keep>"},
		{14 + 0xC3, false, "\xc3"}, {-1, false, "\ufffd"}, {1 << 30, true, "\ufffd"},
	}
	for _, test := range tests {
		if got := string(tok.Piece(test.id, test.special)); got != test.want {
			t.Errorf("Piece(%d, %v) = %q, want %q", test.id, test.special, got, test.want)
		}
	}
	if tok.Token(-1) != "" || tok.Token(1<<30) != "" || tok.Token(9) != "▁ab" {
		t.Error("Token does not give the vocabulary's text")
	}
	if id, ok := tok.ID("▁ab"); !ok || id != 9 {
		t.Errorf("ID gives %d, %v", id, ok)
	}
}
