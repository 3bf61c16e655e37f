package arm64

import "fmt"

// word writes a machine word and behind it what GNU as turns into that word.
func (a *Asm) word(code uint32, mnemonic string, operands ...any) {
	fmt.Fprintf(&a.text, "\tWORD $0x%08x // %s\n", code, fmt.Sprintf(mnemonic, operands...))
}

// three writes an operation on three registers, two one on two.
func (a *Asm) three(code uint32, name, kindD, kindN string, d, n, m V) {
	a.word(code|uint32(m)<<16|uint32(n)<<5|uint32(d), "%s v%d.%s, v%d.%s, v%d.%s", name, d, kindD, n, kindN, m, kindN)
}

func (a *Asm) two(code uint32, name, kindD, kindN string, d, n V) {
	a.word(code|uint32(n)<<5|uint32(d), "%s v%d.%s, v%d.%s", name, d, kindD, n, kindN)
}

// Four float32 lanes.

func (a *Asm) Fadd(d, n, m V)  { a.three(0x4e20d400, "fadd", "4s", "4s", d, n, m) }
func (a *Asm) Fsub(d, n, m V)  { a.three(0x4ea0d400, "fsub", "4s", "4s", d, n, m) }
func (a *Asm) Fmul(d, n, m V)  { a.three(0x6e20dc00, "fmul", "4s", "4s", d, n, m) }
func (a *Asm) Fdiv(d, n, m V)  { a.three(0x6e20fc00, "fdiv", "4s", "4s", d, n, m) }
func (a *Asm) Fmax(d, n, m V)  { a.three(0x4e20f400, "fmax", "4s", "4s", d, n, m) }
func (a *Asm) Fcmgt(d, n, m V) { a.three(0x6ea0e400, "fcmgt", "4s", "4s", d, n, m) }
func (a *Asm) Fcmeq(d, n, m V) { a.three(0x4e20e400, "fcmeq", "4s", "4s", d, n, m) }
func (a *Asm) Fneg(d, n V)     { a.two(0x6ea0f800, "fneg", "4s", "4s", d, n) }
func (a *Asm) Scvtf(d, n V)    { a.two(0x4e21d800, "scvtf", "4s", "4s", d, n) }
func (a *Asm) Fcvtns(d, n V)   { a.two(0x4e21a800, "fcvtns", "4s", "4s", d, n) }

// FmulLane multiplies by one lane of m.
func (a *Asm) FmulLane(d, n, m V, lane int) {
	code := 0x4f809000 | uint32(lane&1)<<21 | uint32(lane>>1)<<11 | uint32(m)<<16 | uint32(n)<<5 | uint32(d)
	a.word(code, "fmul v%d.4s, v%d.4s, v%d.s[%d]", d, n, m, lane)
}

// Fmaxv is the largest of four lanes, or NaN where there is one.
func (a *Asm) Fmaxv(d, n V) {
	a.word(0x6e30f800|uint32(n)<<5|uint32(d), "fmaxv s%d, v%d.4s", d, n)
}

// Half precision: the lower four, the upper four of eight.

func (a *Asm) Fcvtl(d, n V)  { a.two(0x0e217800, "fcvtl", "4s", "4h", d, n) }
func (a *Asm) Fcvtl2(d, n V) { a.two(0x4e217800, "fcvtl2", "4s", "8h", d, n) }
func (a *Asm) Fcvtn(d, n V)  { a.two(0x0e216800, "fcvtn", "4h", "4s", d, n) }
func (a *Asm) Fcvtn2(d, n V) { a.two(0x4e216800, "fcvtn2", "8h", "4s", d, n) }

// Shll widens the lower four words by sixteen zero bits below, Shll2 the upper four of eight: bfloat16 to float32.

func (a *Asm) Shll(d, n V) {
	a.word(0x2e613800|uint32(n)<<5|uint32(d), "shll v%d.4s, v%d.4h, #16", d, n)
}

func (a *Asm) Shll2(d, n V) {
	a.word(0x6e613800|uint32(n)<<5|uint32(d), "shll2 v%d.4s, v%d.8h, #16", d, n)
}

// Integers.

func (a *Asm) Mla(d, n, m V)    { a.three(0x4ea09400, "mla", "4s", "4s", d, n, m) }
func (a *Asm) Saddlp(d, n V)    { a.two(0x4e602800, "saddlp", "4s", "8h", d, n) }
func (a *Asm) Sadalp(d, n V)    { a.two(0x4e606800, "sadalp", "4s", "8h", d, n) }
func (a *Asm) Smull(d, n, m V)  { a.three(0x0e20c000, "smull", "8h", "8b", d, n, m) }
func (a *Asm) Smull2(d, n, m V) { a.three(0x4e20c000, "smull2", "8h", "16b", d, n, m) }
func (a *Asm) Smlal(d, n, m V)  { a.three(0x0e208000, "smlal", "8h", "8b", d, n, m) }
func (a *Asm) Smlal2(d, n, m V) { a.three(0x4e208000, "smlal2", "8h", "16b", d, n, m) }
func (a *Asm) Sxtl(d, n V)      { a.two(0x0f10a400, "sxtl", "4s", "4h", d, n) }
func (a *Asm) Sxtl2(d, n V)     { a.two(0x4f10a400, "sxtl2", "4s", "8h", d, n) }
func (a *Asm) Xtn(d, n V)       { a.two(0x0e612800, "xtn", "4h", "4s", d, n) }
func (a *Asm) Xtn2(d, n V)      { a.two(0x4e612800, "xtn2", "8h", "4s", d, n) }
func (a *Asm) XtnByte(d, n V)   { a.two(0x0e212800, "xtn", "8b", "8h", d, n) }
func (a *Asm) XtnByte2(d, n V)  { a.two(0x4e212800, "xtn2", "16b", "8h", d, n) }

// Saddlv adds sixteen signed bytes.
func (a *Asm) Saddlv(d, n V) {
	a.word(0x4e303800|uint32(n)<<5|uint32(d), "saddlv h%d, v%d.16b", d, n)
}

// Umaxv is the largest of four unsigned lanes.
func (a *Asm) Umaxv(d, n V) {
	a.word(0x6eb0a800|uint32(n)<<5|uint32(d), "umaxv s%d, v%d.4s", d, n)
}

// Sshr shifts elements of that many bits right, keeping their sign; Ssra adds them to d.
func (a *Asm) Sshr(size int, d, n V, bits int) { a.shiftRight(0x4f000400, "sshr", size, d, n, bits) }
func (a *Asm) Ssra(size int, d, n V, bits int) { a.shiftRight(0x4f001400, "ssra", size, d, n, bits) }

// Srshr is Sshr to the nearest integer.
func (a *Asm) Srshr(size int, d, n V, bits int) { a.shiftRight(0x4f002400, "srshr", size, d, n, bits) }

func (a *Asm) shiftRight(code uint32, name string, size int, d, n V, bits int) {
	kind := map[int]string{8: "16b", 16: "8h", 32: "4s"}[size]
	a.word(code|uint32(2*size-bits)<<16|uint32(n)<<5|uint32(d), "%s v%d.%s, v%d.%s, #%d", name, d, kind, n, kind, bits)
}

// Sdot adds to each lane of d the product of its four bytes of n and the four bytes in a lane of m.
func (a *Asm) Sdot(d, n, m V, lane int) {
	code := 0x4f80e000 | uint32(lane&1)<<21 | uint32(lane>>1)<<11 | uint32(m)<<16 | uint32(n)<<5 | uint32(d)
	a.word(code, "sdot v%d.4s, v%d.16b, v%d.4b[%d]", d, n, m, lane)
}

// Smmla adds to the four lanes of d the products of the two halves of n and the two halves of m.
func (a *Asm) Smmla(d, n, m V) { a.three(0x4e80a400, "smmla", "4s", "16b", d, n, m) }

// SmlalWord adds the product of the lower (SmlalWord2: upper) four words of n and one word of m, one of V0 to V15;
// SmullWord and SmullWord2 set it.
func (a *Asm) SmlalWord(d, n, m V, lane int)  { a.byWord(0x0f402000, "smlal", "4h", d, n, m, lane) }
func (a *Asm) SmlalWord2(d, n, m V, lane int) { a.byWord(0x4f402000, "smlal2", "8h", d, n, m, lane) }
func (a *Asm) SmullWord(d, n, m V, lane int)  { a.byWord(0x0f40a000, "smull", "4h", d, n, m, lane) }
func (a *Asm) SmullWord2(d, n, m V, lane int) { a.byWord(0x4f40a000, "smull2", "8h", d, n, m, lane) }

func (a *Asm) byWord(code uint32, name, kind string, d, n, m V, lane int) {
	if m > 15 {
		panic("arm64: a word by lane must be in V0 to V15")
	}
	code |= uint32(lane>>2)<<11 | uint32(lane>>1&1)<<21 | uint32(lane&1)<<20
	a.word(code|uint32(m)<<16|uint32(n)<<5|uint32(d), "%s v%d.4s, v%d.%s, v%d.h[%d]", name, d, n, kind, m, lane)
}
