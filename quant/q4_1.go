package quant

// Q4_1: 32 weights in 20 bytes, 5 bits a weight. w = d·q + m.
//
//	byte  0  d, half
//	byte  2  m, half: the smallest weight
//	byte  4  16 bytes of quants: low nibbles are weights 0…15, high nibbles 16…31

func decodeQ4_1(dst []float32, src []byte) {
	for ; len(dst) >= 32; dst, src = dst[32:], src[20:] {
		d, m := getF16(src), getF16(src[2:])
		low, high := dst[:16], dst[16:32]
		for j, q := range src[4:20] {
			low[j] = float32(float32(q&15)*d) + m
			high[j] = float32(float32(q>>4)*d) + m
		}
	}
}

func encodeQ4_1(dst []byte, src []float32) {
	for ; len(src) >= 32; dst, src = dst[20:], src[32:] {
		lowest, highest := extent(src[:32])
		d := (highest - lowest) / 15
		id := inverse(d)
		putF16(dst, d)
		putF16(dst[2:], lowest)
		for j := range 16 {
			low := float32((src[j]-lowest)*id) + 0.5
			high := float32((src[16+j]-lowest)*id) + 0.5
			dst[4+j] = quant4(low) | quant4(high)<<4
		}
	}
}
