package engine

import "strings"

// stopFilter holds back text that may turn out to be the start of a stop text.
type stopFilter struct {
	stops []string
	held  string
}

// push takes new text and returns what is safe to show. hit says that a stop text came; text from it on is dropped.
func (f *stopFilter) push(text string) (out string, hit bool) {
	if len(f.stops) == 0 {
		return text, false
	}
	f.held += text
	first := -1
	for _, stop := range f.stops {
		if i := strings.Index(f.held, stop); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	if first >= 0 {
		out, f.held = f.held[:first], ""
		return out, true
	}
	keep := 0
	for _, stop := range f.stops {
		keep = max(keep, overlap(f.held, stop))
	}
	cut := len(f.held) - keep
	out, f.held = f.held[:cut], f.held[cut:]
	return out, false
}

// flush returns what was held back; the answer is over and no stop text came.
func (f *stopFilter) flush() string {
	out := f.held
	f.held = ""
	return out
}

// overlap is the length of the longest proper prefix of stop that ends text.
func overlap(text, stop string) int {
	for n := min(len(text), len(stop)-1); n > 0; n-- {
		if strings.HasSuffix(text, stop[:n]) {
			return n
		}
	}
	return 0
}
