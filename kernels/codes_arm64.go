package kernels

// What packed codes have on top of the weights: nothing, as products of NEON take two signed bytes.
const q4Bias, q8Bias = 0, 0
