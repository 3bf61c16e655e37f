package kernels

import "encoding/binary"

// The formats in blocks of 32 on their way into panels, see unpack32.go for what the files hold.

// packQ4_0 keeps the file's halves, the weights plus 8, or turns their top bits around, which takes 8 off.
func packQ4_0(dst []byte, row int, src []byte) {
	copyHalf(dst, row, src)
	packTurned(dst[32+4*row:], src[2:18], (8-q4Bias)*0x1111111111111111)
}

// packIQ4_NL packs codes, not yet looked up.
func packIQ4_NL(dst []byte, row int, src []byte) {
	copyHalf(dst, row, src)
	packNibbles(dst[32+4*row:], src[2:18])
}

func packQ4_1(dst []byte, row int, src []byte) {
	copyHalf(dst, row, src)
	copyHalf(dst[32:], row, src[2:])
	packNibbles(dst[64+4*row:], src[4:20])
}

func packQ5_0(dst []byte, row int, src []byte) {
	copyHalf(dst, row, src)
	packFive(dst[32+4*row:], src[2:22])
}

func packQ5_1(dst []byte, row int, src []byte) {
	copyHalf(dst, row, src)
	copyHalf(dst[32:], row, src[2:])
	packFive(dst[64+4*row:], src[4:24])
}

// packQ8_0: the top bit turned around adds 128.
func packQ8_0(dst []byte, row int, src []byte) {
	copyHalf(dst, row, src)
	codes := (*[32]byte)(src[2:])
	packFour((*vectors4)(dst[32+4*row:]), (*[16]byte)(codes[:]))
	packFour((*vectors4)(dst[288+4*row:]), (*[16]byte)(codes[16:]))
}

// packFour puts weight 4g+j plus q8Bias in byte j of vector g.
func packFour(to *vectors4, codes *[16]byte) {
	const bits = q8Bias * 0x0101010101010101
	a, b := binary.LittleEndian.Uint64(codes[:])^bits, binary.LittleEndian.Uint64(codes[8:])^bits
	put(to[:], 0, uint32(a))
	put(to[:], 1, uint32(a>>32))
	put(to[:], 2, uint32(b))
	put(to[:], 3, uint32(b>>32))
}

// packNibbles puts weights 8p+j in the low halves and 8p+4+j in the high halves of vector p.
func packNibbles(q, src []byte) { packTurned(q, src, 0) }

// packTurned is packNibbles with some bits of each eight bytes turned around.
func packTurned(q, src []byte, bits uint64) {
	to, codes := (*vectors4)(q), (*[16]byte)(src)
	a, b := binary.LittleEndian.Uint64(codes[:])^bits, binary.LittleEndian.Uint64(codes[8:])^bits
	put(to[:], 0, join(a&lowHalf))
	put(to[:], 1, join(b&lowHalf))
	put(to[:], 2, join(a>>4&lowHalf))
	put(to[:], 3, join(b>>4&lowHalf))
}

// packFive adds a vector of fifth bits: bit g of byte j belongs to weight 4g+j. src begins with these bits in a row.
func packFive(q, src []byte) {
	packNibbles(q, src[4:20])
	put(q, 4, spread[src[0]]|spread[src[1]]<<2|spread[src[2]]<<4|spread[src[3]]<<6)
}

// spread lays the eight bits of a byte apart: bit j to bit 0 of byte j, bit 4+j to bit 1 of byte j.
var spread = func() (words [256]uint32) {
	for b := range uint32(256) {
		for j := range 4 {
			words[b] |= (b>>j&1 | b>>(4+j)&1<<1) << (8 * j)
		}
	}
	return words
}()
