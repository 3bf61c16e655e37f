// Package quant knows the number formats in which GGUF stores weights: how many weights a block holds, how many bytes
// it takes, and how to decode and encode it. A format is one file and one row of the table.
//
// Decode is bit-equal to ggml's reference on every machine. Encode is bit-equal to ggml's reference for F16, BF16,
// Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q8_K, TQ1_0 and TQ2_0; the K formats have a search of their own (affine.go,
// symmetric.go), which leaves smaller errors than ggml's by its own measure and by the plain mean square. Products are rounded before they are added everywhere, so no
// machine fuses them and all machines write the same file.
package quant

import (
	"fmt"
	"math"
	"strings"
)

// Type is a format's number in a GGUF file.
type Type uint32

// The formats by their GGUF numbers. Numbers that are not here are refused by name.
const (
	F32    Type = 0
	F16    Type = 1
	Q4_0   Type = 2
	Q4_1   Type = 3
	Q5_0   Type = 6
	Q5_1   Type = 7
	Q8_0   Type = 8
	Q2_K   Type = 10
	Q3_K   Type = 11
	Q4_K   Type = 12
	Q5_K   Type = 13
	Q6_K   Type = 14
	Q8_K   Type = 15
	IQ4_NL Type = 20
	IQ4_XS Type = 23
	BF16   Type = 30
	TQ1_0  Type = 34
	TQ2_0  Type = 35
	MXFP4  Type = 39
)

// Packed marks a format whose rows package kernels has copied into the order that its instruction set reads; it never
// stands in a file.
const Packed Type = 1 << 16

// Format is one row of the table.
type Format struct {
	Type  Type
	Name  string // as GGUF spells it
	Block int    // weights per block
	Bytes int    // bytes per block

	// Decode writes len(dst) weights; len(dst) is a multiple of Block and src holds at least their blocks. Any bytes
	// decode to something: a scale may be infinite or not a number, and its weights are then too.
	Decode func(dst []float32, src []byte)
	// Encode is Decode's inverse on len(src) weights, a multiple of Block, into dst, which holds at least their
	// blocks; nil where there is none. Weights that are not finite give bytes without meaning: EncodeRow refuses them.
	Encode func(dst []byte, src []float32)
}

var table = []*Format{
	{F32, "F32", 1, 4, decodeF32, encodeF32},
	{F16, "F16", 1, 2, decodeF16, encodeF16},
	{BF16, "BF16", 1, 2, decodeBF16, encodeBF16},
	{Q4_0, "Q4_0", 32, 18, decodeQ4_0, encodeQ4_0},
	{Q4_1, "Q4_1", 32, 20, decodeQ4_1, encodeQ4_1},
	{Q5_0, "Q5_0", 32, 22, decodeQ5_0, encodeQ5_0},
	{Q5_1, "Q5_1", 32, 24, decodeQ5_1, encodeQ5_1},
	{Q8_0, "Q8_0", 32, 34, decodeQ8_0, encodeQ8_0},
	{Q2_K, "Q2_K", 256, 84, decodeQ2_K, encodeQ2_K},
	{Q3_K, "Q3_K", 256, 110, decodeQ3_K, encodeQ3_K},
	{Q4_K, "Q4_K", 256, 144, decodeQ4_K, encodeQ4_K},
	{Q5_K, "Q5_K", 256, 176, decodeQ5_K, encodeQ5_K},
	{Q6_K, "Q6_K", 256, 210, decodeQ6_K, encodeQ6_K},
	{Q8_K, "Q8_K", 256, 292, decodeQ8_K, encodeQ8_K},
	{IQ4_NL, "IQ4_NL", 32, 18, decodeIQ4_NL, nil},
	{IQ4_XS, "IQ4_XS", 256, 136, decodeIQ4_XS, nil},
	{TQ1_0, "TQ1_0", 256, 54, decodeTQ1_0, encodeTQ1_0},
	{TQ2_0, "TQ2_0", 256, 66, decodeTQ2_0, encodeTQ2_0},
	{MXFP4, "MXFP4", 32, 17, decodeMXFP4, nil},
}

// Formats lists the table in its order.
func Formats() []*Format { return append([]*Format(nil), table...) }

// Lookup finds a format by its GGUF number.
func Lookup(t Type) (*Format, error) {
	for _, f := range table {
		if f.Type == t {
			return f, nil
		}
	}
	if name, ok := refused[t]; ok {
		return nil, fmt.Errorf("quant: tensor type %d (%s) is not supported; supported: %s", uint32(t), name, names())
	}
	return nil, fmt.Errorf("quant: tensor type %d is unknown; supported: %s", uint32(t), names())
}

// ByName finds a format by its GGUF name in any case.
func ByName(name string) (*Format, error) {
	for _, f := range table {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
	}
	for t, known := range refused {
		if bare, _, _ := strings.Cut(known, ","); strings.EqualFold(bare, name) {
			return nil, fmt.Errorf("quant: tensor type %d (%s) is not supported; supported: %s", uint32(t), known, names())
		}
	}
	return nil, fmt.Errorf("quant: format %q is unknown; supported: %s", name, names())
}

func names() string {
	all := make([]string, len(table))
	for i, f := range table {
		all[i] = f.Name
	}
	return strings.Join(all, ", ")
}

// RowBytes is the size of a row of n weights; n must be a multiple of Block.
func (f *Format) RowBytes(n int) int { return n / f.Block * f.Bytes }

// EncodeRow is Encode for weights from outside. It refuses a row that is not whole blocks, a format without an
// encoder, weights that are not finite, and weights too large for the format; dst is exactly the row's bytes.
func (f *Format) EncodeRow(dst []byte, src []float32) error {
	switch {
	case f.Encode == nil:
		return fmt.Errorf("quant: %s has no encoder", f.Name)
	case len(src)%f.Block != 0:
		return fmt.Errorf("quant: %s: a row of %d weights, want a multiple of %d", f.Name, len(src), f.Block)
	case len(dst) != f.RowBytes(len(src)):
		return fmt.Errorf("quant: %s: %d bytes for a row of %d weights, want %d", f.Name, len(dst), len(src), f.RowBytes(len(src)))
	}
	largest := float32(0)
	for i, x := range src {
		a := float32(math.Abs(float64(x)))
		if !(a <= math.MaxFloat32) {
			return fmt.Errorf("quant: %s: weight %d of the row is %v, want a finite number", f.Name, i, x)
		}
		largest = max(largest, a)
	}
	f.Encode(dst, src)
	if largest > maxF16 && !f.finite(dst) {
		return fmt.Errorf("quant: %s: a weight of magnitude %g is too large for the format", f.Name, largest)
	}
	return nil
}

// finite says whether every block of a row decodes to finite weights.
func (f *Format) finite(row []byte) bool {
	block := make([]float32, f.Block)
	for ; len(row) > 0; row = row[f.Bytes:] {
		f.Decode(block, row[:f.Bytes])
		for _, x := range block {
			if !(math.Abs(float64(x)) <= math.MaxFloat32) {
				return false
			}
		}
	}
	return true
}

// String is the format's GGUF name, or its number where it has no row here.
func (t Type) String() string {
	if f, err := Lookup(t); err == nil {
		return f.Name
	}
	return fmt.Sprintf("type %d", uint32(t))
}
