//go:build (amd64 || arm64) && !purego && !race

package kernels

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/nrt-go/nrt/tensor"
)

// TestCallsOfAssemblyAreShort records the calls that a product makes: none may hold a worker for long, since the runtime
// cannot stop it there, and each panel meets all of its blocks in ascending order.
func TestCallsOfAssemblyAreShort(t *testing.T) {
	for i := range layouts {
		l := &layouts[i]
		for _, n := range []int{1, 3, columnGroup, 2*columnGroup + 5} {
			t.Run(fmt.Sprintf("%s/%d", l.format.Name, n), func(t *testing.T) {
				const rows, cols = 3 * PanelRows, 16384
				blocks := cols / l.format.Block
				w := &tensor.Tensor{Name: "w", Type: l.format.Type, Shape: []int{cols, rows}, Data: make([]byte, 3*blocks*l.bytes())}
				seen := make([]int, 3*blocks) // columns that have met a block
				kernel := panelRows(l, func(_ *float32, at, _ *byte, count, columns int) {
					if work := count * l.format.Block * PanelRows * columns; work > longestCall {
						t.Errorf("a call of %d products, want at most %d", work, longestCall)
					}
					first := int(uintptr(unsafe.Pointer(at))-uintptr(unsafe.Pointer(&w.Data[0]))) / l.bytes()
					for b := first; b < first+count; b++ {
						if b%blocks > 0 && seen[b-1] != seen[b]+columns {
							t.Errorf("block %d before block %d", b, b-1)
						}
						seen[b] += columns
					}
				})
				in := randomInput(n, cols, 1)
				kernel.run(&product{Input: in, dst: tensor.NewMatrix(n, rows), weight: w}, &in.rooms[0], 0, rows)
				for b, columns := range seen {
					if columns != n {
						t.Fatalf("block %d has met %d columns, want %d", b, columns, n)
					}
				}
			})
		}
	}
}
