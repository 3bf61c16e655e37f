package quant

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// gaussian is n weights of deviation sigma, the same for the same seed.
func gaussian(seed uint64, n int, sigma float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * sigma)
	}
	return x
}

func fill(n int, x float32) []float32 {
	row := make([]float32, n)
	for i := range row {
		row[i] = x
	}
	return row
}

// recode is what Encode and then Decode make of a row.
func recode(tb testing.TB, f *Format, x []float32) []float32 {
	tb.Helper()
	row := make([]byte, f.RowBytes(len(x)))
	if err := f.EncodeRow(row, x); err != nil {
		tb.Fatal(err)
	}
	y := make([]float32, len(x))
	f.Decode(y, row)
	return y
}

// rmse is the root of the mean square error of y for x as a part of x's own root mean square.
func rmse(x, y []float32) float64 {
	var e, s float64
	for i := range x {
		d := float64(x[i]) - float64(y[i])
		e += d * d
		s += float64(x[i]) * float64(x[i])
	}
	return math.Sqrt(e / s)
}

// noise is the relative error that each format leaves on Gaussian weights, and a little more.
var noise = map[Type]float64{
	F32: 0, F16: 3e-4, BF16: 2e-3, Q8_0: 0.008, Q8_K: 0.009,
	Q4_0: 0.10, Q4_1: 0.09, Q5_0: 0.05, Q5_1: 0.045,
	Q2_K: 0.28, Q3_K: 0.155, Q4_K: 0.075, Q5_K: 0.037, Q6_K: 0.019,
	TQ1_0: 0.9, TQ2_0: 0.9,
}

func TestEveryRow(t *testing.T) {
	seen := map[Type]bool{}
	for _, f := range Formats() {
		t.Run(f.Name, func(t *testing.T) {
			if seen[f.Type] {
				t.Fatalf("number %d is in the table twice", f.Type)
			}
			seen[f.Type] = true
			if _, ok := refused[f.Type]; ok {
				t.Fatalf("number %d is supported and refused", f.Type)
			}
			if got, err := Lookup(f.Type); got != f || err != nil {
				t.Fatalf("Lookup(%d) = %v, %v", f.Type, got, err)
			}
			if got, err := ByName(strings.ToLower(f.Name)); got != f || err != nil {
				t.Fatalf("ByName(lower case) = %v, %v", got, err)
			}
			if f.Type.String() != f.Name {
				t.Fatalf("String() = %q", f.Type.String())
			}
			for blocks := range 4 {
				checkBlocks(t, f, blocks)
			}
		})
	}
}

// checkBlocks decodes and encodes a row of so many blocks, with a sentinel behind each buffer.
func checkBlocks(t *testing.T, f *Format, blocks int) {
	n := blocks * f.Block
	if got := f.RowBytes(n); got != blocks*f.Bytes {
		t.Fatalf("RowBytes(%d) = %d, want %d", n, got, blocks*f.Bytes)
	}
	y := fill(n+1, 7)
	f.Decode(y[:n], make([]byte, blocks*f.Bytes))
	for i, v := range y[:n] {
		if !(math.Abs(float64(v)) <= 1e-30) { // MXFP4's smallest scale is not quite 0
			t.Fatalf("%d zero blocks: weight %d is %v", blocks, i, v)
		}
	}
	if y[n] != 7 {
		t.Fatalf("Decode of %d blocks wrote beyond them", blocks)
	}
	if f.Encode == nil {
		if err := f.EncodeRow(nil, nil); err == nil {
			t.Fatal("EncodeRow without an encoder gave no error")
		}
		return
	}
	row := make([]byte, blocks*f.Bytes+1)
	row[blocks*f.Bytes] = 0xa5
	x := gaussian(uint64(f.Type), n, 0.02)
	f.Encode(row, x)
	if row[blocks*f.Bytes] != 0xa5 {
		t.Fatalf("Encode of %d blocks wrote beyond them", blocks)
	}
	f.Decode(y[:n], row)
	if n >= 32 {
		if got := rmse(x, y[:n]); !(got <= noise[f.Type]) {
			t.Fatalf("relative error of %d blocks is %.4g, want at most %.4g", blocks, got, noise[f.Type])
		}
	}
}

// TestShapesOfBlocks encodes the blocks on which a search may trip: without spread, without one sign, with one large
// weight, tiny, huge.
func TestShapesOfBlocks(t *testing.T) {
	spike, ramp := fill(256, 0.001), make([]float32, 256)
	spike[77] = -3
	positive, negative := gaussian(5, 256, 1), gaussian(6, 256, 1)
	for i := range ramp {
		ramp[i] = float32(i%32) / 31
		positive[i] = abs(positive[i]) + 0.5
		negative[i] = -abs(negative[i]) - 0.5
	}
	shapes := map[string][]float32{
		"zero": make([]float32, 256), "positive constant": fill(256, 0.3), "negative constant": fill(256, -0.3),
		"spike": spike, "ramp": ramp, "positive": positive, "negative": negative,
		"small": gaussian(7, 256, 1e-4), "large": gaussian(8, 256, 1000), "subnormal": fill(256, 1e-40),
	}
	// The largest error allowed, as a part of the block's largest weight.
	worst := map[Type]float64{
		F16: 1e-3, BF16: 4e-3, Q8_0: 5e-3, Q8_K: 5e-3, Q4_0: 0.126, Q4_1: 0.07, Q5_0: 0.063, Q5_1: 0.035,
		Q2_K: 0.6, Q3_K: 0.3, Q4_K: 0.12, Q5_K: 0.06, Q6_K: 0.04, TQ1_0: 0.501, TQ2_0: 0.501,
	}
	for name, x := range shapes {
		for _, f := range Formats() {
			if f.Encode == nil {
				continue
			}
			y := recode(t, f, x)
			limit := worst[f.Type]*float64(magnitude(x)) + 4e-6 // 127 times half the smallest half
			for i := range x {
				if e := math.Abs(float64(x[i]) - float64(y[i])); !(e <= limit) {
					t.Errorf("%s: %s: weight %d: %v became %v, %.3g off, want at most %.3g", f.Name, name, i, x[i], y[i], e, limit)
					break
				}
			}
		}
	}
}

// TestEncodeAgain: what a format decodes to, it encodes without loss, or for the K formats with hardly any.
func TestEncodeAgain(t *testing.T) {
	for _, f := range Formats() {
		if f.Encode == nil {
			continue
		}
		once := recode(t, f, gaussian(9, 1024, 0.02))
		limit := 2e-3
		if strings.HasSuffix(f.Name, "_K") {
			limit = noise[f.Type] / 5
		}
		if got := rmse(once, recode(t, f, once)); got > limit {
			t.Errorf("%s: encoding decoded weights again leaves %.3g, want at most %.3g", f.Name, got, limit)
		}
	}
}

func TestRefusedByName(t *testing.T) {
	for number, want := range map[Type]string{
		16: "quant: tensor type 16 (IQ2_XXS) is not supported; supported: F32, F16, BF16, Q4_0,",
		4:  "quant: tensor type 4 (Q4_2, removed from GGUF) is not supported; supported: F32,",
		9:  "quant: tensor type 9 (Q8_1) is not supported",
		40: "quant: tensor type 40 (NVFP4) is not supported",
		77: "quant: tensor type 77 is unknown; supported: F32,",
	} {
		if _, err := Lookup(number); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Lookup(%d): %v, want %s…", number, err, want)
		}
	}
	for name, want := range map[string]string{
		"q4_2":   "quant: tensor type 4 (Q4_2, removed from GGUF) is not supported",
		"iq3_s":  "quant: tensor type 21 (IQ3_S) is not supported",
		"Q4_K_M": `quant: format "Q4_K_M" is unknown; supported: F32,`,
	} {
		if _, err := ByName(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ByName(%q): %v, want %s…", name, err, want)
		}
	}
	// Every number below the end of GGUF's list has an answer with a name.
	for number := Type(0); number <= 42; number++ {
		if _, err := Lookup(number); err != nil && strings.Contains(err.Error(), "unknown") {
			t.Errorf("number %d has no name", number)
		}
	}
	if got := Type(77).String(); got != "type 77" {
		t.Errorf("String() of an unknown number is %q", got)
	}
}

func TestEncodeRowRefuses(t *testing.T) {
	q8, err := ByName("Q8_0")
	if err != nil {
		t.Fatal(err)
	}
	bad := func(i int, x float32) []float32 {
		row := gaussian(1, 64, 1)
		row[i] = x
		return row
	}
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name  string
		bytes int
		src   []float32
		want  string
	}{
		{"ragged", 34, fill(33, 1), "quant: Q8_0: a row of 33 weights, want a multiple of 32"},
		{"short", 67, fill(64, 1), "quant: Q8_0: 67 bytes for a row of 64 weights, want 68"},
		{"NaN", 68, bad(40, inf-inf), "quant: Q8_0: weight 40 of the row is NaN, want a finite number"},
		{"Inf", 68, bad(3, -inf), "quant: Q8_0: weight 3 of the row is -Inf, want a finite number"},
		{"too large", 68, bad(63, 1e7), "quant: Q8_0: a weight of magnitude 1e+07 is too large for the format"},
	} {
		if err := q8.EncodeRow(make([]byte, c.bytes), c.src); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if err := q8.EncodeRow(make([]byte, 68), bad(0, 1e6)); err != nil {
		t.Errorf("1e6 fits Q8_0's scale: %v", err)
	}
	for _, f := range Formats() { // no bytes, no panic
		if f.Encode == nil {
			continue
		}
		for _, x := range []float32{inf, -inf, inf - inf, math.MaxFloat32} {
			src := gaussian(2, 256, 1)
			src[100] = x
			f.Encode(make([]byte, f.RowBytes(256)), src)
			if err := f.EncodeRow(make([]byte, f.RowBytes(256)), src); err == nil && (x != math.MaxFloat32 || f.Block == 32) {
				t.Errorf("%s: a weight of %v passed", f.Name, x)
			}
		}
	}
}
