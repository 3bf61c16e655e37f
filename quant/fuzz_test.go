package quant

import (
	"math"
	"testing"
)

// FuzzDecode: any bytes decode without a panic, and what decodes to modest weights encodes without one.
func FuzzDecode(f *testing.F) {
	f.Add(uint8(0), []byte{})
	for i, format := range Formats() {
		block := make([]byte, format.Bytes)
		for j := range block {
			block[j] = byte(j * 37)
		}
		f.Add(uint8(i), block)
	}
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		format := table[int(which)%len(table)]
		blocks := min(len(src)/format.Bytes, 4)
		x := make([]float32, blocks*format.Block)
		format.Decode(x, src[:blocks*format.Bytes])
		for _, v := range x {
			if !(math.Abs(float64(v)) <= maxF16) {
				return
			}
		}
		for _, to := range table {
			if to.Encode == nil || len(x)%to.Block != 0 {
				continue
			}
			row := make([]byte, to.RowBytes(len(x)))
			if err := to.EncodeRow(row, x); err != nil {
				t.Fatalf("%s to %s: %v", format.Name, to.Name, err)
			}
			if !to.finite(row) {
				t.Fatalf("%s to %s: finite weights became others", format.Name, to.Name)
			}
		}
	})
}
