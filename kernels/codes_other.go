//go:build !arm64

package kernels

// q8Bias is what packed codes of Q8_0 have on top of the weights: the first bytes of VPDPBUSD's products are unsigned.
const q8Bias = 128
