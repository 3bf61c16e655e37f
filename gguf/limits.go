package gguf

import "math/bits"

// What a file may ask for. A number beyond these is refused before anything is allocated for it, however large the
// file is: a sparse file of a terabyte costs its author nothing.
const (
	maxKeys     = 65_536
	maxTensors  = 65_536
	maxString   = 8 << 20 // bytes of one string value
	maxKey      = 65_535  // bytes of one key, GGUF's own limit
	maxName     = 64      // bytes of one tensor name, GGUF's own limit
	maxElements = 4 << 20 // of one array
	maxNesting  = 16      // arrays in arrays
	maxArrays   = 65_536  // arrays in arrays, all together: each costs far more memory than its 12 bytes of file
	maxHeader   = 64 << 20
	maxDims     = 4
	maxAlign    = 1 << 20
	maxSplits   = 1_024
	maxCopy     = 64 << 30 // of one part, where it is not mapped
	maxCopyWasm = 1 << 30  // of 4 GiB that a WebAssembly machine has

	defaultAlign = 32
)

// mul is a*b, and whether it fits.
func mul(a, b uint64) (uint64, bool) {
	hi, lo := bits.Mul64(a, b)
	return lo, hi == 0
}

// add is a+b, and whether it fits.
func add(a, b uint64) (uint64, bool) {
	sum, carry := bits.Add64(a, b, 0)
	return sum, carry == 0
}

// padding is how many bytes bring n up to a multiple of align, a power of two.
func padding(n, align uint64) uint64 { return -n & (align - 1) }
