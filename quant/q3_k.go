package quant

// Q3_K: 256 weights in 110 bytes, 3.4375 bits a weight: 16 sub-blocks of 16. w = d·(s−32)·(q−4).
//
//	byte   0  32 bytes of bit 2 of the quants: weight j of the i-th 32 has bit i of byte j
//	byte  32  64 bytes of bits 0 and 1, see pairs
//	byte  96  12 bytes of 6-bit s: bits 0…3 of s[i] in byte i%8, low nibble for i < 8; bits 4, 5 in byte 8 + i%4 from bit i/4·2
//	byte 108  d, half

func decodeQ3_K(dst []float32, src []byte) {
	for ; len(dst) >= 256; dst, src = dst[256:], src[110:] {
		d := getF16(src[108:])
		for i := range 16 {
			s := src[96+i%8]>>(i/8*4)&15 | src[104+i%4]>>(i/4*2)&3<<4
			scale := d * float32(int(s)-32)
			qs, shift := pairs(src[32:96], i)
			third := src[i%2*16 : i%2*16+16]
			y := dst[16*i : 16*i+16]
			for j, q := range qs {
				y[j] = scale * float32(int(q>>shift&3|third[j]>>(i/2)&1<<2)-4)
			}
		}
	}
}

var searchQ3_K = symmetric{qmin: -4, qmax: 3, smin: -32, smax: 31}

func encodeQ3_K(dst []byte, src []float32) {
	var b block
	for ; len(src) >= 256; dst, src = dst[110:], src[256:] {
		b.load(src)
		f := searchQ3_K.fit(&b)
		clear(dst[:110])
		third := dst[:32]
		for i := range 16 {
			s := byte(f.s[i] + 32)
			dst[96+i%8] |= s & 15 << (i / 8 * 4)
			dst[104+i%4] |= s >> 4 << (i / 4 * 2)
			qs, shift := pairs(dst[32:96], i)
			inv := signedInvert(f.d * f.s[i])
			for j, v := range b.x[16*i : 16*i+16] {
				q := byte(searchQ3_K.round(v*inv) + 4)
				qs[j] |= q & 3 << shift
				third[i%2*16+j] |= q >> 2 << (i / 2)
			}
		}
		putF16(dst[108:], float32(f.d))
	}
}
