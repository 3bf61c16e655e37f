package quant

import "math"

// MXFP4 (OCP microscaling): 32 weights in 17 bytes, 4.25 bits a weight. w = 2^(e−127)·fp4[q]/2.
//
//	byte  0  e, an exponent without sign or fraction (E8M0)
//	byte  1  16 bytes of quants: low nibbles are weights 0…15, high nibbles 16…31

// fp4 is twice the value of each four-bit float: sign, two bits of exponent, one of fraction. Twice, so that all are
// whole; both zeros are plain.
var fp4 = [16]float32{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}

func decodeMXFP4(dst []float32, src []byte) {
	for ; len(dst) >= 32; dst, src = dst[32:], src[17:] {
		d := HalfPower(src[0])
		low, high := dst[:16], dst[16:32]
		for j, q := range src[1:17] {
			low[j] = fp4[q&15] * d
			high[j] = fp4[q>>4] * d
		}
	}
}

// HalfPower is 2^(e−128), half of what the exponent e of an MXFP4 block says: the decoder's codes are doubled. The two lowest exponents are subnormal. 255, the
// standard's NaN, is read as a number, as ggml does.
func HalfPower(e byte) float32 {
	if e < 2 {
		return math.Float32frombits(0x00200000 << e)
	}
	return math.Float32frombits(uint32(e-1) << 23)
}
