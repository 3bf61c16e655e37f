package x86

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vnni is a machine that multiplies bytes, or words, and adds the products of a lane to its 32 bits at once.
type vnni interface {
	machine
	// dotBytes adds to sum the products of the unsigned bytes of w and the four signed ones at x.
	dotBytes(x operand.Mem, w, sum reg.VecVirtual)
	// addWords adds to sum the products of signed words.
	addWords(a, b, sum reg.VecVirtual)
}

// vnniDot32 is dot32.
func vnniDot32(m vnni, p panel, w []reg.VecVirtual, x []operand.Mem) []reg.VecVirtual {
	var sums []reg.VecVirtual
	for _, x := range x {
		sums = append(sums, begin32(m, p, x))
	}
	chain(m, w, x, 0, sums)
	return sums
}

// chain adds to sums, for each column, the products with w, the first of which is that group of four weights.
func chain(m vnni, w []reg.VecVirtual, x []operand.Mem, first int, sums []reg.VecVirtual) {
	for g, v := range w {
		for i, sum := range sums {
			m.dotBytes(x[i].Offset(4*(first+g)), v, sum)
		}
	}
}

// inWords is how many groups of four products may be summed in 16 bits, where multiplying words pays: two sums at most
// for the groups that share a small scale. It is 0 where it does not.
func inWords(top, groups int) int {
	if fit := 32767 / (4 * 127 * top); 2*fit >= groups {
		return min(fit, groups)
	}
	return 0
}

// vnniSubDot is subDot. Sums that fit 16 bits are multiplied as words: their upper halves say no more than the sign, and
// meet zeros.
func vnniSubDot(m vnni, w []reg.VecVirtual, top int, x []operand.Mem, sub []reg.VecVirtual, sum []operand.Mem) {
	totals := make([]reg.VecVirtual, len(x))
	for i := range x {
		totals[i] = m.vec()
		m.load(sum[i], totals[i])
	}
	per := len(w) / len(sub)
	words := inWords(top, per)
	length := per
	if words > 0 {
		length = words
	}
	for first := 0; first < len(w); first += length {
		parts := make([]reg.VecVirtual, len(x))
		for i := range x {
			parts[i] = m.vec()
			m.zero(parts[i])
		}
		chain(m, w[first:first+length], x, first, parts)
		small := sub[first/per]
		for i, part := range parts {
			if words > 0 {
				m.addWords(small, part, totals[i])
				continue
			}
			VPMULLD(small, part, part)
			VPADDD(part, totals[i], totals[i])
		}
	}
	for i, total := range totals {
		m.store(total, sum[i])
	}
}

// vnniMultiplier is multiplier.
func vnniMultiplier(m vnni, pairs reg.VecVirtual, odd bool, top, groups int) reg.VecVirtual {
	v := m.vec()
	if !odd {
		VPSLLD(operand.U8(16), pairs, v)
		pairs = v
	}
	if inWords(top, groups) > 0 {
		VPSRLD(operand.U8(16), pairs, v)
	} else {
		VPSRAD(operand.U8(16), pairs, v)
	}
	return v
}
