// Package kernels is the arithmetic of a forward pass: one exported function per operation on plain slices. Which
// instructions carry an operation out is hidden in one table (isa.go).
//
// Two rules hold for every operation and every instruction set:
//
//   - The Go loop is the contract. The loop in the generic file says which rounding happens in which order; another
//     instruction set computes the same bits. Multiply and add are rounded separately (written float32(x*y) + z, which
//     forbids the compiler to fuse them), sums over floats run in sixteen lanes (element i belongs to lane i mod 16)
//     that one fixed tree adds up, and sums over quantised blocks run in block order.
//   - No result depends on what else is in the batch, on the number of workers, or on how the work was cut: workers
//     share out rows of weights and rows of activations, never the dimension that is summed.
package kernels
