package quant

import "encoding/binary"

// Q5_0: 32 weights in 22 bytes, 5.5 bits a weight. w = d·(q−16).
//
//	byte  0  d, half
//	byte  2  bit 4 of the quants: weight j has bit j of a 32-bit word
//	byte  6  16 bytes of bits 0…3: low nibbles are weights 0…15, high nibbles 16…31

func decodeQ5_0(dst []float32, src []byte) {
	for ; len(dst) >= 32; dst, src = dst[32:], src[22:] {
		d, fifth := getF16(src), binary.LittleEndian.Uint32(src[2:])
		low, high := dst[:16], dst[16:32]
		for j, q := range src[6:22] {
			low[j] = float32(int(uint32(q&15)|fifth>>j&1<<4)-16) * d
			high[j] = float32(int(uint32(q>>4)|fifth>>(j+16)&1<<4)-16) * d
		}
	}
}

// encodeQ5_0 maps the weight of largest magnitude to −16, the one quant without a mirror image.
func encodeQ5_0(dst []byte, src []float32) {
	for ; len(src) >= 32; dst, src = dst[22:], src[32:] {
		d := extreme(src[:32]) / -16
		id := inverse(d)
		putF16(dst, d)
		var q [32]byte
		for j, x := range src[:32] {
			q[j] = quant5(float32(x*id) + 16.5)
		}
		pack5(dst[2:22], &q)
	}
}

// quant5 truncates a number not below zero to five bits, the largest of which stands for all beyond.
func quant5(x float32) byte { return byte(min(31, int32(x))) }

// pack5 writes 32 five-bit quants: the word of fifth bits, then the nibbles, 20 bytes.
func pack5(dst []byte, q *[32]byte) {
	fifth := uint32(0)
	for j, q := range q {
		fifth |= uint32(q>>4) << j
	}
	binary.LittleEndian.PutUint32(dst, fifth)
	for j := range 16 {
		dst[4+j] = q[j]&15 | q[16+j]&15<<4
	}
}
