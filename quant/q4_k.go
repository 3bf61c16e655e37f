package quant

// Q4_K: 256 weights in 144 bytes, 4.5 bits a weight: 8 sub-blocks of 32. w = d·s·q − dmin·m.
//
//	byte  0  d, half
//	byte  2  dmin, half
//	byte  4  12 bytes of 6-bit s and m, see scales6
//	byte 16  128 bytes of 4-bit quants: 32 bytes for two sub-blocks, low nibbles the first, high nibbles the second

func decodeQ4_K(dst []float32, src []byte) {
	for ; len(dst) >= 256; dst, src = dst[256:], src[144:] {
		d, dmin := getF16(src), getF16(src[2:])
		for i := range 8 {
			s, m := scales6(src[4:16], i)
			scale, least := d*float32(s), float32(dmin*float32(m))
			y, shift := dst[32*i:32*i+32], i%2*4
			for j, q := range src[16+i/2*32 : 48+i/2*32] {
				y[j] = float32(scale*float32(q>>shift&15)) - least
			}
		}
	}
}

var searchQ4_K = affine{sub: 32, qmax: 15, smax: 63}

func encodeQ4_K(dst []byte, src []float32) {
	var b block
	for ; len(src) >= 256; dst, src = dst[144:], src[256:] {
		b.load(src)
		f := searchQ4_K.fit(&b)
		clear(dst[:144])
		putF16(dst, float32(f.d))
		putF16(dst[2:], float32(f.dmin))
		for i := range 8 {
			putScales6(dst[4:16], i, byte(f.s[i]), byte(f.m[i]))
			inv, least := invert(f.d*f.s[i]), float64(f.dmin*f.m[i])
			qs, shift := dst[16+i/2*32:], i%2*4
			for j, v := range b.x[32*i : 32*i+32] {
				qs[j] |= byte(searchQ4_K.round((v+least)*inv)) << shift
			}
		}
	}
}

// scales6 unpacks scale s and minimum m of sub-block i of 8 from their 12 bytes. The first four have six bits in
// bytes i and i+4; the last four have their bits 0…3 in the nibbles of byte i+4 and bits 4, 5 on top of bytes i−4 and i.
func scales6(b []byte, i int) (s, m byte) {
	if i < 4 {
		return b[i] & 63, b[i+4] & 63
	}
	return b[i+4]&15 | b[i-4]>>6<<4, b[i+4]>>4 | b[i]>>6<<4
}

// putScales6 is the inverse of scales6, into bytes that were zero before the first sub-block.
func putScales6(b []byte, i int, s, m byte) {
	if i < 4 {
		b[i], b[i+4] = s, m
		return
	}
	b[i+4] = s&15 | m&15<<4
	b[i-4] |= s >> 4 << 6
	b[i] |= m >> 4 << 6
}
