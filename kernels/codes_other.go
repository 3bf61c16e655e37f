//go:build !arm64

package kernels

// What packed codes have on top of the weights: the first bytes of VPDPBUSD's products are unsigned.
const q4Bias, q8Bias = 8, 128
