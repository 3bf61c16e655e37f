package quant

import (
	"encoding/binary"
	"math"
)

// Q8_K: 256 weights in 292 bytes. w = d·q. It is the form of activations beside K weights; files do not hold it.
//
//	byte   0  d, float32
//	byte   4  256 signed bytes
//	byte 260  16 signed 16-bit sums of the quants, 16 weights each

func decodeQ8_K(dst []float32, src []byte) {
	for ; len(dst) >= 256; dst, src = dst[256:], src[292:] {
		d := math.Float32frombits(binary.LittleEndian.Uint32(src))
		y := dst[:256]
		for j, q := range src[4:260] {
			y[j] = d * float32(int8(q))
		}
	}
}

// encodeQ8_K maps the weight of largest magnitude to −127.
func encodeQ8_K(dst []byte, src []float32) {
	for ; len(src) >= 256; dst, src = dst[292:], src[256:] {
		scale := -127 / extreme(src[:256])
		if abs(scale) > math.MaxFloat32 { // nothing but zeros, or so close that the scale overflows
			clear(dst[:292])
			continue
		}
		binary.LittleEndian.PutUint32(dst, math.Float32bits(1/scale))
		for i := range 16 {
			sum := int16(0)
			for j := 16 * i; j < 16*i+16; j++ {
				q := int8(min(127, math.RoundToEven(float64(float32(scale*src[j])))))
				dst[4+j] = byte(q)
				sum += int16(q)
			}
			binary.LittleEndian.PutUint16(dst[260+2*i:], uint16(sum))
		}
	}
}
