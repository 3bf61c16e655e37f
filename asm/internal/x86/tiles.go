package x86

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Neither avo nor Go's assembler knows the instructions of AMX, so they are written as bytes with the mnemonic behind
// them as GNU as reads it; a test compares the two. Their registers are named here, not allotted by avo.

// tile is one of the eight tile registers: up to sixteen rows of 64 bytes.
type tile byte

// Prefixes of the VEX encoding, which tell instructions with one opcode apart.
const (
	vexNone = 0
	vexF3   = 2
	vexF2   = 3
)

// load reads rows that are stride bytes apart, from base plus disp on.
func (t tile) load(base reg.GPPhysical, disp int, stride reg.GPPhysical) {
	tileBytes(vexMemory(vexF2, 0x4b, byte(t), base, stride, disp), []reg.Register{base, stride},
		"tileloadd %s, %%tmm%d", address(base, stride, disp), t)
}

// store writes the tile's rows stride bytes apart.
func (t tile) store(base reg.GPPhysical, disp int, stride reg.GPPhysical) {
	tileBytes(vexMemory(vexF3, 0x4b, byte(t), base, stride, disp), []reg.Register{base, stride},
		"tilestored %%tmm%d, %s", t, address(base, stride, disp))
}

func (t tile) zero() { tileBytes(vex(vexF2, 0x49, 0, 0xc0|byte(t)<<3), nil, "tilezero %%tmm%d", t) }

// addDot adds to row i, lane j of the tile the products of row i of a, signed bytes, and lane j of b, four bytes in
// each row: unsigned, or signed.
func (t tile) addDot(a, b tile, signed bool) {
	name, prefix := "tdpbsud", byte(vexF3)
	if signed {
		name, prefix = "tdpbssd", vexF2
	}
	tileBytes(vex(prefix, 0x5e, byte(b), 0xc0|byte(t)<<3|byte(a)), nil, "%s %%tmm%d, %%tmm%d, %%tmm%d", name, b, a, t)
}

// configureTiles takes the tiles' shapes from the 64 bytes at base plus disp.
func configureTiles(base reg.GPPhysical, disp int) {
	tileBytes(vexMemory(vexNone, 0x49, 0, base, nil, disp), []reg.Register{base}, "ldtilecfg %s", address(base, nil, disp))
}

// releaseTiles makes the thread one without tiles again, which the system need not save.
func releaseTiles() { tileBytes(vex(vexNone, 0x49, 0, 0xc0), nil, "tilerelease") }

// tileBytes adds an instruction that reads those registers.
func tileBytes(code []byte, reads []reg.Register, mnemonic string, operands ...any) {
	var text []string
	for _, b := range code {
		text = append(text, fmt.Sprintf("BYTE $0x%02x", b))
	}
	in := &ir.Instruction{Opcode: strings.Join(text, "; ") + " // " + fmt.Sprintf(mnemonic, operands...)}
	for _, r := range reads {
		in.Inputs = append(in.Inputs, operand.Op(r))
	}
	Instruction(in)
}

// vex is a VEX instruction of the map 0F38 without memory operand; second is the register that has no place in modrm.
func vex(prefix, opcode, second, modrm byte) []byte {
	return []byte{0xc4, 0xe2, vexFields(prefix, second), opcode, modrm}
}

func vexFields(prefix, second byte) byte { return ^second&15<<3 | prefix }

// vexMemory is one with the operand disp(base), or disp(base,index,1).
func vexMemory(prefix, opcode, r byte, base, index reg.GPPhysical, disp int) []byte {
	const extendX, extendB, sib, noIndex = 0x40, 0x20, 4, 4
	b := byte(base.PhysicalIndex())
	extensions, modrm, tail := byte(0xe2), r<<3, []byte(nil)
	if b >= 8 {
		extensions &^= extendB
	}
	switch {
	case index != nil:
		i := byte(index.PhysicalIndex())
		if i >= 8 {
			extensions &^= extendX
		}
		modrm, tail = modrm|sib, []byte{i&7<<3 | b&7}
	case b&7 == sib:
		modrm, tail = modrm|sib, []byte{noIndex<<3 | b&7}
	default:
		modrm |= b & 7
	}
	switch {
	case disp == 0 && b&7 != 5:
	case disp == int(int8(disp)):
		modrm, tail = modrm|0x40, append(tail, byte(disp))
	default:
		modrm, tail = modrm|0x80, append(tail, byte(disp), byte(disp>>8), byte(disp>>16), byte(disp>>24))
	}
	return append([]byte{0xc4, extensions, vexFields(prefix, 0), opcode, modrm}, tail...)
}

// address is a memory operand as GNU as writes it.
func address(base, index reg.GPPhysical, disp int) string {
	name := func(r reg.GPPhysical) string {
		n := strings.ToLower(r.Asm())
		if !strings.HasPrefix(n, "r") {
			n = "r" + n
		}
		return "%" + n
	}
	text := "(" + name(base)
	if index != nil {
		text += "," + name(index) + ",1"
	}
	if disp != 0 {
		text = fmt.Sprint(disp) + text
	}
	return text + ")"
}
