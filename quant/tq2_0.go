package quant

// TQ2_0: 256 ternary weights in 66 bytes, 2.0625 bits a weight. w = d·(q−1).
//
//	byte  0  64 bytes of 2-bit quants: 32 for each half of the weights, lowest bits for its first 32 weights
//	byte 64  d, half

func decodeTQ2_0(dst []float32, src []byte) {
	for ; len(dst) >= 256; dst, src = dst[256:], src[66:] {
		d := getF16(src[64:])
		for i := range 16 {
			qs, shift := pairs(src[:64], i)
			y := dst[16*i : 16*i+16]
			for j, q := range qs {
				y[j] = float32(int(q>>shift&3)-1) * d
			}
		}
	}
}

func encodeTQ2_0(dst []byte, src []float32) {
	for ; len(src) >= 256; dst, src = dst[66:], src[256:] {
		d := magnitude(src[:256])
		id := inverse(d)
		clear(dst[:64])
		for i := range 16 {
			qs, shift := pairs(dst[:64], i)
			for j, x := range src[16*i : 16*i+16] {
				qs[j] |= byte(trit(x*id)) << shift
			}
		}
		putF16(dst[64:], d)
	}
}
