package kernels

import (
	"testing"

	"github.com/nrt-go/nrt/quant"
)

func BenchmarkPack(b *testing.B) {
	pool := NewPool(1)
	defer pool.Close()
	for _, t := range []quant.Type{quant.Q4_0, quant.Q4_1, quant.Q8_0, quant.Q5_0, quant.Q4_K, quant.Q6_K} {
		b.Run(t.String(), func(b *testing.B) {
			w := randomWeight(b, t, 1024, 2048)
			b.SetBytes(int64(len(w.Data)))
			for b.Loop() {
				var a Arena
				if _, err := Pack(pool, w, &a); err != nil {
					b.Fatal(err)
				}
				a.Free()
			}
		})
	}
}
