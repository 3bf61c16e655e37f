package kernels

// The formats in blocks of 256: sixteen groups of 16 weights, or eight of 32, each with a small integer scale.

// unpackQ2_K: 16 bytes of scale (low half) and minimum (high half), 64 bytes of 2-bit weights, scale, minimum.
func unpackQ2_K(s *strip, row []byte) {
	for b := 0; len(row) >= 84; b, row = b+1, row[84:] {
		s.scale[b], s.offset[b] = half(row[80:]), half(row[82:])
		for g, v := range row[:16] {
			s.sub[b*16+g], s.less[b*16+g] = int32(v&15), int32(v>>4)
		}
		q := (*[256]int8)(s.q[b*256:])
		for i := range q {
			q[i] = int8(row[16+twoBits(i)] >> shift(i) & 3)
		}
	}
}

// twoBits is the byte that holds weight i of a block of 2-bit weights, and shift its place there: each half of the
// block has 32 bytes, and each pair of bits in them is a run of 32 weights.
func twoBits(i int) int { return i/128*32 + i%32 }
func shift(i int) int   { return i % 128 / 32 * 2 }

// unpackQ3_K: 32 bytes of third bits, 64 bytes of 2-bit weights, 12 bytes of 6-bit scales, scale. A third bit that is
// not set takes 4 off.
func unpackQ3_K(s *strip, row []byte) {
	for b := 0; len(row) >= 110; b, row = b+1, row[110:] {
		s.scale[b] = half(row[108:])
		scales := row[96:108]
		for g := range 16 {
			low := scales[g%8] >> (g / 8 * 4) & 15
			high := scales[8+g%4] >> (g / 4 * 2) & 3
			s.sub[b*16+g] = int32(low|high<<4) - 32
		}
		q := (*[256]int8)(s.q[b*256:])
		for i := range q {
			third := row[i%32] >> (i / 32) & 1
			q[i] = int8(row[32+twoBits(i)]>>shift(i)&3|third<<2) - 4
		}
	}
}

// unpackQ4_K: scale, minimum, 12 bytes of 6-bit scales and minima, 128 bytes of which 32 at a time hold two groups.
func unpackQ4_K(s *strip, row []byte) {
	for b := 0; len(row) >= 144; b, row = b+1, row[144:] {
		s.scale[b], s.offset[b] = half(row), half(row[2:])
		unpackSixBits(s, b, row[4:16])
		for pair := range 4 {
			q := (*[64]int8)(s.q[b*256+pair*64:])
			for j, v := range row[16+pair*32 : 48+pair*32] {
				q[j], q[j+32] = int8(v&15), int8(v>>4)
			}
		}
	}
}

// unpackQ5_K: as Q4_K, with 32 bytes before the weights whose bit g is the fifth bit of group g.
func unpackQ5_K(s *strip, row []byte) {
	for b := 0; len(row) >= 176; b, row = b+1, row[176:] {
		s.scale[b], s.offset[b] = half(row), half(row[2:])
		unpackSixBits(s, b, row[4:16])
		fifth := row[16:48]
		for pair := range 4 {
			q := (*[64]int8)(s.q[b*256+pair*64:])
			for j, v := range row[48+pair*32 : 80+pair*32] {
				bits := fifth[j] >> (2 * pair)
				q[j], q[j+32] = int8(v&15|bits&1<<4), int8(v>>4|bits>>1&1<<4)
			}
		}
	}
}

// unpackSixBits reads eight 6-bit scales and minima from 12 bytes: the first four of each in the low bits of bytes 0-3
// and 4-7, the last four in the halves of bytes 8-11 with their upper two bits on top of bytes 0-7.
func unpackSixBits(s *strip, b int, src []byte) {
	for g := range 8 {
		var scale, minimum byte
		if g < 4 {
			scale, minimum = src[g]&63, src[g+4]&63
		} else {
			scale = src[g+4]&15 | src[g-4]>>6<<4
			minimum = src[g+4]>>4 | src[g]>>6<<4
		}
		i := b*16 + 2*g // a group of 32 is two of sixteen
		s.sub[i], s.sub[i+1] = int32(scale), int32(scale)
		s.less[i], s.less[i+1] = int32(minimum), int32(minimum)
	}
}

// unpackQ6_K: 128 bytes of low halves, 64 bytes of upper two bits, 16 signed scales, scale.
func unpackQ6_K(s *strip, row []byte) {
	for b := 0; len(row) >= 210; b, row = b+1, row[210:] {
		s.scale[b] = half(row[208:])
		for g, v := range row[192:208] {
			s.sub[b*16+g] = int32(int8(v))
		}
		for h := range 2 {
			q := (*[128]int8)(s.q[b*256+h*128:])
			low, high := row[h*64:h*64+64], row[128+h*32:160+h*32]
			for j, up := range high {
				q[j] = int8(low[j]&15|up&3<<4) - 32
				q[j+32] = int8(low[j+32]&15|up>>2&3<<4) - 32
				q[j+64] = int8(low[j]>>4|up>>4&3<<4) - 32
				q[j+96] = int8(low[j+32]>>4|up>>6<<4) - 32
			}
		}
	}
}
