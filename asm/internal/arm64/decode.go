package arm64

// decodeNibbles emits the decoder of formats whose weights are looked up by half a byte: of 32 weights in 16 bytes the
// first sixteen are in the low halves. Product and sum are two roundings, as in the format's own decoder.
func decodeNibbles(a *Asm) {
	a.Func("decodeNibblesAsm", "dst *float32, src *byte, n int, stride int, table *[16]int8, scale *float32, offset *float32",
		"writes scale[b]*table[q] + offset[b] for the 32 codes q of each of n blocks, whose 16 bytes lie stride bytes apart.")
	dst, src, n, stride := a.Param("dst"), a.Param("src"), a.Param("n"), a.Param("stride")
	scale, offset, table, mask := a.Param("scale"), a.Param("offset"), a.Vec(), a.Vec()
	a.Load(at(a.Param("table"), 0), table)
	a.Op("VMOVI", 15, mask.of("B16"))
	a.Loop("block", n, func() {
		codes, factor, term := a.Vecs(2), a.Vec(), a.Vec()
		a.Load(at(src, 0), codes[0])
		a.shift("VUSHR", "B16", codes[1], codes[0], 4)
		a.op3("VAND", "B16", codes[0], codes[0], mask)
		a.LoadWord(at(scale, 0), factor)
		a.LoadWord(at(offset, 0), term)
		a.Op("VDUP", term.lane("S", 0), term.of("S4"))
		for i, c := range codes {
			a.Op("VTBL", c.of("B16"), "["+table.of("B16")+"]", c.of("B16"))
			writeBytes(a, c, factor, term, dst, 64*i)
		}
		a.Op("ADD", stride, src)
		a.Op("ADD", 128, dst)
		a.Op("ADD", 4, scale)
		a.Op("ADD", 4, offset)
	})
	a.Return()
}

// decodeBytes emits the decoder of formats whose weights are signed bytes.
func decodeBytes(a *Asm) {
	a.Func("decodeBytesAsm", "dst *float32, src *byte, n int, stride int, scale *float32, offset *float32",
		"writes scale[b]*q + offset[b] for the 32 signed bytes q of each of n blocks, which lie stride bytes apart.")
	dst, src, n, stride := a.Param("dst"), a.Param("src"), a.Param("n"), a.Param("stride")
	scale, offset := a.Param("scale"), a.Param("offset")
	a.Loop("block", n, func() {
		bytes, factor, term := a.Vecs(2), a.Vec(), a.Vec()
		a.Load(at(src, 0), bytes[0])
		a.Load(at(src, 16), bytes[1])
		a.LoadWord(at(scale, 0), factor)
		a.LoadWord(at(offset, 0), term)
		a.Op("VDUP", term.lane("S", 0), term.of("S4"))
		for i, b := range bytes {
			writeBytes(a, b, factor, term, dst, 64*i)
		}
		a.Op("ADD", stride, src)
		a.Op("ADD", 128, dst)
		a.Op("ADD", 4, scale)
		a.Op("ADD", 4, offset)
	})
	a.Return()
}

// writeBytes writes sixteen signed bytes as floats, each times the lowest lane of factor plus term.
func writeBytes(a *Asm, bytes, factor, term V, dst R, disp int) {
	a.Scope(func() {
		words, v := a.Vecs(2), a.Vecs(2)
		a.SxtlByte(words[0], bytes)
		a.SxtlByte2(words[1], bytes)
		for i, w := range words {
			a.Sxtl(v[0], w)
			a.Sxtl2(v[1], w)
			for _, x := range v {
				a.Scvtf(x, x)
				a.FmulLane(x, x, factor, 0)
				a.Fadd(x, x, term)
			}
			a.StorePair(v[0], v[1], at(dst, disp+32*i))
		}
	})
}
