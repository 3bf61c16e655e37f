package quant

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// TestGolden holds decoding and encoding to ggml's reference, bit for bit.
func TestGolden(t *testing.T) {
	file, err := os.Open("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoded, encoded := map[Type]bool{F32: true}, map[Type]bool{}
	lines := bufio.NewScanner(file)
	for line := 1; lines.Scan(); line++ {
		words := strings.Fields(lines.Text())
		if words[0] == "#" {
			continue
		}
		f, err := ByName(words[1])
		if err != nil {
			t.Fatalf("line %d: %v", line, err)
		}
		from, want := unhex(t, words[2]), unhex(t, words[3])
		var got []byte
		switch words[0] {
		case "decode":
			decoded[f.Type] = true
			y := make([]float32, len(want)/4)
			f.Decode(y, from)
			got = make([]byte, len(want))
			encodeF32(got, y)
		case "encode":
			encoded[f.Type] = true
			x := make([]float32, len(from)/4)
			decodeF32(x, from)
			got = make([]byte, len(want))
			f.Encode(got, x)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("line %d: %s %s:\n got %x\nwant %x", line, words[0], f.Name, got, want)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		if !decoded[f.Type] {
			t.Errorf("%s has no golden block to decode", f.Name)
		}
	}
	for _, want := range []Type{Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q8_K, TQ1_0, TQ2_0} {
		if !encoded[want] {
			t.Errorf("%s has no golden block to encode", want)
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
