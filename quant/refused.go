package quant

// refused names the numbers that GGUF gives a meaning and this package does not decode: formats not done here, number
// types that hold no weights, and formats that were taken out of GGUF again. ggml.h and gguf-py's constants list them.
var refused = map[Type]string{
	4:  "Q4_2, removed from GGUF",
	5:  "Q4_3, removed from GGUF",
	9:  "Q8_1",
	16: "IQ2_XXS",
	17: "IQ2_XS",
	18: "IQ3_XXS",
	19: "IQ1_S",
	21: "IQ3_S",
	22: "IQ2_S",
	24: "I8",
	25: "I16",
	26: "I32",
	27: "I64",
	28: "F64",
	29: "IQ1_M",
	31: "Q4_0_4_4, removed from GGUF",
	32: "Q4_0_4_8, removed from GGUF",
	33: "Q4_0_8_8, removed from GGUF",
	36: "IQ4_NL_4_4, removed from GGUF",
	37: "IQ4_NL_4_8, removed from GGUF",
	38: "IQ4_NL_8_8, removed from GGUF",
	40: "NVFP4",
	41: "Q1_0",
	42: "Q2_0",
}
