package quant

// Q4_0: 32 weights in 18 bytes, 4.5 bits a weight. w = d·(q−8).
//
//	byte  0  d, half
//	byte  2  16 bytes of quants: low nibbles are weights 0…15, high nibbles 16…31

func decodeQ4_0(dst []float32, src []byte) {
	for ; len(dst) >= 32; dst, src = dst[32:], src[18:] {
		d := getF16(src)
		low, high := dst[:16], dst[16:32]
		for j, q := range src[2:18] {
			low[j] = float32(int(q&15)-8) * d
			high[j] = float32(int(q>>4)-8) * d
		}
	}
}

// encodeQ4_0 maps the weight of largest magnitude to −8, the one quant without a mirror image.
func encodeQ4_0(dst []byte, src []float32) {
	for ; len(src) >= 32; dst, src = dst[18:], src[32:] {
		d := extreme(src[:32]) / -8
		id := inverse(d)
		putF16(dst, d)
		for j := range 16 {
			dst[2+j] = quant4(float32(src[j]*id)+8.5) | quant4(float32(src[16+j]*id)+8.5)<<4
		}
	}
}

// quant4 truncates a number not below zero to four bits, the largest of which stands for all beyond.
func quant4(x float32) byte { return byte(min(15, int32(x))) }
