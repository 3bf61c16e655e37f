package quant

// Q8_0: 32 weights in 34 bytes, 8.5 bits a weight. w = d·q.
//
//	byte  0  d, half
//	byte  2  32 signed bytes, −127…127 as we write them

func decodeQ8_0(dst []float32, src []byte) {
	for ; len(dst) >= 32; dst, src = dst[32:], src[34:] {
		d := getF16(src)
		y := dst[:32]
		for j, q := range src[2:34] {
			y[j] = float32(int8(q)) * d
		}
	}
}

func encodeQ8_0(dst []byte, src []float32) {
	for ; len(src) >= 32; dst, src = dst[34:], src[32:] {
		d := magnitude(src[:32]) / 127
		id := inverse(d)
		putF16(dst, d)
		for j, x := range src[:32] {
			dst[2+j] = byte(roundAway(float32(x * id)))
		}
	}
}
