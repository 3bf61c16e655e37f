package quant

// Q5_K: 256 weights in 176 bytes, 5.5 bits a weight: 8 sub-blocks of 32. w = d·s·q − dmin·m.
//
//	byte  0  d, half
//	byte  2  dmin, half
//	byte  4  12 bytes of 6-bit s and m, see scales6
//	byte 16  32 bytes of bit 4 of the quants: weight j of sub-block i has bit i of byte j
//	byte 48  128 bytes of bits 0…3: 32 bytes for two sub-blocks, low nibbles the first, high nibbles the second

func decodeQ5_K(dst []float32, src []byte) {
	for ; len(dst) >= 256; dst, src = dst[256:], src[176:] {
		d, dmin := getF16(src), getF16(src[2:])
		fifth := src[16:48]
		for i := range 8 {
			s, m := scales6(src[4:16], i)
			scale, least := d*float32(s), float32(dmin*float32(m))
			y, shift := dst[32*i:32*i+32], i%2*4
			for j, q := range src[48+i/2*32 : 80+i/2*32] {
				y[j] = float32(scale*float32(q>>shift&15|fifth[j]>>i&1<<4)) - least
			}
		}
	}
}

var searchQ5_K = affine{sub: 32, qmax: 31, smax: 63}

func encodeQ5_K(dst []byte, src []float32) {
	var b block
	for ; len(src) >= 256; dst, src = dst[176:], src[256:] {
		b.load(src)
		f := searchQ5_K.fit(&b)
		clear(dst[:176])
		putF16(dst, float32(f.d))
		putF16(dst[2:], float32(f.dmin))
		fifth := dst[16:48]
		for i := range 8 {
			putScales6(dst[4:16], i, byte(f.s[i]), byte(f.m[i]))
			inv, least := invert(f.d*f.s[i]), float64(f.dmin*f.m[i])
			qs, shift := dst[48+i/2*32:], i%2*4
			for j, v := range b.x[32*i : 32*i+32] {
				q := byte(searchQ5_K.round((v + least) * inv))
				qs[j] |= q & 15 << shift
				fifth[j] |= q >> 4 << i
			}
		}
	}
}
