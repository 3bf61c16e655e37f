// Package x86 writes the row kernels of amd64 instruction sets. One generator serves all of them: they differ in the
// width of a vector and in how bytes are multiplied, and a machine says how.
package x86

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
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
	// merge sets in v the bits of bits that a byte of the mask has, too.
	merge(bits reg.VecVirtual, mask byte, v reg.VecVirtual)
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

	// columns is how many columns of activations are met at once: their chains of products wait for each other less.
	columns() int
	// dot32 is the product, for each column, of w[0..7], the bytes of 32 weights per lane less the format's bias, and the
	// 32 signed bytes of the record at x.
	dot32(p panel, w []reg.VecVirtual, x []Mem) []reg.VecVirtual
	// subDot adds to the integers at sum, for each column, the product of w[0..7], none above top, and the 32 signed bytes
	// at x, where each half of 16 (or both, where sub has one entry) is multiplied by sub.
	subDot(w []reg.VecVirtual, top int, x []Mem, sub []reg.VecVirtual, sum []Mem)
	// dotWords adds to sum the products of the word pairs of w and the two words at x.
	dotWords(x Mem, w, sum reg.VecVirtual)
	// multiplier turns the even or odd ones of signed word pairs into what subDot multiplies the products of that many
	// groups of four weights by.
	multiplier(pairs reg.VecVirtual, odd bool, top, groups int) reg.VecVirtual
}

// holder is a machine that keeps the unpacked weights of some formats elsewhere than in registers.
type holder interface {
	holds(p panel) bool
	// hold keeps w for dot32 without w. A single column does better with w itself.
	hold(p panel, w []reg.VecVirtual)
}

// at is the memory operand at a displacement from p.
func at(p reg.Register, disp int) Mem { return Mem{Base: p, Disp: disp} }

// cleared adds an exclusive or of a register with itself, which does not read it: the allocator would keep it for longer.
func cleared(xor *ir.Instruction, err error) {
	if err != nil {
		panic(err) // the generator's own mistake
	}
	xor.CancellingInputs = true
	Instruction(xor)
}

// loop emits body count times; count is consumed.
func loop(name string, count reg.GPVirtual, body func()) {
	Label(name)
	body()
	DECQ(count)
	JNZ(LabelRef(name))
}

// walker is a register that goes from column to column.
type walker struct {
	at   reg.GPVirtual
	step int
}

// eachColumn emits body for n columns, as many at once as the machine takes and the rest one by one. body is told the
// displacements of its columns, in columns.
func eachColumn(m machine, name string, n reg.GPVirtual, walkers []walker, body func(columns []int)) {
	count, many := GP64(), m.columns()
	MOVQ(n, count)
	step := func(k int) {
		body(sequence(k))
		for _, w := range walkers {
			ADDQ(U32(uint32(k*w.step)), w.at)
		}
	}
	if many == 1 {
		loop(name, count, func() { step(1) })
		return
	}
	SUBQ(U8(uint8(many)), count)
	JB(LabelRef(name + "_rest"))
	Label(name + "_many")
	step(many)
	SUBQ(U8(uint8(many)), count)
	JAE(LabelRef(name + "_many"))
	Label(name + "_rest")
	ADDQ(U8(uint8(many)), count)
	JZ(LabelRef(name + "_end"))
	loop(name, count, func() { step(1) })
	Label(name + "_end")
}

// sequence is 0 to n-1.
func sequence(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// ahead is how many bytes before their use weights are fetched: a single row of activations is done with them sooner
// than memory answers, and a processor does not look beyond a page by itself.
const ahead = 4096

// fetch brings n bytes at m into the caches.
func fetch(m Mem, n int) {
	for line := 0; line < n; line += 64 {
		PREFETCHT0(m.Offset(line))
	}
}
