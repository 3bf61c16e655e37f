// Package quant knows the number formats in which GGUF stores weights: how many weights a block holds, how many bytes
// it takes, and how to decode and encode it. A format is one file and one row of the table.
package quant

import "fmt"

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

// Format is one row of the table.
type Format struct {
	Type  Type
	Name  string // as GGUF spells it
	Block int    // weights per block
	Bytes int    // bytes per block

	// Decode writes len(dst) weights; len(dst) is a multiple of Block and src holds exactly their blocks.
	Decode func(dst []float32, src []byte)
	// Encode is Decode's inverse, the rounding of llama.cpp's reference quantizer; nil where there is none.
	Encode func(dst []byte, src []float32)
}

var table = []*Format{
	{Type: F32, Name: "F32", Block: 1, Bytes: 4},
	{Type: F16, Name: "F16", Block: 1, Bytes: 2},
	{Type: BF16, Name: "BF16", Block: 1, Bytes: 2},
	{Type: Q4_0, Name: "Q4_0", Block: 32, Bytes: 18},
	{Type: Q4_1, Name: "Q4_1", Block: 32, Bytes: 20},
	{Type: Q5_0, Name: "Q5_0", Block: 32, Bytes: 22},
	{Type: Q5_1, Name: "Q5_1", Block: 32, Bytes: 24},
	{Type: Q8_0, Name: "Q8_0", Block: 32, Bytes: 34},
	{Type: Q2_K, Name: "Q2_K", Block: 256, Bytes: 84},
	{Type: Q3_K, Name: "Q3_K", Block: 256, Bytes: 110},
	{Type: Q4_K, Name: "Q4_K", Block: 256, Bytes: 144},
	{Type: Q5_K, Name: "Q5_K", Block: 256, Bytes: 176},
	{Type: Q6_K, Name: "Q6_K", Block: 256, Bytes: 210},
	{Type: Q8_K, Name: "Q8_K", Block: 256, Bytes: 292},
	{Type: IQ4_NL, Name: "IQ4_NL", Block: 32, Bytes: 18},
	{Type: IQ4_XS, Name: "IQ4_XS", Block: 256, Bytes: 136},
	{Type: TQ1_0, Name: "TQ1_0", Block: 256, Bytes: 54},
	{Type: TQ2_0, Name: "TQ2_0", Block: 256, Bytes: 66},
	{Type: MXFP4, Name: "MXFP4", Block: 32, Bytes: 17},
}

// Lookup finds a format by its GGUF number.
func Lookup(t Type) (*Format, error) {
	for _, f := range table {
		if f.Type == t {
			return f, nil
		}
	}
	return nil, fmt.Errorf("quant: tensor type %d is not supported", uint32(t))
}

// RowBytes is the size of a row of n weights; n must be a multiple of Block.
func (f *Format) RowBytes(n int) int { return n / f.Block * f.Bytes }

// String is the format's GGUF name, or its number where it has no row here.
func (t Type) String() string {
	if f, err := Lookup(t); err == nil {
		return f.Name
	}
	return fmt.Sprintf("type %d", uint32(t))
}
