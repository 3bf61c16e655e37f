package kernels

import (
	"encoding/binary"
)

// strip is one row of weights unpacked to the shape that the integer dots read. With q the stored integers,
//
//	blocks of 32:   weight[c] = scale[c/32]*q[c] + offset[c/32]
//	blocks of 256:  weight[c] = scale[c/256]*sub[c/16]*q[c] - offset[c/256]*less[c/16]
type strip struct {
	f32           []float32 // [cols], for formats that are decoded instead
	q             []int8    // [cols]
	scale, offset []float32 // [cols/32], or [cols/256]
	sub, less     []int32   // [cols/16]
}

func newStrip(cols int) strip {
	return strip{
		f32: make([]float32, cols), q: make([]int8, cols),
		scale: make([]float32, cols/32), offset: make([]float32, cols/32),
		sub: make([]int32, cols/16), less: make([]int32, cols/16),
	}
}

// half reads a stored half-precision number.
func half(src []byte) float32 { return widen(binary.LittleEndian.Uint16(src)) }

// rows32 is the kernel of a format in blocks of 32: each row of weights is unpacked once and meets every activation.
func rows32(unpack func(s *strip, row []byte), dot func(s *strip, x act32) float32) rowKernel {
	return rowKernel{needs32, func(in *Input, s *strip, start, end int) {
		for r := start; r < end; r++ {
			unpack(s, in.weightRow(r))
			for i := range in.x.Rows {
				in.dst.Data[i*in.dst.Cols+r] = dot(s, in.row32(i))
			}
		}
	}}
}

// rows256 is the kernel of a format in blocks of 256.
func rows256(unpack func(s *strip, row []byte), dot func(s *strip, x act256) float32) rowKernel {
	return rowKernel{needs256, func(in *Input, s *strip, start, end int) {
		for r := start; r < end; r++ {
			unpack(s, in.weightRow(r))
			for i := range in.x.Rows {
				in.dst.Data[i*in.dst.Cols+r] = dot(s, in.row256(i))
			}
		}
	}}
}

// dot32 is Σ_b (scale_b * xscale_b) * (Σ q*xq), block after block.
func dot32(s *strip, x act32) float32 {
	var acc float32
	for b, d := range x.scale {
		n := dotInt8((*[32]int8)(s.q[b*32:]), (*[32]int8)(x.q[b*32:]))
		acc += float32(float32(s.scale[b]*d) * float32(n))
	}
	return acc
}

// dot32Offset is dot32 where each block then adds offset_b * xsum_b.
func dot32Offset(s *strip, x act32) float32 {
	var acc float32
	for b, d := range x.scale {
		n := dotInt8((*[32]int8)(s.q[b*32:]), (*[32]int8)(x.q[b*32:]))
		acc += float32(float32(s.scale[b]*d) * float32(n))
		acc += float32(s.offset[b] * x.sum[b])
	}
	return acc
}

// dot256 is Σ_b (scale_b * xscale_b) * (Σ_g sub_g * Σ q*xq), block after block. The inner sums are exact: they stay
// below 2^28 in every format.
func dot256(s *strip, x act256) float32 {
	var acc float32
	for b, d := range x.scale {
		acc += float32(float32(s.scale[b]*d) * float32(blockSum(s, x, b)))
	}
	return acc
}

// dot256Offset is dot256 where each block then subtracts (offset_b * xscale_b) * (Σ_g less_g * xsum_g).
func dot256Offset(s *strip, x act256) float32 {
	var acc float32
	for b, d := range x.scale {
		acc += float32(float32(s.scale[b]*d) * float32(blockSum(s, x, b)))
		var n int32
		less, sums := (*[16]int32)(s.less[b*16:]), (*[16]int16)(x.sums[b*16:])
		for g, m := range less {
			n += m * int32(sums[g])
		}
		acc -= float32(float32(s.offset[b]*d) * float32(n))
	}
	return acc
}

func blockSum(s *strip, x act256, b int) int32 {
	var n int32
	for pair := b * 8; pair < b*8+8; pair++ {
		q, xq := (*[32]int8)(s.q[pair*32:]), (*[32]int8)(x.q[pair*32:])
		n += s.sub[2*pair] * dotInt8Half((*[16]int8)(q[:16]), (*[16]int8)(xq[:16]))
		n += s.sub[2*pair+1] * dotInt8Half((*[16]int8)(q[16:]), (*[16]int8)(xq[16:]))
	}
	return n
}

func dotInt8(a, b *[32]int8) int32 {
	return dotInt8Half((*[16]int8)(a[:16]), (*[16]int8)(b[:16])) + dotInt8Half((*[16]int8)(a[16:]), (*[16]int8)(b[16:]))
}

func dotInt8Half(a, b *[16]int8) int32 {
	return int32(a[0])*int32(b[0]) + int32(a[1])*int32(b[1]) + int32(a[2])*int32(b[2]) + int32(a[3])*int32(b[3]) +
		int32(a[4])*int32(b[4]) + int32(a[5])*int32(b[5]) + int32(a[6])*int32(b[6]) + int32(a[7])*int32(b[7]) +
		int32(a[8])*int32(b[8]) + int32(a[9])*int32(b[9]) + int32(a[10])*int32(b[10]) + int32(a[11])*int32(b[11]) +
		int32(a[12])*int32(b[12]) + int32(a[13])*int32(b[13]) + int32(a[14])*int32(b[14]) + int32(a[15])*int32(b[15])
}
