package quant

// IQ4_NL: 32 weights in 18 bytes, 4.5 bits a weight. w = d·iq4[q].
//
//	byte  0  d, half
//	byte  2  16 bytes of quants: low nibbles are weights 0…15, high nibbles 16…31

// iq4 is the uneven ladder of IQ4_NL and IQ4_XS: finer where weights are dense.
var iq4 = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

func decodeIQ4_NL(dst []float32, src []byte) {
	for ; len(dst) >= 32; dst, src = dst[32:], src[18:] {
		d := getF16(src)
		low, high := dst[:16], dst[16:32]
		for j, q := range src[2:18] {
			low[j] = d * iq4[q&15]
			high[j] = d * iq4[q>>4]
		}
	}
}
