package quant

import "testing"

const benchWeights = 4096

func BenchmarkDecode(b *testing.B) {
	for _, f := range Formats() {
		b.Run(f.Name, func(b *testing.B) {
			src, dst := make([]byte, f.RowBytes(benchWeights)), make([]float32, benchWeights)
			b.SetBytes(4 * benchWeights)
			for b.Loop() {
				f.Decode(dst, src)
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	src := gaussian(1, benchWeights, 0.02)
	for _, f := range Formats() {
		if f.Encode == nil {
			continue
		}
		b.Run(f.Name, func(b *testing.B) {
			dst := make([]byte, f.RowBytes(benchWeights))
			b.SetBytes(4 * benchWeights)
			for b.Loop() {
				f.Encode(dst, src)
			}
		})
	}
}
