package bench

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
)

// written is the logits file that s makes of the windows.
func written(t testing.TB, s Scorer, windows [][]int32, first int) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := WriteLogits(t.Context(), s, windows, first, &file, nil); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestDiverge(t *testing.T) {
	windows := [][]int32{{0, 1, 2, 0}, {2, 0, 1, 1}}
	file := written(t, sure, windows, 0)
	if want := 28 + 2*(4*4+3*3*4); len(file) != want {
		t.Fatalf("the file has %d bytes, want %d", len(file), want)
	}
	got, err := Diverge(t.Context(), vague, iotest.OneByteReader(bytes.NewReader(file)), nil)
	if err != nil {
		t.Fatal(err)
	}
	// By hand, KL(sure || vague) after each token.
	kl := []float64{
		0.5*math.Log(0.5/0.4) + 0.25*math.Log(0.25/0.4) + 0.25*math.Log(0.25/0.2),
		0.25*math.Log(0.25/0.2) + 0.5*math.Log(0.5/0.4) + 0.25*math.Log(0.25/0.4),
		0.125*math.Log(0.125/0.25)*2 + 0.75*math.Log(0.75/0.5),
	}
	if got.Positions != 6 {
		t.Errorf("%d positions, want 6", got.Positions)
	}
	near(t, "mean KL", got.MeanKL, (kl[0]+kl[1]+kl[2])/3, 1e-6)
	near(t, "max KL", got.MaxKL, kl[2], 1e-6)
	near(t, "99th percentile", got.P99KL, kl[2], 1e-6)
	near(t, "median KL", got.MedianKL, kl[0], 1e-6)
	near(t, "same top", got.SameTop, 1, 0) // ties in vague go to the first token, which is sure's too
	if got.WorstWindow != 0 || got.WorstInside != 2 {
		t.Errorf("the worst is at window %d, position %d, want 0, 2", got.WorstWindow, got.WorstInside)
	}
	// The text's transitions: 0→1, 1→2, 2→0, 2→0, 0→1, 1→1.
	near(t, "reference NLL", got.Reference.NLL, -(3*math.Log(0.25)+2*math.Log(0.125)+math.Log(0.5))/6, 1e-6)
	near(t, "our NLL", got.Ours.NLL, -(4*math.Log(0.4)+2*math.Log(0.25))/6, 1e-6)
	near(t, "perplexity ratio", got.PerplexityRatio(), got.Ours.Perplexity()/got.Reference.Perplexity(), 1e-12)
}

func TestDivergeFromItselfIsNothing(t *testing.T) {
	file := written(t, sure, [][]int32{{0, 1, 2, 0, 1}}, 2)
	got, err := Diverge(t.Context(), sure, bytes.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Positions != 2 || got.MaxKL != 0 || got.SameTop != 1 || got.Ours != got.Reference {
		t.Errorf("got %+v, want two positions without any difference", got)
	}
}

// TestSameTop counts a position where only the likeliest token changes.
func TestSameTop(t *testing.T) {
	ours := table{sure[0], sure[1], logs(0, 0.5, 0.25, 0.25)}
	file := written(t, sure, [][]int32{{0, 1, 2, 0, 1}}, 0)
	got, err := Diverge(t.Context(), ours, bytes.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "same top", got.SameTop, 3.0/4, 0)
}

// TestImpossibleTokens: what the reference rules out costs nothing; what only we rule out has no finite divergence.
func TestImpossibleTokens(t *testing.T) {
	strict, soft := table{logs(0, 0.5, 0.5, 0)}, table{logs(0, 0.25, 0.25, 0.5)}
	windows := [][]int32{{0, 0, 0}}
	got, err := Diverge(t.Context(), soft, bytes.NewReader(written(t, strict, windows, 0)), nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean KL", got.MeanKL, math.Log(2), 1e-6)
	_, err = Diverge(t.Context(), strict, bytes.NewReader(written(t, soft, windows, 0)), nil)
	if err == nil || !strings.Contains(err.Error(), "divergence is infinite") {
		t.Errorf("got %v, want an error about an infinite divergence", err)
	}
}

func TestQuantile(t *testing.T) {
	tests := []struct {
		sorted []float64
		q      float64
		want   float64
	}{
		{[]float64{7}, 0.5, 7},
		{[]float64{7}, 0.99, 7},
		{[]float64{1, 2, 3, 4}, 0.5, 2},
		{[]float64{1, 2, 3, 4, 5}, 0.5, 3},
		{[]float64{1, 2, 3, 4, 5}, 0.99, 5},
		{[]float64{1, 2, 3, 4, 5}, 0, 1},
	}
	for _, tt := range tests {
		if got := quantile(tt.sorted, tt.q); got != tt.want {
			t.Errorf("quantile(%v, %g) = %g, want %g", tt.sorted, tt.q, got, tt.want)
		}
	}
}

// header builds the start of a logits file from its five numbers.
func header(fields ...uint32) []byte {
	b := []byte(logitsMagic)
	for _, v := range fields {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func TestDivergeRefusesFiles(t *testing.T) {
	good := written(t, sure, [][]int32{{0, 1, 2, 0}}, 1)
	wrongToken := bytes.Clone(good)
	wrongToken[28] = 3
	negative := bytes.Clone(good)
	binary.LittleEndian.PutUint32(negative[28:], math.MaxUint32)
	nan := bytes.Clone(good)
	binary.LittleEndian.PutUint32(nan[len(nan)-4:], math.Float32bits(float32(math.NaN())))
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "ends in the header after 0 bytes, want 28"},
		{"cut header", good[:20], "ends in the header after 20 bytes"},
		{"another format", append([]byte("GGUF\x03\x00\x00\x00"), good[8:]...), `starts with "GGUF`},
		{"another version", header(2, 3, 1, 4, 0), "version 2, want 1"},
		{"no vocabulary", header(1, 0, 1, 4, 0), "vocabulary of 0"},
		{"huge vocabulary", header(1, math.MaxUint32, 1, 4, 0), "vocabulary of 4294967295 tokens, want 1 to 1048576"},
		{"no windows", header(1, 3, 0, 4, 0), "0 windows"},
		{"huge count", header(1, 3, math.MaxUint32, 4, 0), "4294967295 windows of 4 tokens"},
		{"window of one", header(1, 3, 1, 1, 0), "windows of 1 tokens"},
		{"huge window", header(1, 3, 1, math.MaxUint32, 0), "windows of 4294967295 tokens"},
		{"no rows", header(1, 3, 1, 4, 3), "rows from position 3, want at most 2"},
		{"cut tokens", good[:30], "ends in the tokens of window 0 after 2 bytes, want 16"},
		{"cut row", good[:len(good)-1], "ends in the row of window 0, position 2 after 11 bytes, want 12"},
		{"bytes after the end", append(bytes.Clone(good), 0), "goes on after 1 windows of 2 rows"},
		{"token outside", wrongToken, "window 0 has token 3, want less than 3"},
		{"negative token", negative, "has token 4294967295"},
		{"NaN", nan, "window 0, position 2: reference: bench: the logit of token 2 is NaN"},
		{"another vocabulary", written(t, table{{1, 2}, {2, 1}}, [][]int32{{0, 1, 0}}, 0), "vocabulary of 2 tokens, the model one of 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Diverge(t.Context(), sure, bytes.NewReader(tt.file), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
	broken := errors.New("the disk is gone")
	for _, keep := range []int{0, len(good)} {
		reader := io.MultiReader(bytes.NewReader(good[:keep]), iotest.ErrReader(broken))
		if _, err := Diverge(t.Context(), sure, reader, nil); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: got %v, want %v", keep, err, broken)
		}
	}
}

func TestWriteLogitsRefuses(t *testing.T) {
	ragged := table{{1, 2}, {1, 2, 3}}
	tests := []struct {
		name    string
		scorer  Scorer
		windows [][]int32
		first   int
		want    string
	}{
		{"no windows", sure, nil, 0, "no positions"},
		{"one token", sure, [][]int32{{1}}, 0, "no positions"},
		{"first too late", sure, [][]int32{{1, 2, 0}}, 2, "first position 2"},
		{"first negative", sure, [][]int32{{1, 2, 0}}, -1, "first position -1"},
		{"windows of two lengths", sure, [][]int32{{1, 2, 0}, {1, 2}}, 0, "window 1 has 2 tokens, want 3"},
		{"rows of two lengths", ragged, [][]int32{{0, 1, 0}}, 0, "gave 3 logits, want 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := WriteLogits(t.Context(), tt.scorer, tt.windows, tt.first, io.Discard, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func FuzzDiverge(f *testing.F) {
	f.Add(written(f, sure, [][]int32{{0, 1, 2, 0}, {1, 1, 2, 2}}, 0))
	f.Add(written(f, vague, [][]int32{{2, 1}}, 0))
	f.Add(header(1, 3, 1, 2, 0))
	f.Add(header(1, 1<<20, 16, 1<<20, 5))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := Diverge(t.Context(), sure, bytes.NewReader(file), nil)
		if err != nil {
			if !strings.Contains(err.Error(), "bench:") {
				t.Errorf("the error %q does not name its package", err)
			}
			return
		}
		if got.Positions < 1 || !(got.MeanKL >= 0) || !(got.MedianKL <= got.MaxKL) || got.SameTop < 0 || got.SameTop > 1 {
			t.Errorf("a file was taken and gave %+v", got)
		}
	})
}
