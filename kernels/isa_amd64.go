package kernels

import (
	"maps"

	"github.com/klauspost/cpuid/v2"

	"github.com/nrt-go/nrt/quant"
)

// candidates are the instruction sets that this architecture has kernels for, best first.
func candidates() []candidate {
	return []candidate{
		{"avx512", []cpuid.FeatureID{cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.AVX512DQ, cpuid.AVX512VNNI}, rowsAVX512},
		{"avx2", []cpuid.FeatureID{cpuid.AVX2, cpuid.FMA3, cpuid.F16C}, rowsAVX2},
	}
}

var rowsAVX512 = map[quant.Type]panelRun{
	quant.Q4_0:   rowsQ4_0AVX512,
	quant.Q4_1:   rowsQ4_1AVX512,
	quant.Q5_0:   rowsQ5_0AVX512,
	quant.Q5_1:   rowsQ5_1AVX512,
	quant.Q8_0:   rowsQ8_0AVX512,
	quant.IQ4_NL: rowsIQ4_NLAVX512,
	quant.Q2_K:   rowsQ2_KAVX512,
	quant.Q3_K:   rowsQ3_KAVX512,
	quant.Q4_K:   rowsQ4_KAVX512,
	quant.Q5_K:   rowsQ5_KAVX512,
	quant.Q6_K:   rowsQ6_KAVX512,
}

var rowsAVX2 = map[quant.Type]panelRun{
	quant.Q4_0:   rowsQ4_0AVX2,
	quant.Q4_1:   rowsQ4_1AVX2,
	quant.Q5_0:   rowsQ5_0AVX2,
	quant.Q5_1:   rowsQ5_1AVX2,
	quant.Q8_0:   rowsQ8_0AVX2,
	quant.IQ4_NL: rowsIQ4_NLAVX2,
	quant.Q2_K:   rowsQ2_KAVX2,
	quant.Q3_K:   rowsQ3_KAVX2,
	quant.Q4_K:   rowsQ4_KAVX2,
	quant.Q5_K:   rowsQ5_KAVX2,
	quant.Q6_K:   rowsQ6_KAVX2,
}

// isa has panels of its own; everything else is AVX2 in all of them.
func (c candidate) isa() *isa {
	row := *generic
	row.name = c.name
	row.dot, row.dotRows, row.sumRows = dotAVX2, dotRowsAVX2, sumRowsAVX2
	row.expSum, row.swiglu, row.rmsNorm = expSumAVX2, swigluRowsAVX2, rmsNormRowsAVX2
	row.toF32, row.toF16 = toF32AVX2, toF16AVX2
	row.record32, row.record256 = record32RowAVX2, record256RowAVX2
	row.rows = maps.Clone(generic.rows)
	for t, run := range c.runs {
		row.rows[t|quant.Packed] = panelRows(layoutOf(t), run)
	}
	return &row
}
