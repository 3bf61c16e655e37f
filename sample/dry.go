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
	breakers         [][]int32
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
		breakers:   p.DrySequenceBreakers,
		past:       past,
	}
}

func (s *dry) apply(c *candidates) {
	last := s.past.tail(s.window)
	limit := sinceBreaker(last, s.breakers)
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
		if i > 0 && s.repeats[i-1].id == r.id || s.breaks(r.id) {
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

// breaks says whether a token is a breaker by itself.
func (s *dry) breaks(id int32) bool {
	return slices.ContainsFunc(s.breakers, func(b []int32) bool { return len(b) == 1 && b[0] == id })
}

// sinceBreaker is how many tokens follow the end of the last breaker in tokens; all of them without one.
func sinceBreaker(tokens []int32, breakers [][]int32) int {
	for since := range tokens {
		end := tokens[:len(tokens)-since]
		for _, b := range breakers {
			if len(b) <= len(end) && slices.Equal(b, end[len(end)-len(b):]) {
				return since
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
