package quant

import (
	"math"
	"testing"
)

// wideHalf is a half's value by its definition.
func wideHalf(h uint16) float64 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

func TestEveryHalf(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		got, want := F16ToF32(h), wideHalf(h)
		if math.IsNaN(want) {
			if got == got || F32ToF16(got) != h&0x8000|0x7e00 {
				t.Fatalf("%#04x: a NaN became %v and %#04x", h, got, F32ToF16(got))
			}
			continue
		}
		if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
			t.Fatalf("F16ToF32(%#04x) = %v, want %v", h, got, want)
		}
		if back := F32ToF16(got); back != h {
			t.Fatalf("F32ToF16(%v) = %#04x, want %#04x", got, back, h)
		}
	}
}

// TestHalfRounding goes over the middle between every two neighbours and the float32 on either side of it.
func TestHalfRounding(t *testing.T) {
	for i := range uint16(0x7c00) {
		low, high := wideHalf(i), wideHalf(i+1)
		if i == 0x7bff {
			high = 65536 // where the next half would be; from the middle on it is infinity
		}
		middle := float32((low + high) / 2)
		even := i + i&1
		for _, c := range []struct {
			x    float32
			want uint16
		}{
			{middle, even},
			{math.Nextafter32(middle, 0), i},
			{math.Nextafter32(middle, math.MaxFloat32), i + 1},
		} {
			if got := F32ToF16(c.x); got != c.want {
				t.Fatalf("F32ToF16(%v) = %#04x, want %#04x", c.x, got, c.want)
			}
			if got := F32ToF16(-c.x); got != c.want|0x8000 {
				t.Fatalf("F32ToF16(%v) = %#04x, want %#04x", -c.x, got, c.want|0x8000)
			}
		}
	}
}

func TestBF16(t *testing.T) {
	for _, c := range []struct{ bits, want uint32 }{
		{0x3f800000, 0x3f80}, // 1
		{0x3f808000, 0x3f80}, // the middle: to even
		{0x3f818000, 0x3f82},
		{0x3f808001, 0x3f81},
		{0x3f807fff, 0x3f80},
		{0x80000000, 0x8000}, // −0
		{0x00000001, 0x0000},
		{0x7f7fffff, 0x7f80}, // the largest number rounds to infinity
		{0xff800000, 0xff80},
		{0x7f800001, 0x7fc0}, // a NaN whose fraction would be cut off
		{0xffc12345, 0xffc1},
	} {
		if got := F32ToBF16(math.Float32frombits(c.bits)); got != uint16(c.want) {
			t.Errorf("F32ToBF16(%#08x) = %#04x, want %#04x", c.bits, got, c.want)
		}
	}
	for i := range 1 << 16 {
		if got := math.Float32bits(BF16ToF32(uint16(i))); got != uint32(i)<<16 {
			t.Fatalf("BF16ToF32(%#04x) = %#08x", i, got)
		}
	}
}
