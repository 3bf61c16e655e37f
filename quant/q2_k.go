package quant

// Q2_K: 256 weights in 84 bytes, 2.625 bits a weight: 16 sub-blocks of 16. w = d·s·q − dmin·m.
//
//	byte  0  16 bytes, one a sub-block: s in the low nibble, m in the high one
//	byte 16  64 bytes of 2-bit quants, see pairs
//	byte 80  d, half
//	byte 82  dmin, half

func decodeQ2_K(dst []float32, src []byte) {
	for ; len(dst) >= 256; dst, src = dst[256:], src[84:] {
		d, dmin := getF16(src[80:]), getF16(src[82:])
		for i, s := range src[:16] {
			scale, least := d*float32(s&15), float32(dmin*float32(s>>4))
			qs, shift := pairs(src[16:80], i)
			y := dst[16*i : 16*i+16]
			for j, q := range qs {
				y[j] = float32(scale*float32(q>>shift&3)) - least
			}
		}
	}
}

var searchQ2_K = affine{sub: 16, qmax: 3, smax: 15}

func encodeQ2_K(dst []byte, src []float32) {
	var b block
	for ; len(src) >= 256; dst, src = dst[84:], src[256:] {
		b.load(src)
		f := searchQ2_K.fit(&b)
		clear(dst[:84])
		for i := range 16 {
			dst[i] = byte(f.s[i]) | byte(f.m[i])<<4
			qs, shift := pairs(dst[16:80], i)
			inv, least := invert(f.d*f.s[i]), float64(f.dmin*f.m[i])
			for j, v := range b.x[16*i : 16*i+16] {
				qs[j] |= byte(searchQ2_K.round((v+least)*inv)) << shift
			}
		}
		putF16(dst[80:], float32(f.d))
		putF16(dst[82:], float32(f.dmin))
	}
}

// pairs finds the 2-bit quants of sub-block i of 16: its 16 bytes and the shift of its bits in them. Each half of the
// 256 weights has 32 bytes; a byte's lowest bits belong to the first 32 weights of the half, the next to the next 32.
func pairs(qs []byte, i int) (bytes []byte, shift int) {
	at := i/8*32 + i%2*16
	return qs[at : at+16], i % 8 / 2 * 2
}
