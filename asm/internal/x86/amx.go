package x86

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels of AMX prepare a block's weights once with AVX-512, as rows of a tile: four weights of all 16 rows of the
// panel. Two tiles of activations meet them, up to 32 columns in a group, and give back what AVX-512 folds. BF16 tiles
// are left alone: TDPBF16PS adds pairs of products before it rounds, and the contract adds one product at a time.
//
// Tiles belong to the thread, so a kernel configures them when it begins and releases them when it ends. Nothing in
// between lets the runtime move the goroutine.

// AMX is the instruction set of Sapphire Rapids: AVX-512 and tiles.
func AMX() machine { return &avx512{"AMX", map[byte]Mem{}} }

// Registers that tile instructions name.
var (
	scratch = reg.RSI // 64-byte aligned room in the frame
	second  = reg.RDI // where the second tile of sums goes
	firstX  = reg.R8  // activations of the first tile of a group
	secondX = reg.R9  // and of the second
	lineLen = reg.R10 // bytes of a row of weights or of sums
	recLen  = reg.R11 // bytes of a record of activations
)

// tileKernel is what the kernels of both block sizes have in common.
type tileKernel struct {
	record int // bytes of activations of a block and column
	inner  int // bytes of them that one tile holds
	sums   int // offset of the sums in scratch, [planes][tileGroup][16]
	planes int // tiles of sums for one tile of activations
}

const (
	tileGroup  = 32 // columns of two tiles
	tileSums   = tileGroup * 64
	tileConfig = 64
)

func (k tileKernel) frame() int { return k.sums + k.planes*tileSums }

// The tiles: sums of plane p for the first and second half of a group, the halves' activations, weights of plane p.
func sumTile(p, half int) tile { return tile(2*p + half) }
func xTile(half int) tile      { return tile(4 + half) }
func weightTile(p int) tile    { return tile(6 + p) }

// begin emits the entry: the scratch room, the registers that stay, the configuration. A group of n columns is a tile
// of n/2 rows, rounded up, and one of as many from column n/2 on, rounded down: where n is odd the two overlap.
func (k tileKernel) begin(name, doc string) {
	TEXT(name, 0, "func(acc *float32, w, x *byte, blocks, n, group int)")
	Pragma("noescape")
	Doc(doc, "The columns are taken by group, at least 1 and at most 32 and n.")
	room := AllocLocal(k.frame() + 64)
	LEAQ(room.Offset(63), scratch)
	ANDQ(I8(-64), scratch)
	MOVQ(I32(64), lineLen)
	MOVQ(U32(uint32(k.record)), recLen)

	zero := ZMM()
	VPXORD(zero, zero, zero)
	VMOVDQU32(zero, at(scratch, 0))
	MOVB(U8(1), at(scratch, 0))
	rows := Load(Param("group"), GP64()).(reg.GPVirtual)
	MOVQ(rows, second)
	SHRQ(U8(1), second)
	SUBQ(second, rows)
	for p := range k.planes {
		for half := range 2 {
			shape(sumTile(p, half), rows.As8(), 64)
		}
		shape(weightTile(p), U8(uint8(k.inner/4)), 64)
	}
	for half := range 2 {
		shape(xTile(half), rows.As8(), k.inner)
	}
	configureTiles(scratch, 0)
	SHLQ(U8(6), second)
	ADDQ(scratch, second)
}

// shape writes a tile's rows and their length to the configuration.
func shape(t tile, rows Op, bytes int) {
	MOVW(U16(uint16(bytes)), at(scratch, 16+2*int(t)))
	MOVB(rows, at(scratch, 48+int(t)))
}

func (tileKernel) end() {
	releaseTiles()
	VZEROUPPER()
	RET()
}

// groups emits the loop over the columns of a block. multiply leaves a group's sums in scratch; fold, for every column,
// finds them at sums. The last group begins early enough to be whole, and its first columns are folded already.
func (k tileKernel) groups(x, acc reg.GPVirtual, multiply func(), fold func(x, sums, acc reg.GPVirtual)) (next reg.GPVirtual) {
	xp, a, left := GP64(), GP64(), GP64()
	MOVQ(x, xp)
	MOVQ(acc, a)
	Load(Param("n"), left)
	Label("group")
	take := Load(Param("group"), GP64()).(reg.GPVirtual)
	done, skip := GP64(), GP64()
	XORQ(done, done)
	MOVQ(take, skip)
	SUBQ(left, skip)
	CMOVQGT(skip, done)
	SUBQ(done, take)
	SUBQ(take, left)

	back := GP64()
	IMUL3Q(U32(uint32(k.record)), done, back)
	MOVQ(xp, firstX)
	SUBQ(back, firstX)
	Load(Param("group"), secondX)
	SHRQ(U8(1), secondX)
	IMUL3Q(U32(uint32(k.record)), secondX, secondX)
	ADDQ(firstX, secondX)
	multiply()

	sums := done
	SHLQ(U8(6), sums)
	ADDQ(scratch, sums)
	loop("column", take, func() {
		fold(xp, sums, a)
		ADDQ(U32(uint32(k.record)), xp)
		ADDQ(U8(64), sums)
		ADDQ(U8(64), a)
	})
	TESTQ(left, left)
	JNZ(LabelRef("group"))
	return xp
}

// clear zeroes the sums of a group, store writes them to scratch.
func (k tileKernel) clear() {
	for p := range k.planes {
		sumTile(p, 0).zero()
		sumTile(p, 1).zero()
	}
}

func (k tileKernel) store() {
	for p := range k.planes {
		sumTile(p, 0).store(scratch, k.sums+p*tileSums, lineLen)
		sumTile(p, 1).store(second, k.sums+p*tileSums, lineLen)
	}
}

// load reads the activations of a group, at disp of their records.
func (k tileKernel) load(disp int) {
	xTile(0).load(firstX, disp, recLen)
	xTile(1).load(secondX, disp, recLen)
}

// addDots adds the products of the activations and a plane's weights.
func (k tileKernel) addDots(plane int, signed bool) {
	for half := range 2 {
		sumTile(plane, half).addDot(xTile(half), weightTile(plane), signed)
	}
}
