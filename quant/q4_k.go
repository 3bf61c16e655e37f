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
			scale, least := d*float32(s), dmin*float32(m)
			y, shift := dst[32*i:32*i+32], i%2*4
			for j, q := range src[16+i/2*32 : 48+i/2*32] {
				y[j] = float32(scale*float32(q>>shift&15)) - least
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
