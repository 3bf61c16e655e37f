package kernels

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// TestMatMulsIsMatMulOfEach multiplies weights of several formats and sizes in one loop, and wants the bits that each
// gives alone.
func TestMatMulsIsMatMulOfEach(t *testing.T) {
	weights := []*tensor.Tensor{
		randomWeight(t, quant.Q4_K, 150, 256), randomWeight(t, quant.Q5_0, 33, 256), randomWeight(t, quant.F16, 7, 256),
		randomWeight(t, quant.Q6_K, 16, 256),
	}
	for _, workers := range []int{1, 2, 3, 8} {
		for _, n := range []int{1, 3, 70} {
			t.Run(fmt.Sprintf("%d workers, %d columns", workers, n), func(t *testing.T) {
				pool := NewPool(workers)
				defer pool.Close()
				in := randomInput(n, 256, workers)
				var products []Product
				for _, w := range weights {
					p, err := Pack(pool, w, &Arena{})
					if err != nil {
						t.Fatal(err)
					}
					products = append(products, Product{tensor.NewMatrix(n, w.Rows()), p})
				}
				if err := MatMuls(pool, in, nil, products...); err != nil {
					t.Fatal(err)
				}
				for _, p := range products {
					want := tensor.NewMatrix(n, p.Weight.Rows())
					if err := MatMul(pool, want, p.Weight, in); err != nil {
						t.Fatal(err)
					}
					for i := range want.Data {
						if math.Float32bits(p.Dst.Data[i]) != math.Float32bits(want.Data[i]) {
							t.Fatalf("%s: element %d is %g, alone %g", p.Weight, i, p.Dst.Data[i], want.Data[i])
						}
					}
				}
			})
		}
	}
}

// TestMatMulsFollowsUp wants every row followed up once, with both products there.
func TestMatMulsFollowsUp(t *testing.T) {
	const rows, n = 1000, 2
	for _, workers := range []int{1, 3} {
		pool := NewPool(workers)
		defer pool.Close()
		in := randomInput(n, 512, workers)
		a := Product{tensor.NewMatrix(n, rows), randomWeight(t, quant.Q4_K, rows, 512)}
		b := Product{tensor.NewMatrix(n, rows), randomWeight(t, quant.Q8_0, rows, 512)}
		for _, p := range []Product{a, b} {
			for i := range p.Dst.Data {
				p.Dst.Data[i] = float32(math.NaN())
			}
		}
		var mu sync.Mutex
		var seen [rows]int
		err := MatMuls(pool, in, func(_, start, end int) {
			mu.Lock()
			defer mu.Unlock()
			for r := start; r < end; r++ {
				seen[r]++
				for i := range n {
					if sum := a.Dst.Row(i)[r] + b.Dst.Row(i)[r]; sum != sum {
						t.Errorf("%d workers: row %d is followed up before its products are there", workers, r)
					}
				}
			}
		}, a, b)
		if err != nil {
			t.Fatal(err)
		}
		for r, times := range seen {
			if times != 1 {
				t.Fatalf("%d workers: row %d is followed up %d times", workers, r, times)
			}
		}
	}
}
