package tokenizer

import "unicode/utf8"

// seams knows where no token of a vocabulary lies across: there merging cannot reach over, so a text without words of its
// own can be merged, and remembered, in parts.
type seams struct {
	inside [256][256]bool // some token has these bytes side by side
	spaced bool           // some token has a metaspace behind another character
}

// newSeams looks through the vocabulary; nothing merges into byte tokens.
func newSeams(t *texts, kinds []kind) *seams {
	s := new(seams)
	for id := range int32(t.len()) {
		if kinds[id] == kindByte {
			continue
		}
		text := t.at(id)
		for i := 1; i < len(text); i++ {
			s.inside[text[i-1]][text[i]] = true
			s.spaced = s.spaced || spaceBegins(text, i)
		}
	}
	return s
}

// spaceBegins says whether a metaspace that follows another character begins at s[i], i > 0.
func spaceBegins(s string, i int) bool {
	const n = len(metaspace)
	return s[i] == metaspace[0] && len(s)-i >= n && s[i:i+n] == metaspace && (i < n || s[i-n:i] != metaspace)
}

// scan cuts at the first seam. It is a scanner.
func (s *seams) scan(text string) int {
	for i := 1; i < len(text); i++ {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		if !s.inside[text[i-1]][text[i]] || !s.spaced && spaceBegins(text, i) {
			return i
		}
	}
	return len(text)
}
