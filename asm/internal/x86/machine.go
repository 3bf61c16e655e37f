// Package x86 writes the row kernels of amd64 instruction sets. One generator serves all of them: they differ in the
// width of a vector and in how bytes are multiplied, and a machine says how.
package x86

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// machine is an instruction set. A vector holds one 32-bit lane for each of lanes() rows of a panel of 16.
type machine interface {
	suffix() string
	lanes() int
	vec() reg.VecVirtual

	load(m Mem, dst reg.VecVirtual)
	store(src reg.VecVirtual, m Mem)
	and(a Op, b, dst reg.VecVirtual)
	or(a, b, dst reg.VecVirtual)
	xor(a Op, b, dst reg.VecVirtual)
	zero(dst reg.VecVirtual)
	// bytes is an operand of and and xor: a constant with b in every byte.
	bytes(b byte) Op
	// tile is how many rows and columns of floats fit into registers together with what they need to be multiplied.
	tile() (rows, columns int)
	// four adds sixteen lanes up to four: lane j+8 to lane j, then lane j+4.
	four(sum []reg.VecVirtual) reg.VecVirtual
	// broadcast writes the 32 bits at m to every lane.
	broadcast(m Mem, dst reg.VecVirtual)

	// dot32 adds to init the product of w[0..7], the unsigned bytes of 32 weights per lane, and the 32 signed bytes at
	// x. top is the largest byte there may be in w.
	dot32(w []reg.VecVirtual, top int, x Mem, init reg.VecVirtual) reg.VecVirtual
	// subDot is init plus the product where each half of 16 (or both, where sub has one entry) is multiplied by sub.
	subDot(w []reg.VecVirtual, top int, x Mem, sub []reg.VecVirtual, init Mem) reg.VecVirtual
	// dotWords adds to sum the products of the word pairs of w and the two words at x.
	dotWords(x Mem, w, sum reg.VecVirtual)
	// multiplier turns the even or odd ones of signed word pairs into what subDot multiplies the products of that many
	// groups of four weights by.
	multiplier(pairs reg.VecVirtual, odd bool, top, groups int) reg.VecVirtual
}

// at is the memory operand at a displacement from p.
func at(p reg.Register, disp int) Mem { return Mem{Base: p, Disp: disp} }

// loop emits body count times; count is consumed.
func loop(name string, count reg.GPVirtual, body func()) {
	Label(name)
	body()
	DECQ(count)
	JNZ(LabelRef(name))
}

// ahead is how many bytes before their use weights are fetched: a single row of activations is done with them sooner
// than memory answers, and a processor does not look beyond a page by itself.
const ahead = 2048

// fetch brings n bytes at m into the caches.
func fetch(m Mem, n int) {
	for line := 0; line < n; line += 64 {
		PREFETCHT0(m.Offset(line))
	}
}
