//go:build !purego && !race

package kernels

import "github.com/nrt-go/nrt/quant"

// tileRun is a panelRun that takes the columns by group, at least 1 and at most tileColumns and n.
type tileRun = func(acc *float32, w, x *byte, blocks, n, group int)

const (
	tileColumns = 32 // what two tiles hold

	// Bringing a block of weights into tiles costs about as much as AVX-512 takes for six columns, and a sum's way through
	// a tile is long. The number is from counted cycles.
	fewColumns = 16
)

// rowsAMX are the kernels of AVX-512 for few columns and tiles for more.
func rowsAMX() map[quant.Type]panelRun {
	both := map[quant.Type]panelRun{}
	for t, tiles := range tileRunsAMX {
		few := rowsAVX512[t]
		both[t] = func(acc *float32, w, x *byte, blocks, n int) {
			if n < fewColumns {
				few(acc, w, x, blocks, n)
				return
			}
			groups := (n + tileColumns - 1) / tileColumns
			tiles(acc, w, x, blocks, n, (n+groups-1)/groups)
		}
	}
	return both
}

var tileRunsAMX = map[quant.Type]tileRun{
	quant.Q4_0:   rowsQ4_0AMX,
	quant.Q4_1:   rowsQ4_1AMX,
	quant.Q5_0:   rowsQ5_0AMX,
	quant.Q5_1:   rowsQ5_1AMX,
	quant.Q8_0:   rowsQ8_0AMX,
	quant.IQ4_NL: rowsIQ4_NLAMX,
	quant.Q2_K:   rowsQ2_KAMX,
	quant.Q3_K:   rowsQ3_KAMX,
	quant.Q4_K:   rowsQ4_KAMX,
	quant.Q5_K:   rowsQ5_KAMX,
	quant.Q6_K:   rowsQ6_KAMX,
}
