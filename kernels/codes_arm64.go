package kernels

// q8Bias is what packed codes of Q8_0 have on top of the weights: nothing, as products of NEON take two signed bytes.
const q8Bias = 0
