package x86

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// avxvnni is avx2 with the VNNI instructions in their VEX form, which machines without AVX-512 have.
type avxvnni struct{ *avx2 }

// AVXVNNI is the instruction set of Alder Lake and Zen 5. Neither avo nor Go's assembler knows the VEX form: it goes
// into the file as bytes.
func AVXVNNI() machine {
	pass.Compile = pass.Concat(pass.Compile, pass.InstructionPass(asBytes))
	return avxvnni{newAVX2("AVXVNNI")}
}

// holds is false: bytes of all values may be multiplied.
func (avxvnni) holds(panel) bool { return false }

func (a avxvnni) dotBytes(x Mem, w, sum reg.VecVirtual) {
	v := YMM()
	a.broadcast(x, v)
	vexDot(dotBytesCode, v, w, sum)
}

func (avxvnni) addWords(a, b, sum reg.VecVirtual) { vexDot(dotWordsCode, a, b, sum) }

func (a avxvnni) dotWords(x Mem, w, sum reg.VecVirtual) {
	v := YMM()
	a.broadcast(x, v)
	a.addWords(v, w, sum)
}

func (a avxvnni) dot32(p panel, w []reg.VecVirtual, x []Mem) []reg.VecVirtual {
	return vnniDot32(a, p, w, x)
}

func (a avxvnni) subDot(w []reg.VecVirtual, top int, x []Mem, sub []reg.VecVirtual, sum []Mem) {
	vnniSubDot(a, w, top, x, sub, sum)
}

func (a avxvnni) multiplier(pairs reg.VecVirtual, odd bool, top, groups int) reg.VecVirtual {
	return vnniMultiplier(a, pairs, odd, top, groups)
}

// dotCode is an instruction of the VEX map 0F38, 256 bits wide, prefix 66: its opcode, and its mnemonic as GNU as has it.
type dotCode struct {
	opcode   byte
	mnemonic string
}

var (
	dotBytesCode = dotCode{0x50, "{vex} vpdpbusd"} // unsigned bytes of the second operand, signed ones of the first
	dotWordsCode = dotCode{0x52, "{vex} vpdpwssd"}
)

// dotCodes are the codes by the opcode that stands for them until registers are given out.
var dotCodes = map[string]dotCode{dotBytesCode.mnemonic: dotBytesCode, dotWordsCode.mnemonic: dotWordsCode}

func vexDot(code dotCode, a, b, sum reg.VecVirtual) {
	Instruction(&ir.Instruction{
		Opcode: code.mnemonic, ISA: []string{"AVX_VNNI"},
		Operands: []Op{a, b, sum}, Inputs: []Op{a, b, sum}, Outputs: []Op{sum},
	})
}

// asBytes turns an instruction of vexDot into bytes, with the mnemonic behind them.
func asBytes(in *ir.Instruction) error {
	code, ok := dotCodes[in.Opcode]
	if !ok {
		return nil
	}
	var number [3]byte
	var names []string
	for i, op := range in.Operands {
		r, ok := op.(reg.Physical)
		if !ok || r.PhysicalIndex() > 15 {
			return fmt.Errorf("x86: %s has operand %v, want one of Y0 to Y15", in.Opcode, op)
		}
		number[i] = byte(r.PhysicalIndex())
		names = append(names, fmt.Sprintf("%%ymm%d", number[i]))
	}
	first, second, sum := number[0], number[1], number[2]
	var text []string
	for _, b := range []byte{
		0xc4,
		0x42 | ^sum>>3<<7 | ^first>>3&1<<5, // inverted high bits of sum and first, map 0F38
		^second&15<<3 | 1<<2 | 1,           // inverted second, 256 bits, prefix 66
		code.opcode,
		0xc0 | sum&7<<3 | first&7,
	} {
		text = append(text, fmt.Sprintf("BYTE $0x%02x", b))
	}
	in.Opcode = strings.Join(text, "; ") + " // " + code.mnemonic + " " + strings.Join(names, ", ")
	in.Operands = nil
	return nil
}
