package sample_test

import (
	"fmt"

	"github.com/nrt-go/nrt/sample"
)

func Example() {
	p := sample.Default()
	p.Seed = 1
	s, err := sample.New(p, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []int32{0, 2} { // the prompt
		s.Accept(id)
	}
	logits := []float32{0.1, 2, 1.5, -4} // what a model makes of it
	left, err := s.Distribution(logits)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, q := range left {
		fmt.Printf("token %d: %.3f\n", q.ID, q.P)
	}
	// Output:
	// token 1: 0.614
	// token 2: 0.329
	// token 0: 0.057
}
