package engine

import (
	"strings"
	"testing"
)

func TestStopFilter(t *testing.T) {
	tests := []struct {
		name   string
		stops  []string
		pieces []string
		want   string
		hit    bool
	}{
		{"no stops", nil, []string{"a", "b"}, "ab", false},
		{"inside one piece", []string{"END"}, []string{"fooENDbar"}, "foo", true},
		{"across pieces", []string{"\nUser:"}, []string{"hi\n", "Us", "er:", " more"}, "hi", true},
		{"a false start is shown", []string{"\nUser:"}, []string{"hi\nUs", "ed"}, "hi\nUsed", false},
		{"the earliest of two wins", []string{"zz", "b"}, []string{"abzz"}, "a", true},
		{"a held rest is flushed", []string{"stop"}, []string{"see sto"}, "see sto", false},
		{"overlapping starts", []string{"aab"}, []string{"a", "a", "a", "b"}, "a", true},
		{"never half a character", []string{"é!"}, []string{"caf", "é", "s"}, "cafés", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := stopFilter{stops: tt.stops}
			var got strings.Builder
			hit := false
			for _, piece := range tt.pieces {
				out, h := f.push(piece)
				got.WriteString(out)
				if hit = h; hit {
					break
				}
			}
			if !hit {
				got.WriteString(f.flush())
			}
			if got.String() != tt.want || hit != tt.hit {
				t.Errorf("got %q, hit %v; want %q, hit %v", got.String(), hit, tt.want, tt.hit)
			}
		})
	}
}
