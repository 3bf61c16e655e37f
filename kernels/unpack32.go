package kernels

import "encoding/binary"

// The formats in blocks of 32. Where two weights share a byte, the low half is weight j and the high half weight j+16.

func unpackQ4_0(s *strip, row []byte) {
	for b := 0; len(row) >= 18; b, row = b+1, row[18:] {
		s.scale[b] = half(row)
		q := (*[32]int8)(s.q[b*32:])
		for j, v := range row[2:18] {
			q[j], q[j+16] = int8(v&15)-8, int8(v>>4)-8
		}
	}
}

func unpackQ4_1(s *strip, row []byte) {
	for b := 0; len(row) >= 20; b, row = b+1, row[20:] {
		s.scale[b], s.offset[b] = half(row), half(row[2:])
		q := (*[32]int8)(s.q[b*32:])
		for j, v := range row[4:20] {
			q[j], q[j+16] = int8(v&15), int8(v>>4)
		}
	}
}

func unpackQ5_0(s *strip, row []byte) {
	for b := 0; len(row) >= 22; b, row = b+1, row[22:] {
		s.scale[b] = half(row)
		unpackFive((*[32]int8)(s.q[b*32:]), row[2:22], 16)
	}
}

func unpackQ5_1(s *strip, row []byte) {
	for b := 0; len(row) >= 24; b, row = b+1, row[24:] {
		s.scale[b], s.offset[b] = half(row), half(row[2:])
		unpackFive((*[32]int8)(s.q[b*32:]), row[4:24], 0)
	}
}

// unpackFive reads 32 fifth bits, then 16 bytes of low halves, and takes less off each weight.
func unpackFive(q *[32]int8, src []byte, less int8) {
	fifth := binary.LittleEndian.Uint32(src)
	for j, v := range src[4:20] {
		q[j] = int8(v&15|byte(fifth>>j&1)<<4) - less
		q[j+16] = int8(v>>4|byte(fifth>>(j+16)&1)<<4) - less
	}
}

func unpackQ8_0(s *strip, row []byte) {
	for b := 0; len(row) >= 34; b, row = b+1, row[34:] {
		s.scale[b] = half(row)
		q := (*[32]int8)(s.q[b*32:])
		for j, v := range row[2:34] {
			q[j] = int8(v)
		}
	}
}

// nonLinear is what the sixteen codes of IQ4_NL stand for.
var nonLinear = [16]int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

func unpackIQ4_NL(s *strip, row []byte) {
	for b := 0; len(row) >= 18; b, row = b+1, row[18:] {
		s.scale[b] = half(row)
		q := (*[32]int8)(s.q[b*32:])
		for j, v := range row[2:18] {
			q[j], q[j+16] = nonLinear[v&15], nonLinear[v>>4]
		}
	}
}
