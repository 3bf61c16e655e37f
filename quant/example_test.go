package quant_test

import (
	"fmt"

	"github.com/nrt-go/nrt/quant"
)

func Example() {
	f, err := quant.ByName("q4_0")
	if err != nil {
		fmt.Println(err)
		return
	}
	weights := make([]float32, f.Block)
	for i := range weights {
		weights[i] = float32(i) - 16
	}
	row := make([]byte, f.RowBytes(len(weights)))
	if err := f.EncodeRow(row, weights); err != nil {
		fmt.Println(err)
		return
	}
	f.Decode(weights, row)
	fmt.Println(f.Name, len(row), weights[:4])
	_, err = quant.Lookup(77)
	fmt.Println(err)
	// Output:
	// Q4_0 18 [-16 -14 -14 -12]
	// quant: tensor type 77 is unknown; supported: F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, Q8_K, IQ4_NL, IQ4_XS, TQ1_0, TQ2_0, MXFP4
}
