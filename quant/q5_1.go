package quant

import "encoding/binary"

// Q5_1: 32 weights in 24 bytes, 6 bits a weight. w = d·q + m.
//
//	byte  0  d, half
//	byte  2  m, half: the smallest weight
//	byte  4  bit 4 of the quants: weight j has bit j of a 32-bit word
//	byte  8  16 bytes of bits 0…3: low nibbles are weights 0…15, high nibbles 16…31

func decodeQ5_1(dst []float32, src []byte) {
	for ; len(dst) >= 32; dst, src = dst[32:], src[24:] {
		d, m, fifth := getF16(src), getF16(src[2:]), binary.LittleEndian.Uint32(src[4:])
		low, high := dst[:16], dst[16:32]
		for j, q := range src[8:24] {
			low[j] = float32(float32(uint32(q&15)|fifth>>j&1<<4)*d) + m
			high[j] = float32(float32(uint32(q>>4)|fifth>>(j+16)&1<<4)*d) + m
		}
	}
}

func encodeQ5_1(dst []byte, src []float32) {
	for ; len(src) >= 32; dst, src = dst[24:], src[32:] {
		lowest, highest := extent(src[:32])
		d := (highest - lowest) / 31
		id := inverse(d)
		putF16(dst, d)
		putF16(dst[2:], lowest)
		var q [32]byte
		for j, x := range src[:32] {
			q[j] = quant5(float32((x-lowest)*id) + 0.5)
		}
		pack5(dst[4:24], &q)
	}
}
