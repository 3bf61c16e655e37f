package quant

import "encoding/binary"

// IQ4_XS: 256 weights in 136 bytes, 4.25 bits a weight: 8 sub-blocks of 32. w = d·(s−32)·iq4[q].
//
//	byte  0  d, half
//	byte  2  bits 4, 5 of the 6-bit s: sub-block i has them from bit 2i of a 16-bit word
//	byte  4  4 bytes of bits 0…3 of s: two sub-blocks a byte, low nibble first
//	byte  8  128 bytes of quants: 16 a sub-block, low nibbles are its weights 0…15, high nibbles 16…31

func decodeIQ4_XS(dst []float32, src []byte) {
	for ; len(dst) >= 256; dst, src = dst[256:], src[136:] {
		d, top := getF16(src), binary.LittleEndian.Uint16(src[2:])
		for i := range 8 {
			s := int(src[4+i/2]>>(i%2*4)&15) | int(top>>(2*i)&3)<<4
			scale := d * float32(s-32)
			low, high := dst[32*i:32*i+16], dst[32*i+16:32*i+32]
			for j, q := range src[8+16*i : 24+16*i] {
				low[j] = scale * iq4[q&15]
				high[j] = scale * iq4[q>>4]
			}
		}
	}
}
