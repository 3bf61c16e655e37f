package lineedit

import (
	"context"
	"io"
	"strings"
	"testing"
)

// A terminal that changes its size is drawn anew at once, without a key.
func TestResize(t *testing.T) {
	in, keys := io.Pipe()
	resizes, drawn := make(chan struct{}), make(chan string)
	width := 40
	e := New(Config{In: in, Out: tee(drawn), Size: func() (int, int) { return width, 10 }, Resized: resizes})
	defer e.Close()
	done := make(chan error)
	go func() {
		_, err := e.Read(context.Background(), prompt)
		done <- err
	}()
	expectDrawn(t, drawn, ">>> ")
	go keys.Write([]byte("abcdef"))
	expectDrawn(t, drawn, ">>> abcdef")
	width = 8
	resizes <- struct{}{}
	expectDrawn(t, drawn, ">>> abcd\r\nef")
	go func() {
		for range drawn { // what Read still writes
		}
	}()
	keys.Close()
	if err := <-done; err != io.EOF {
		t.Errorf("Read = %v, want EOF", err)
	}
}

type tee chan string

func (c tee) Write(p []byte) (int, error) { c <- string(p); return len(p), nil }

// expectDrawn reads what the editor writes until want is in it.
func expectDrawn(t *testing.T, drawn <-chan string, want string) {
	t.Helper()
	var seen []string
	for range 10 {
		seen = append(seen, <-drawn)
		if strings.Contains(seen[len(seen)-1], want) {
			return
		}
	}
	t.Fatalf("the editor wrote %q, want %q", seen, want)
}
