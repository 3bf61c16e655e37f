//go:build !purego && !race

package kernels

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/nrt-go/nrt/quant"
)

// candidates are the instruction sets that this architecture has kernels for, best first.
func candidates() []candidate {
	avx2 := []cpuid.FeatureID{cpuid.AVX2, cpuid.FMA3, cpuid.F16C}
	avx512 := []cpuid.FeatureID{cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.AVX512DQ, cpuid.AVX512VNNI}
	return []candidate{
		{name: "amx", needs: append([]cpuid.FeatureID{cpuid.AMXTILE, cpuid.AMXINT8}, avx512...), fill: with512(rowsAMX()), ask: askForTiles},
		{name: "avx512", needs: avx512, fill: with512(rowsAVX512)},
		{name: "avxvnni", needs: append([]cpuid.FeatureID{cpuid.AVXVNNI}, avx2...), fill: with256(rowsAVXVNNI)},
		{name: "avx2", needs: avx2, fill: with256(rowsAVX2)},
	}
}

// with512 and with256 fill a row with what registers of 512 or 256 bits do, and with kernels of packed weights.
func with512(runs map[quant.Type]panelRun) func(row *isa) {
	return func(row *isa) {
		vectors(row)
		row.attention, row.soften, row.blend = attentionAVX512, softenOf(softenAVX512), blendOf(blendAVX512)
		row.floats = floatProducts{rows: productsAVX512, tile: tileAVX512, tileRows: 4, tileColumns: 4, decodeFrom: 4, decode: decodeVector}
		row.addPanels(runs)
	}
}

func with256(runs map[quant.Type]panelRun) func(row *isa) {
	return func(row *isa) {
		vectors(row)
		row.attention, row.soften, row.blend = attentionAVX2, softenOf(softenAVX2), blendOf(blendAVX2)
		row.floats = floatProducts{rows: productsAVX2, tile: tileAVX2, tileRows: 2, tileColumns: 3, decodeFrom: 9, decode: decodeVector}
		row.addPanels(runs)
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

var rowsAVXVNNI = map[quant.Type]panelRun{
	quant.Q4_0:   rowsQ4_0AVXVNNI,
	quant.Q4_1:   rowsQ4_1AVXVNNI,
	quant.Q5_0:   rowsQ5_0AVXVNNI,
	quant.Q5_1:   rowsQ5_1AVXVNNI,
	quant.Q8_0:   rowsQ8_0AVXVNNI,
	quant.IQ4_NL: rowsIQ4_NLAVXVNNI,
	quant.Q2_K:   rowsQ2_KAVXVNNI,
	quant.Q3_K:   rowsQ3_KAVXVNNI,
	quant.Q4_K:   rowsQ4_KAVXVNNI,
	quant.Q5_K:   rowsQ5_KAVXVNNI,
	quant.Q6_K:   rowsQ6_KAVXVNNI,
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

var productsAVX512 = map[quant.Type]floatRun{
	quant.F32:  productF32AVX512,
	quant.F16:  productF16AVX512,
	quant.BF16: productBF16AVX512,
}

var productsAVX2 = map[quant.Type]floatRun{
	quant.F32:  productF32AVX2,
	quant.F16:  productF16AVX2,
	quant.BF16: productBF16AVX2,
}

var attentionAVX512 = [blockFormats]attentionKernel{
	blockF32: attentionF32(scoresF32AVX512, sumRowsF32AVX512),
	blockF16: attentionF16(scoresF16AVX512, sumRowsF16AVX512),
	blockQ8:  attentionQ8(scoresQ8AVX512, sumRowsQ8AVX512),
}

var attentionAVX2 = [blockFormats]attentionKernel{
	blockF32: attentionF32(scoresF32AVX2, sumRowsF32AVX2),
	blockF16: attentionF16(scoresF16AVX2, sumRowsF16AVX2),
	blockQ8:  attentionQ8(scoresQ8AVX2, sumRowsQ8AVX2),
}
