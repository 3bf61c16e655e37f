//go:build !purego && !race

package kernels

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/nrt-go/nrt/quant"
)

// candidates are the instruction sets that this architecture has kernels for, best first.
func candidates() []candidate {
	with := func(runs map[quant.Type]panelRun, q8 scoresQ8Run) func(row *isa) {
		return func(row *isa) {
			vectors(row)
			row.attention, row.soften, row.blend = attentionNEON(q8), softenOf(softenNEON), blendOf(blendNEON)
			row.floats = floatProducts{rows: productsNEON, tile: tileNEON, tileRows: 2, tileColumns: 3, decodeFrom: 9, decode: decodeVector}
			row.addPanels(runs)
		}
	}
	return []candidate{
		{name: "neon-i8mm", needs: []cpuid.FeatureID{cpuid.ASIMDDP, cpuid.I8MM}, fill: with(rowsI8MM, scoresQ8NEONDot)},
		{name: "neon-dotprod", needs: []cpuid.FeatureID{cpuid.ASIMDDP}, fill: with(rowsDotprod, scoresQ8NEONDot)},
		{name: "neon", fill: with(rowsNEON, scoresQ8NEON)},
	}
}

func attentionNEON(q8 scoresQ8Run) [blockFormats]attentionKernel {
	return [blockFormats]attentionKernel{
		blockF32: attentionF32(scoresF32NEON, sumRowsF32NEON),
		blockF16: attentionF16(scoresF16NEON, sumRowsF16NEON),
		blockQ8:  attentionQ8(q8, sumRowsQ8NEON),
	}
}

// rowsI8MM multiplies matrices where there are columns enough: bringing weights into their order costs as much as it
// saves for about five.
var rowsI8MM = byColumns(rowsDotprod, 6, rowsNEONI8MM)

// rowsDotprod has kernels of their own for one column: decode.
var rowsDotprod = byColumns(rowNEONDot, 2, rowsNEONDot)

// byColumns takes kernels for fewer than n columns and kernels for n and more.
func byColumns(few map[quant.Type]panelRun, n int, many map[quant.Type]panelRun) map[quant.Type]panelRun {
	both := map[quant.Type]panelRun{}
	for t := range many {
		few, many := few[t], many[t]
		both[t] = func(acc *float32, w, x *byte, blocks, columns int) {
			if columns < n {
				few(acc, w, x, blocks, columns)
			} else {
				many(acc, w, x, blocks, columns)
			}
		}
	}
	return both
}

var rowsNEONI8MM = map[quant.Type]panelRun{
	quant.Q4_0:   rowsQ4_0NEONI8MM,
	quant.Q4_1:   rowsQ4_1NEONI8MM,
	quant.Q5_0:   rowsQ5_0NEONI8MM,
	quant.Q5_1:   rowsQ5_1NEONI8MM,
	quant.Q8_0:   rowsQ8_0NEONI8MM,
	quant.IQ4_NL: rowsIQ4_NLNEONI8MM,
	quant.Q2_K:   rowsQ2_KNEONI8MM,
	quant.Q3_K:   rowsQ3_KNEONI8MM,
	quant.Q4_K:   rowsQ4_KNEONI8MM,
	quant.Q5_K:   rowsQ5_KNEONI8MM,
	quant.Q6_K:   rowsQ6_KNEONI8MM,
}

var rowsNEONDot = map[quant.Type]panelRun{
	quant.Q4_0:   rowsQ4_0NEONDot,
	quant.Q4_1:   rowsQ4_1NEONDot,
	quant.Q5_0:   rowsQ5_0NEONDot,
	quant.Q5_1:   rowsQ5_1NEONDot,
	quant.Q8_0:   rowsQ8_0NEONDot,
	quant.IQ4_NL: rowsIQ4_NLNEONDot,
	quant.Q2_K:   rowsQ2_KNEONDot,
	quant.Q3_K:   rowsQ3_KNEONDot,
	quant.Q4_K:   rowsQ4_KNEONDot,
	quant.Q5_K:   rowsQ5_KNEONDot,
	quant.Q6_K:   rowsQ6_KNEONDot,
}

var rowNEONDot = map[quant.Type]panelRun{
	quant.Q4_0:   rowQ4_0NEONDot,
	quant.Q4_1:   rowQ4_1NEONDot,
	quant.Q5_0:   rowQ5_0NEONDot,
	quant.Q5_1:   rowQ5_1NEONDot,
	quant.Q8_0:   rowQ8_0NEONDot,
	quant.IQ4_NL: rowIQ4_NLNEONDot,
	quant.Q2_K:   rowQ2_KNEONDot,
	quant.Q3_K:   rowQ3_KNEONDot,
	quant.Q4_K:   rowQ4_KNEONDot,
	quant.Q5_K:   rowQ5_KNEONDot,
	quant.Q6_K:   rowQ6_KNEONDot,
}

var rowsNEON = map[quant.Type]panelRun{
	quant.Q4_0:   rowsQ4_0NEON,
	quant.Q4_1:   rowsQ4_1NEON,
	quant.Q5_0:   rowsQ5_0NEON,
	quant.Q5_1:   rowsQ5_1NEON,
	quant.Q8_0:   rowsQ8_0NEON,
	quant.IQ4_NL: rowsIQ4_NLNEON,
	quant.Q2_K:   rowsQ2_KNEON,
	quant.Q3_K:   rowsQ3_KNEON,
	quant.Q4_K:   rowsQ4_KNEON,
	quant.Q5_K:   rowsQ5_KNEON,
	quant.Q6_K:   rowsQ6_KNEON,
}

var productsNEON = map[quant.Type]floatRun{
	quant.F32:  productF32NEON,
	quant.F16:  productF16NEON,
	quant.BF16: productBF16NEON,
}
