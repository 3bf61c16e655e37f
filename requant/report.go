package requant

import (
	"fmt"
	"math"
)

// Report says what Run did. Errors are against the weights of the source file as they decode.
type Report struct {
	Source      string         `json:"source"`
	Target      string         `json:"target"`
	Mixture     string         `json:"mixture"`
	BytesBefore int64          `json:"bytes_before"` // of weights
	BytesAfter  int64          `json:"bytes_after"`
	Weights     int64          `json:"weights"`
	Error       Error          `json:"error"`       // of all weights that changed their format
	Requantized int            `json:"requantized"` // tensors
	Fallbacks   int            `json:"fallbacks"`   // tensors
	Tensors     []TensorReport `json:"tensors"`     // in file order
}

// TensorReport is one tensor's line.
type TensorReport struct {
	Name        string `json:"name"`
	Shape       []int  `json:"shape"` // row length first
	From        string `json:"from"`
	To          string `json:"to"`
	BytesBefore int64  `json:"bytes_before"`
	BytesAfter  int64  `json:"bytes_after"`
	Error       Error  `json:"error"`
	Requantized bool   `json:"requantized,omitempty"` // From was already a rounded format
	Fallback    string `json:"fallback,omitempty"`    // the mixture's format, where rows are not whole blocks of it
}

// Error measures how far the new weights are from the old.
type Error struct {
	RMSE     float64 `json:"rmse"`     // root of the mean square of the differences
	Relative float64 `json:"relative"` // RMSE as a part of the weights' own root mean square; 0 for weights all zero
	Max      float64 `json:"max"`      // the largest difference
}

// Notes are what a reader of the figures should know, a sentence each.
func (r *Report) Notes() []string {
	var notes []string
	if r.Requantized > 0 {
		notes = append(notes, fmt.Sprintf("%d tensors were quantized before: errors add up, and those shown are only the new ones; start from F32, F16 or BF16 where you can", r.Requantized))
	}
	if r.Fallbacks > 0 {
		notes = append(notes, fmt.Sprintf("%d tensors have rows that are no whole blocks of the mixture's format and got one with smaller blocks", r.Fallbacks))
	}
	return notes
}

// tally collects what Error is made of.
type tally struct {
	weights           int64
	squares, original float64 // sums of the squares of differences and of weights
	worst             float64
}

func (t *tally) add(u tally) {
	t.weights += u.weights
	t.squares += u.squares
	t.original += u.original
	t.worst = max(t.worst, u.worst)
}

// compare adds a row of new weights beside the old.
func (t *tally) compare(old, new []float32) {
	t.weights += int64(len(old))
	for i, x := range old {
		e := math.Abs(float64(new[i]) - float64(x))
		t.squares += e * e
		t.original += float64(x) * float64(x)
		t.worst = max(t.worst, e)
	}
}

func (t *tally) error() Error {
	e := Error{Max: t.worst}
	if t.weights > 0 {
		e.RMSE = math.Sqrt(t.squares / float64(t.weights))
	}
	if t.original > 0 {
		e.Relative = math.Sqrt(t.squares / t.original)
	}
	return e
}
