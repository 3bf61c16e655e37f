//go:build (amd64 || arm64) && !purego && !race

package kernels

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/nrt-go/nrt/quant"
)

// decodeVector has the bits of each format's own decoder.
var decodeVector = map[quant.Type]func(dst []float32, src []byte){
	quant.F32:  func(dst []float32, src []byte) { copy(dst, viewOf[float32](src)) },
	quant.F16:  func(dst []float32, src []byte) { toF32Vector(dst, viewOf[uint16](src)) },
	quant.BF16: brainToF32Vector,

	quant.Q4_0:   blocks32(18, 2, &eightLess, halfScale),
	quant.Q4_1:   blocks32(20, 4, &plain, halfScaleAndOffset),
	quant.IQ4_NL: blocks32(18, 2, &nonLinear, halfScale),
	quant.MXFP4:  blocks32(17, 1, &twiceFP4, powerScale),
	quant.Q8_0:   blocks32(34, 2, nil, halfScale),
	quant.IQ4_XS: decodeIQ4_XS,
	quant.Q8_K:   decodeQ8_K,
}

// viewOf reads little-endian bytes as the numbers they are: both architectures are little-endian, and neither asks for
// aligned addresses.
func viewOf[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

func brainToF32Vector(dst []float32, src []byte) {
	halves := viewOf[uint16](src)[:len(dst)]
	whole := len(dst) &^ 7
	if whole > 0 {
		widenBrainAsm(&dst[0], &halves[0], whole)
	}
	for i := whole; i < len(dst); i++ {
		dst[i] = quant.BF16ToF32(halves[i])
	}
}

// What the sixteen codes of a format stand for.
var (
	plain     = [16]int8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	eightLess = [16]int8{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}
	twiceFP4  = [16]int8{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}
)

// minusZero is the only number that added to any other leaves its bits alone, a negative zero's too.
var minusZero = float32(math.Copysign(0, -1))

func halfScale(block []byte) (scale, offset float32) { return half(block), minusZero }

func halfScaleAndOffset(block []byte) (scale, offset float32) { return half(block), half(block[2:]) }

func powerScale(block []byte) (scale, offset float32) { return quant.HalfPower(block[0]), minusZero }

// blocks32 is the decoder of blocks of size bytes with 32 codes from byte codes on: half a byte each where there is a table
// to look them up in, else signed bytes.
func blocks32(size, codes int, table *[16]int8, header func(block []byte) (scale, offset float32)) func(dst []float32, src []byte) {
	return func(dst []float32, src []byte) {
		var scale, offset [64]float32
		for len(dst) > 0 {
			n := min(len(dst)/32, len(scale))
			_ = src[n*size-1]
			for b := range n {
				scale[b], offset[b] = header(src[b*size:])
			}
			if table != nil {
				decodeNibblesAsm(&dst[0], &src[codes], n, size, table, &scale[0], &offset[0])
			} else {
				decodeBytesAsm(&dst[0], &src[codes], n, size, &scale[0], &offset[0])
			}
			dst, src = dst[32*n:], src[size*n:]
		}
	}
}

// decodeIQ4_XS has a scale of its own for every 32 of 256 weights; package quant has the layout.
func decodeIQ4_XS(dst []float32, src []byte) {
	offset := eight(minusZero)
	for ; len(dst) > 0; dst, src = dst[256:], src[136:] {
		var scale [8]float32
		d, top := half(src), binary.LittleEndian.Uint16(src[2:])
		for i := range scale {
			s := int(src[4+i/2]>>(i%2*4)&15) | int(top>>(2*i)&3)<<4
			scale[i] = d * float32(s-32)
		}
		_ = src[135]
		decodeNibblesAsm(&dst[0], &src[8], 8, 16, &nonLinear, &scale[0], &offset[0])
	}
}

// decodeQ8_K has one scale for 256 signed bytes.
func decodeQ8_K(dst []float32, src []byte) {
	offset := eight(minusZero)
	for ; len(dst) > 0; dst, src = dst[256:], src[292:] {
		scale := eight(math.Float32frombits(binary.LittleEndian.Uint32(src)))
		_ = src[291]
		decodeBytesAsm(&dst[0], &src[4], 8, 32, &scale[0], &offset[0])
	}
}

// eight is the same number for every 32 of 256 weights.
func eight(v float32) [8]float32 { return [8]float32{v, v, v, v, v, v, v, v} }
