package x86

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// TileRows32 emits the kernels of the formats in blocks of 32.
func TileRows32(m machine) {
	for _, p := range panels32 {
		tileRows32(m, p)
	}
}

func tileRows32(m machine, p panel) {
	const codes = tileConfig
	k := tileKernel{record: record32, inner: 32, sums: codes + 8*64, planes: 1}
	k.begin("rows"+p.name+"AMX", fmt.Sprintf("rows%sAMX adds to acc [n][16] the products of a panel of blocks*%d bytes and n columns of activations [blocks][n][%d].",
		p.name, p.bytes, record32))
	w, x := Load(Param("w"), GP64()).(reg.GPVirtual), Load(Param("x"), GP64()).(reg.GPVirtual)
	acc, blocks := Load(Param("acc"), GP64()).(reg.GPVirtual), Load(Param("blocks"), GP64()).(reg.GPVirtual)
	loop("block", blocks, func() {
		fetch(at(w, ahead), p.bytes)
		scale, offset := m.vec(), m.vec()
		VCVTPH2PS(at(w, 0), scale)
		if p.offset {
			VCVTPH2PS(at(w, 32), offset)
		}
		for g, v := range p.unpack(m, w, p.q, 0) {
			p.unbias(m, v)
			m.store(v, at(scratch, codes+64*g))
		}
		weightTile(0).load(scratch, codes, lineLen)
		next := k.groups(x, acc, func() {
			k.clear()
			k.load(0)
			k.addDots(0, p.bias > 0)
			k.store()
		}, func(x, sums, acc reg.GPVirtual) {
			sum := m.vec()
			m.load(at(sums, k.sums), sum)
			fold32(m, p, sum, scale, offset, at(x, 0), at(acc, 0))
		})
		MOVQ(next, x)
		ADDQ(U32(uint32(p.bytes)), w)
	})
	k.end()
}

// unbias makes signed weights of codes.
func (p panel) unbias(m machine, v reg.VecVirtual) {
	switch {
	case p.bias == 128:
		m.xor(m.bytes(0x80), v, v)
	case p.bias > 0:
		bias := m.vec()
		m.broadcast(m.bytes(byte(p.bias)).(Mem), bias)
		VPSUBB(bias, v, v)
	}
}
