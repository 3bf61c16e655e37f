package arm64

import "math"

// records emits the kernels that quantise one row of activations into the records that panels meet. The scale is the
// largest magnitude over 127; a block with a NaN or an infinity gets a NaN as its scale, a tiny one zero.
func records(a *Asm) {
	record(a, "record32Asm", 32, record32)
	record(a, "record256Asm", 256, record256)
}

// Bits of float32 numbers, as unsigned integers in the same order as the numbers.
const (
	infinite = 0x7f800000 // infinities and NaNs are at least this
	notANum  = 0x7fc00000
)

// record emits the quantiser of blocks of n.
func record(a *Asm, name string, n, size int) {
	a.Func(name, "dst *byte, x *float32, blocks int, stride int", "writes a record for each block; records are stride bytes apart.")
	dst, x, blocks, stride := a.Param("dst"), a.Param("x"), a.Param("blocks"), a.Param("stride")
	block := a.Label("block")
	most, limit := magnitude(a, x, n), a.Reg()
	a.Op("MOVD", infinite, limit)
	a.Op("CMPW", limit, most)
	a.Op("BHS", "broken")
	a.Op("MOVD", int(math.Float32bits(1e-36)), limit)
	a.Op("CMPW", limit, most)
	a.Op("BLO", "zero")
	a.Scope(func() { quantise(a, dst, x, most, n) })
	a.Mark("next")
	a.Op("ADD", 4*n, x)
	a.Op("ADD", stride, dst)
	a.Op("SUBS", 1, blocks)
	a.Op("BNE", block)
	a.Return()

	a.Mark("broken")
	clearRecord(a, dst, size)
	a.Op("MOVD", notANum, limit)
	for _, disp := range marks(n) {
		a.Op("MOVW", limit, at(dst, disp))
	}
	a.Op("B", "next")
	a.Mark("zero")
	clearRecord(a, dst, size)
	a.Op("B", "next")
}

// marks are the float32 fields of a record.
func marks(n int) []int {
	if n == 32 {
		return []int{meta32 + 4*metaScale, meta32 + 4*metaSum}
	}
	return []int{scale256}
}

func clearRecord(a *Asm, dst R, size int) {
	a.Scope(func() {
		z := a.Vec()
		a.Zero(z)
		for i := 0; i < size; i += 16 {
			a.Store(z, at(dst, i))
		}
	})
}

// magnitude is the bits of the largest |x| of n, a multiple of 8.
func magnitude(a *Asm, x R, n int) R {
	bits := a.Reg()
	a.Scope(func() {
		positive := a.words(0x7fffffff)
		most, v := a.Vecs(2), a.Vecs(2)
		a.Zero(most[0])
		a.Zero(most[1])
		for i := 0; i < n; i += 8 {
			a.LoadPair(at(x, 4*i), v[0], v[1])
			for j, m := range most {
				a.op3("VAND", "B16", v[j], v[j], positive)
				a.op3("VUMAX", "S4", m, m, v[j])
			}
		}
		a.op3("VUMAX", "S4", most[0], most[0], most[1])
		a.Umaxv(most[0], most[0])
		a.Op("VMOV", most[0].lane("S", 0), bits)
	})
	return bits
}

// quantise writes the record of a block whose largest magnitude has these bits.
func quantise(a *Asm, dst, x, most R, n int) {
	scale, factor, full := a.Vec(), a.Vec(), a.float32s(127)
	a.Op("FMOVS", most, float(factor))
	a.Op("FDIVS", float(full), float(factor), float(scale))
	a.Op("FDIVS", float(factor), float(full), float(factor))
	neg, sum := a.Reg(), a.Reg()
	for i := 0; i < n; i += 16 {
		a.Scope(func() { quantise16(a, at(dst, i), x, i, factor, neg) })
		if n == 256 {
			a.Op("MOVH", neg, at(dst, sums16+i/8))
		}
		if i%32 == 0 {
			a.Op("MOVD", neg, sum)
			continue
		}
		a.Op("ADD", neg, sum)
		if n == 256 {
			a.Op("MOVH", sum, at(dst, sums32+i/32*2))
		}
	}
	if n == 256 {
		a.StoreWord(scale, at(dst, scale256))
		return
	}
	a.Op("LSL", 3, sum, neg)
	a.Op("MOVW", neg, at(dst, meta32+4*metaLess8))
	a.Op("LSL", 7, sum, neg)
	a.Op("MOVW", neg, at(dst, meta32+4*metaLess128))
	a.Op("NEG", sum, sum)
	a.Op("SCVTFWS", sum, float(factor))
	a.Op("FMULS", float(scale), float(factor), float(factor))
	a.StoreWord(scale, at(dst, meta32+4*metaScale))
	a.StoreWord(factor, at(dst, meta32+4*metaSum))
}

// quantise16 rounds 16 activations, stores them as bytes and sets neg to minus their sum.
func quantise16(a *Asm, dst string, x R, first int, factor V, neg R) {
	v := a.Vecs(4)
	a.LoadPair(at(x, 4*first), v[0], v[1])
	a.LoadPair(at(x, 4*first+32), v[2], v[3])
	for _, v := range v {
		a.FmulLane(v, v, factor, 0)
		a.Fcvtns(v, v)
	}
	for i := 0; i < 4; i += 2 {
		a.Xtn(v[i], v[i])
		a.Xtn2(v[i], v[i+1])
	}
	a.XtnByte(v[0], v[0])
	a.XtnByte2(v[0], v[2])
	a.Store(v[0], dst)
	a.Saddlv(v[1], v[0])
	a.Op("VMOV", v[1].lane("H", 0), neg)
	a.Op("MOVH", neg, neg)
	a.Op("NEG", neg, neg)
}
