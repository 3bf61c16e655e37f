package kernels

import "github.com/nrt-go/nrt/quant"

// generic is the row every machine has: the contract itself.
var generic = &isa{
	name:      "generic",
	dot:       dotGeneric,
	expSum:    expSumGeneric,
	swiglu:    swigluGeneric,
	rmsNorm:   rmsNormGeneric,
	toF32:     toF32Generic,
	toF16:     toF16Generic,
	quant32:   quant32Generic,
	quant256:  quant256Generic,
	attention: attentionGeneric,
	soften:    softenGeneric,
	blend:     blendGeneric,
	max:       maxGeneric,
	record32:  record32Generic,
	record256: record256Generic,
	rows: map[quant.Type]rowKernel{
		quant.Q4_0:   rows32(unpackQ4_0, false),
		quant.Q4_1:   rows32(unpackQ4_1, true),
		quant.Q5_0:   rows32(unpackQ5_0, false),
		quant.Q5_1:   rows32(unpackQ5_1, true),
		quant.Q8_0:   rows32(unpackQ8_0, false),
		quant.IQ4_NL: rows32(unpackIQ4_NL, false),
		quant.Q2_K:   rows256(unpackQ2_K, true),
		quant.Q3_K:   rows256(unpackQ3_K, false),
		quant.Q4_K:   rows256(unpackQ4_K, true),
		quant.Q5_K:   rows256(unpackQ5_K, true),
		quant.Q6_K:   rows256(unpackQ6_K, false),
	},
}
