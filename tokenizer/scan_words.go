package tokenizer

// gpt2 is 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ .
func gpt2(s string) int {
	i := 0
	switch s[0] {
	case '\'':
		if n := contraction(s, false); n > 0 {
			return n
		}
	case ' ':
		if len(s) == 1 {
			return 1
		}
		i = 1
	}
	switch c, n := classAt(s, i); {
	case c&letter != 0:
		return run(s, i+n, letter)
	case c&number != 0:
		return run(s, i+n, number)
	case c&space == 0:
		return run(s, i+n, ^(letter | number | space))
	}
	return whitespace(s)
}

// wordRules is the family of expressions that began with GPT-4's:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?W+|\p{N}{1,k}| ?[^\s\p{L}\p{N}W]+[tail]*|\s*[\r\n]+|\s+(?!\S)|\s+
type wordRules struct {
	letters      class  // W: \p{L}, or [\p{L}\p{M}]
	digits       int    // k
	tail         string // what a run of punctuation takes along
	contractions bool
}

func (w wordRules) scan(s string) int {
	c, n := classAt(s, 0)
	if c&w.letters != 0 {
		return run(s, n, w.letters)
	}
	if c&number != 0 {
		return upTo(s, number, w.digits)
	}
	if s[0] == '\'' && w.contractions {
		if m := contraction(s, true); m > 0 {
			return m
		}
	}
	if n < len(s) && lineBreak(s) == 0 {
		if next, m := classAt(s, n); next&w.letters != 0 {
			return run(s, n+m, w.letters)
		}
	}
	return afterWords(s, w.letters, w.tail)
}

// afterWords is the family's second half: " ?[^\s\p{L}\p{N}W]+[tail]*|\s*[\r\n]+|\s+(?!\S)|\s+".
func afterWords(s string, letters class, tail string) int {
	if n := spacedRun(s, ^(space | letter | letters | number), tail); n > 0 {
		return n
	}
	if n := newlines(s); n > 0 {
		return n
	}
	return whitespace(s)
}

// spacedRun is " ?X+[tail]*" for the characters X of mask.
func spacedRun(s string, mask class, tail string) int {
	start := 0
	if s[0] == ' ' {
		start = 1
	}
	end := run(s, start, mask)
	if end == start {
		return 0
	}
	for end < len(s) && contains(tail, s[end]) {
		end++
	}
	return end
}

func contains(set string, c byte) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}

// casedRules is the family of GPT-4o's expression, whose words end where an upper case letter follows a lower case one.
// With U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], L = [\p{Ll}\p{Lm}\p{Lo}\p{M}], P = [^\r\n\p{L}\p{N}] and C the contractions:
//
//	P?U*L+C?|P?U+L*C?|\p{N}{1,k}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
type casedRules struct {
	digits       int // k
	contractions bool
}

const (
	upperish = upper | otherLetter | mark
	lowerish = lower | otherLetter | mark
)

func (w casedRules) scan(s string) int {
	c, n := classAt(s, 0)
	if c&number != 0 {
		return upTo(s, number, w.digits)
	}
	prefix := 0
	if c&letter == 0 && lineBreak(s) == 0 {
		prefix = n
	}
	if end := casedWord(s, prefix); end > 0 {
		if w.contractions && end < len(s) && s[end] == '\'' {
			end += contraction(s[end:], true)
		}
		return end
	}
	return afterWords(s, letter, "\r\n/")
}

// casedWord tries the two word forms in the order in which a backtracking engine does; prefix is the width of P at the
// start of s, 0 where there is none.
func casedWord(s string, prefix int) int {
	for _, form := range []func(string, int) int{lowerWord, upperWord} {
		if prefix > 0 {
			if end := form(s, prefix); end > 0 {
				return end
			}
		}
		if end := form(s, 0); end > 0 {
			return end
		}
	}
	return 0
}

// lowerWord is U*L+ from s[i:]. Marks and letters without case are in both sets, so U* gives back characters up to the
// last one that can begin L+.
func lowerWord(s string, i int) int {
	end := run(s, i, upperish)
	if end < len(s) {
		if c, n := classAt(s, end); c&lowerish != 0 {
			return run(s, end+n, lowerish)
		}
	}
	for end > i {
		n := lastWidth(s[:end])
		if c, _ := classAt(s, end-n); c&lowerish != 0 {
			return end
		}
		end -= n
	}
	return 0
}

// upperWord is U+L* from s[i:].
func upperWord(s string, i int) int {
	end := run(s, i, upperish)
	if end == i {
		return 0
	}
	return run(s, end, lowerish)
}
