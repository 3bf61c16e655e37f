package tensor

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/quant"
)

func TestRows(t *testing.T) {
	data := make([]byte, 0, 4*6)
	for i := range 6 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)))
	}
	w := &Tensor{Name: "w", Type: quant.F32, Shape: []int{2, 3, 1}, Data: data}
	if w.Cols() != 2 || w.Rows() != 3 || w.Elems() != 6 {
		t.Errorf("%d columns, %d rows, %d weights; want 2, 3, 6", w.Cols(), w.Rows(), w.Elems())
	}
	row := make([]float32, 2)
	if err := w.DecodeRow(row, 2); err != nil || !slices.Equal(row, []float32{4, 5}) {
		t.Errorf("row 2 is %v, %v; want [4 5]", row, err)
	}
	if got := w.Row(1); len(got) != 8 || cap(got) != 8 {
		t.Errorf("row 1 has %d of %d bytes, want 8 of 8", len(got), cap(got))
	}
	if got, want := w.String(), "w F32 [2 3 1]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnknownFormat(t *testing.T) {
	w := &Tensor{Name: "w", Type: 77, Shape: []int{1}, Data: []byte{0}}
	if err := w.DecodeRow(make([]float32, 1), 0); err == nil || !strings.Contains(err.Error(), `"w"`) {
		t.Errorf("got %v, want an error that names the tensor", err)
	}
}

func TestMatrix(t *testing.T) {
	m := NewMatrix(3, 2)
	copy(m.Row(1), []float32{7, 8})
	top := m.Top(2)
	if top.Rows != 2 || len(top.Data) != 4 || !slices.Equal(top.Row(1), []float32{7, 8}) {
		t.Errorf("got %+v", top)
	}
}

// TestGuard lets through what is no fault of a mapping; package gguf tests real faults.
func TestGuard(t *testing.T) {
	want := errors.New("from inside")
	if err := Guard(func() error { return want }); err != want {
		t.Errorf("got %v, want %v", err, want)
	}
	for name, f := range map[string]func() error{
		"a panic":        func() error { panic("mine") },
		"a nil pointer":  func() error { var p *Tensor; return errors.New(p.Name) },
		"a bad index":    func() error { return errors.New(string("abc"[len(name(t))])) },
		"a type mistake": func() error { var v any = 1; return v.(error) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("Guard swallowed a panic that is no fault")
				}
			}()
			t.Errorf("Guard returned %v", Guard(f))
		})
	}
}

func name(t *testing.T) string { return t.Name() }
