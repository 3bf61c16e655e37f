package arm64

import (
	"encoding/binary"
	"fmt"
	"math"
)

// counter is how integer sums begin and end on machines that add to what is in a register. To clear it costs as much as
// a product; to load it does not. Sums that begin as the bits of 1.5 * 2^23 are, read as float32, that number plus the
// sum, as long as the sum is less than 2^22: to take the number off again is exact, and a quarter of a conversion's work.
// Of sums that are 16 times what counts, the bits of 1.5 * 2^19 leave a sixteenth.
type counter struct {
	start   R // of 32 bytes
	exact   bool
	rounder V // what sums of zero end as, where exact
}

const rounder = 12582912

// newCounter is for sums that are so many times what counts; 0 is for sums that stay integers.
func newCounter(a *Asm, m machine, times int) counter {
	switch {
	case !m.wide():
		return counter{}
	case times == 0:
		return counter{start: a.eightWords("zeros", 0)}
	}
	from := rounder / float32(times)
	start := a.eightWords(fmt.Sprintf("rounder%d", times), math.Float32bits(from))
	return counter{start: start, exact: true, rounder: a.float32s(from)}
}

// groupCounter is for sums over groups: they are less than 2^21, and begin 256 times too small, see dotted.
func groupCounter(a *Asm, m machine) counter {
	if !m.wide() {
		return counter{}
	}
	start := a.eightWords("rounderBy256", math.Float32bits(rounder)>>8)
	return counter{start: start, exact: true, rounder: a.float32s(rounder)}
}

// eightWords is the address of read-only bits, eight times.
func (a *Asm) eightWords(name string, bits uint32) R {
	var data []byte
	for range 8 {
		data = binary.LittleEndian.AppendUint32(data, bits)
	}
	return a.Constant(name, data)
}

// float turns sums into float32.
func (c counter) float(a *Asm, n V) {
	if c.exact {
		a.Fsub(n, n, c.rounder)
	} else {
		a.Scvtf(n, n)
	}
}
