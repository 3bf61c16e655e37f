package gguf

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/nrt-go/nrt/quant"
)

// smallModel is a file with a key of every kind and a tensor of every number format.
func smallModel(t *testing.T) []byte {
	t.Helper()
	w := formatsWriter()
	for _, row := range everyKind {
		w.Set(row.key, row.value)
	}
	w.AddTensor("last", quant.F32, []int{2, 4}, fill(32))
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEveryTruncation cuts a file at each byte: every cut is refused and says where.
func TestEveryTruncation(t *testing.T) {
	whole := smallModel(t)
	for n := range whole {
		_, err := parse(bytes.NewReader(whole[:n]), int64(n), "m")
		var e *Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(n) {
			t.Errorf("cut to %d of %d bytes: found error %v, want an *Error at an offset up to there", n, len(whole), err)
		}
	}
}

// TestEveryBitFlip flips each bit of a file's header: it is refused in a readable line, or what it says lies inside.
func TestEveryBitFlip(t *testing.T) {
	whole := smallModel(t)
	h, err := parse(bytes.NewReader(whole), int64(len(whole)), "m")
	if err != nil {
		t.Fatal(err)
	}
	accepted := 0
	for bit := range 8 * h.start {
		b := slices.Clone(whole)
		b[bit/8] ^= 1 << (bit % 8)
		h, err := parse(bytes.NewReader(b), int64(len(b)), "m")
		var e *Error
		switch {
		case err == nil:
			accepted++
			checkInside(t, h, int64(len(b)))
		case errors.As(err, &e):
			checkText(t, err.Error())
		default:
			t.Errorf("bit %d: error %T: %v", bit, err, err)
		}
	}
	// Flips in names and values are other valid files.
	if total := int(8 * h.start); accepted == 0 || accepted == total {
		t.Errorf("%d of %d flips accepted", accepted, total)
	}
}
