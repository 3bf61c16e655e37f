package kernels

import "encoding/binary"

// The formats in blocks of 256 on their way into panels, see unpack256.go for what the files hold. Every 32 weights are
// a part: four vectors of halves of bytes or two of pairs of bits, then the vectors of upper bits.

func packQ4_K(dst []byte, row int, src []byte) {
	codes, q := (*[7*256 + len(vectors4{})]byte)(dst[4*row:]), (*[128]byte)(src[16:])
	packHalves((*vectors4)(codes[:]), (*vectors4)(codes[256:]), (*[32]byte)(q[:]))
	packHalves((*vectors4)(codes[512:]), (*vectors4)(codes[768:]), (*[32]byte)(q[32:]))
	packHalves((*vectors4)(codes[1024:]), (*vectors4)(codes[1280:]), (*[32]byte)(q[64:]))
	packHalves((*vectors4)(codes[1536:]), (*vectors4)(codes[1792:]), (*[32]byte)(q[96:]))
	packSixBits(dst[2048+2*row:], src[4:16])
	copyHalf(dst[2304:], row, src)
	copyHalf(dst[2336:], row, src[2:])
}

func packQ5_K(dst []byte, row int, src []byte) {
	codes, q := (*[7*320 + len(vectors4{})]byte)(dst[4*row:]), (*[128]byte)(src[48:])
	packHalves((*vectors4)(codes[:]), (*vectors4)(codes[320:]), (*[32]byte)(q[:]))
	packHalves((*vectors4)(codes[640:]), (*vectors4)(codes[960:]), (*[32]byte)(q[32:]))
	packHalves((*vectors4)(codes[1280:]), (*vectors4)(codes[1600:]), (*[32]byte)(q[64:]))
	packHalves((*vectors4)(codes[1920:]), (*vectors4)(codes[2240:]), (*[32]byte)(q[96:]))
	packBits(dst[256+4*row:], 320, src[16:])
	packSixBits(dst[2560+2*row:], src[4:16])
	copyHalf(dst[2816:], row, src)
	copyHalf(dst[2848:], row, src[2:])
}

func packQ6_K(dst []byte, row int, src []byte) {
	for h := range 2 {
		part, low := dst[4*384*h+4*row:], src[64*h:]
		packHalves((*vectors4)(part), (*vectors4)(part[2*384:]), (*[32]byte)(low))
		packHalves((*vectors4)(part[384:]), (*vectors4)(part[3*384:]), (*[32]byte)(low[32:]))
		packPairs(part[256:], 384, src[128+32*h:])
	}
	packSmall(dst[3072+2*row:], binary.LittleEndian.Uint64(src[192:]), binary.LittleEndian.Uint64(src[200:]))
	copyHalf(dst[3328:], row, src[208:])
}

func packQ2_K(dst []byte, row int, src []byte) {
	for h := range 2 {
		packPairs(dst[4*128*h+4*row:], 128, src[16+32*h:])
	}
	packSmall(dst[1024+2*row:], binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:]))
	copyHalf(dst[1280:], row, src[80:])
	copyHalf(dst[1312:], row, src[82:])
}

func packQ3_K(dst []byte, row int, src []byte) {
	for h := range 2 {
		packPairs(dst[4*192*h+4*row:], 192, src[32+32*h:])
	}
	packBits(dst[128+4*row:], 192, src)
	low, high := binary.LittleEndian.Uint64(src[96:]), uint64(binary.LittleEndian.Uint32(src[104:]))
	high |= high << 30 // its lowest pairs belong to the first four, the next ones to the next four, and so on
	packSmall(dst[1536+2*row:], less32(low&lowHalf|high<<4&0x3030303030303030), less32(low>>4&lowHalf|high&0x3030303030303030))
	copyHalf(dst[1792:], row, src[108:])
}

// less32 takes 32 off each of eight bytes below 64.
func less32(x uint64) uint64 {
	x ^= 0x2020202020202020
	negative := x & 0x2020202020202020
	return x | negative<<1 | negative<<2
}

// packHalves puts 32 bytes into two parts, the low halves into the first and the high ones into the other: of each eight, the
// first four to the low halves of a vector and the others to its high halves.
func packHalves(low, high *vectors4, codes *[32]byte) {
	a, b := binary.LittleEndian.Uint64(codes[:]), binary.LittleEndian.Uint64(codes[8:])
	put(low[:], 0, join(a&lowHalf))
	put(high[:], 0, join(a>>4&lowHalf))
	put(low[:], 1, join(b&lowHalf))
	put(high[:], 1, join(b>>4&lowHalf))
	a, b = binary.LittleEndian.Uint64(codes[16:]), binary.LittleEndian.Uint64(codes[24:])
	put(low[:], 2, join(a&lowHalf))
	put(high[:], 2, join(a>>4&lowHalf))
	put(low[:], 3, join(b&lowHalf))
	put(high[:], 3, join(b>>4&lowHalf))
}

// packPairs puts 32 bytes of four pairs of bits into four parts, a pair into each: bits 2t and 2t+1 of byte j of vector
// v belong to weight 16v+4t+j.
func packPairs(q []byte, part int, src []byte) {
	codes := (*[32]byte)(src)
	q0, q1, q2, q3 := (*vectors2)(q), (*vectors2)(q[part:]), (*vectors2)(q[2*part:]), (*vectors2)(q[3*part:])
	a, b := turnPairs(binary.LittleEndian.Uint64(codes[:]), binary.LittleEndian.Uint64(codes[8:]))
	c, d := turnPairs(binary.LittleEndian.Uint64(codes[16:]), binary.LittleEndian.Uint64(codes[24:]))
	put(q0[:], 0, uint32(a))
	put(q1[:], 0, uint32(a>>32))
	put(q2[:], 0, uint32(b))
	put(q3[:], 0, uint32(b>>32))
	put(q0[:], 1, uint32(c))
	put(q1[:], 1, uint32(c>>32))
	put(q2[:], 1, uint32(d))
	put(q3[:], 1, uint32(d>>32))
}

// packBits puts 32 bytes of eight bits into eight parts, a bit into each: bit g of byte j belongs to weight 4g+j.
func packBits(q []byte, part int, src []byte) {
	a, b, c, d := turnBits(binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:]),
		binary.LittleEndian.Uint64(src[16:]), binary.LittleEndian.Uint64(src[24:]))
	for i, x := range [4]uint64{a, b, c, d} {
		put(q[2*i*part:], 0, uint32(x))
		put(q[(2*i+1)*part:], 0, uint32(x>>32))
	}
}

// packSixBits puts eight small scales of six bits and eight small offsets, see unpackSixBits.
func packSixBits(small, src []byte) {
	a, b, c := uint64(binary.LittleEndian.Uint32(src)), uint64(binary.LittleEndian.Uint32(src[4:])), uint64(binary.LittleEndian.Uint32(src[8:]))
	const low, high = 0x3f3f3f3f, 0x3030303000000000
	scales := a&low | c&0x0f0f0f0f<<32 | a<<30&high
	offsets := b&low | c>>4&0x0f0f0f0f<<32 | b<<30&high
	packSmall(small, scales, offsets)
}

// packSmall puts sixteen bytes, two neighbours side by side, a row's two of each pair of sixteen rows.
func packSmall(small []byte, a, b uint64) {
	to := (*[226]byte)(small)
	binary.LittleEndian.PutUint16(to[0:], uint16(a))
	binary.LittleEndian.PutUint16(to[32:], uint16(a>>16))
	binary.LittleEndian.PutUint16(to[64:], uint16(a>>32))
	binary.LittleEndian.PutUint16(to[96:], uint16(a>>48))
	binary.LittleEndian.PutUint16(to[128:], uint16(b))
	binary.LittleEndian.PutUint16(to[160:], uint16(b>>16))
	binary.LittleEndian.PutUint16(to[192:], uint16(b>>32))
	binary.LittleEndian.PutUint16(to[224:], uint16(b>>48))
}
