package sample

import "slices"

// dry ("don't repeat yourself") makes a token less likely the longer the repeat is that it would go on with. With
// length(t) the most tokens at the end of the history that also stand somewhere before, followed by t, and no sequence
// breaker among them, for each t with length(t) >= allowed:
//
//	logit[t] = logit[t] - multiplier·base^(length(t) - allowed)
//
// A token that is a breaker by itself is never made less likely. p-e-w: text-generation-webui pull request 5677 (2024).
//
// The lengths come from one pass of Gusfield's Z algorithm over the history read backwards: linear where comparing the
// end with every place before it would be quadratic.
type dry struct {
	multiplier, base float64
	allowed, window  int
	breakers         breakers
	past             *history

	z       []int32  // room: z[k] is how many tokens at the end also end k tokens earlier
	repeats []repeat // room
}

// repeat is a token that would lengthen a repeat of so many tokens.
type repeat struct{ id, length int32 }

func dryOff(p *Params) bool { return p.DryMultiplier == 0 || p.DryPenaltyLastN == 0 }

func newDry(p *Params, past *history) stage {
	past.widen(p.DryPenaltyLastN)
	return &dry{
		multiplier: p.DryMultiplier,
		base:       p.DryBase,
		allowed:    p.DryAllowedLength,
		window:     p.DryPenaltyLastN,
		breakers:   byLastToken(p.DrySequenceBreakers),
		past:       past,
	}
}

func (s *dry) apply(c *candidates) {
	last := s.past.tail(s.window)
	limit := s.breakers.since(last)
	if limit < s.allowed {
		return
	}
	s.z = zBackwards(s.z, last)
	s.repeats = s.repeats[:0]
	for k := 1; k < len(last); k++ {
		if length := min(int(s.z[k]), limit); length >= s.allowed {
			s.repeats = append(s.repeats, repeat{last[len(last)-k], int32(length)})
		}
	}
	slices.SortFunc(s.repeats, func(a, b repeat) int {
		if a.id != b.id {
			return int(a.id) - int(b.id)
		}
		return int(b.length) - int(a.length)
	})
	for i, r := range s.repeats {
		if i > 0 && s.repeats[i-1].id == r.id || s.breakers.single(r.id) {
			continue // the longest stands first
		}
		if logit := c.ref(r.id); logit != nil {
			*logit -= s.penalty(int(r.length))
		}
	}
}

// penalty is multiplier·base^(length - allowed), however long the repeat a number that a logit can still bear.
func (s *dry) penalty(length int) float32 {
	x := s.multiplier
	for n := length - s.allowed; n > 0 && x < highestSane; n-- {
		x *= s.base
	}
	return float32(min(x, highestSane))
}

// breakers are sequence breakers by their last token: a text in all its tokens makes thousands.
type breakers map[int32][][]int32

func byLastToken(sequences [][]int32) breakers {
	m := breakers{}
	for _, b := range sequences {
		last := b[len(b)-1]
		m[last] = append(m[last], b)
	}
	return m
}

// single says whether a token is a breaker by itself.
func (m breakers) single(id int32) bool {
	return slices.ContainsFunc(m[id], func(b []int32) bool { return len(b) == 1 })
}

// since is how many tokens follow the end of the last breaker in tokens; all of them without one.
func (m breakers) since(tokens []int32) int {
	for n := len(tokens); n > 0; n-- {
		for _, b := range m[tokens[n-1]] {
			if len(b) <= n && slices.Equal(b, tokens[n-len(b):n]) {
				return len(tokens) - n
			}
		}
	}
	return len(tokens)
}

// zBackwards is the Z function of the tokens read backwards, into room: z[k] is the length of the longest run that ends
// both at the end and k tokens before it. Gusfield: Algorithms on Strings, Trees and Sequences (1997), 1.3.
func zBackwards(room, tokens []int32) []int32 {
	n := len(tokens)
	z := slices.Grow(room[:0], n)[:n]
	at := func(i int) int32 { return tokens[n-1-i] }
	left, right := 0, 0 // the run [left, right) equals a beginning and reaches furthest
	for k := 1; k < n; k++ {
		run := 0
		if k < right {
			run = min(right-k, int(z[k-left]))
		}
		for k+run < n && at(run) == at(k+run) {
			run++
		}
		if k+run > right {
			left, right = k, k+run
		}
		z[k] = int32(run)
	}
	return z
}
