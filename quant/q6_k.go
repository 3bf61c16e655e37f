package quant

// Q6_K: 256 weights in 210 bytes, 6.5625 bits a weight: 16 sub-blocks of 16. w = d·s·(q−32).
//
//	byte   0  128 bytes of bits 0…3: 64 for each half of the weights, whose first two 32s are the low nibbles
//	byte 128  64 bytes of bits 4 and 5, see pairs
//	byte 192  16 signed bytes s
//	byte 208  d, half

func decodeQ6_K(dst []float32, src []byte) {
	for ; len(dst) >= 256; dst, src = dst[256:], src[210:] {
		d := getF16(src[208:])
		for i, s := range src[192:208] {
			scale := d * float32(int8(s))
			high, shift := pairs(src[128:192], i)
			low, nibble := nibbles(src[:128], i)
			y := dst[16*i : 16*i+16]
			for j, q := range low {
				y[j] = scale * float32(int(q>>nibble&15|high[j]>>shift&3<<4)-32)
			}
		}
	}
}

var searchQ6_K = symmetric{qmin: -32, qmax: 31, smin: -128, smax: 127}

func encodeQ6_K(dst []byte, src []float32) {
	var b block
	for ; len(src) >= 256; dst, src = dst[210:], src[256:] {
		b.load(src)
		f := searchQ6_K.fit(&b)
		clear(dst[:210])
		for i := range 16 {
			dst[192+i] = byte(int8(f.s[i]))
			high, shift := pairs(dst[128:192], i)
			low, nibble := nibbles(dst[:128], i)
			inv := signedInvert(f.d * f.s[i])
			for j, v := range b.x[16*i : 16*i+16] {
				q := byte(searchQ6_K.round(v*inv) + 32)
				low[j] |= q & 15 << nibble
				high[j] |= q >> 4 << shift
			}
		}
		putF16(dst[208:], float32(f.d))
	}
}

// nibbles finds the low four bits of sub-block i of 16: its 16 bytes and the shift of its bits in them.
func nibbles(ql []byte, i int) (bytes []byte, shift int) {
	at := i/8*64 + i%4*16
	return ql[at : at+16], i % 8 / 4 * 4
}
