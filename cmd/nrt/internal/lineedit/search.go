package lineedit

import (
	"fmt"
	"unicode/utf8"
)

// search is ctrl-R under way: the newest message that contains the query is shown as the message.
type search struct {
	query  string
	found  int    // its number in the history; the number of entries is "none yet"
	failed bool   // the query is nowhere
	before buffer // what the message was
}

func (s *search) prompt() string {
	word := "search"
	if s.failed {
		word = "no match"
	}
	return fmt.Sprintf("(%s: %s) ", word, s.query)
}

// pressInSearch carries out a key of the search; false says that the key ended it and still is to be carried out.
func (e *Editor) pressInSearch(k key) bool {
	s, h := e.search, e.cfg.History
	switch k.code {
	case charKey:
		s.query += string(k.char)
		e.seek(s.found + 1) // what is shown may match the longer query too
	case backspaceKey, ctrlH:
		_, size := utf8.DecodeLastRuneInString(s.query)
		s.query = s.query[:len(s.query)-size]
		e.seek(len(h.entries))
	case ctrlR:
		e.seek(s.found)
	case ctrlC, ctrlG:
		e.buf, e.search = s.before, nil
	default:
		if s.found < len(h.entries) {
			h.at, h.draft = s.found, s.before.text()
		}
		e.search = nil
		return false
	}
	return true
}

// seek shows the newest match before the n-th message.
func (e *Editor) seek(n int) {
	s, h := e.search, e.cfg.History
	i := h.find(s.query, n)
	if s.failed = i < 0; !s.failed {
		s.found = i
		e.buf.set(h.entries[i])
	}
}
