package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
)

// app is where a command reads and writes.
type app struct {
	in      *os.File
	out     *os.File
	err     *os.File
	noColor bool // --no-color
}

func newApp(in, out, err *os.File) *app { return &app{in: in, out: out, err: err} }

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// color says whether f may be written to in colour.
func (a *app) color(f *os.File) bool {
	return !a.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(f)
}

// dim marks text that is beside the matter.
func (a *app) dim(f *os.File, s string) string {
	if !a.color(f) {
		return s
	}
	return "\x1b[2m" + s + "\x1b[m"
}

// printJSON writes one document and nothing else (R-049: the original mixed a banner into it): one line to a program,
// indented to a terminal.
func (a *app) printJSON(v any) error {
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false) // control tokens such as <s> stay readable
	if isTerminal(a.out) {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("json: %w", err)
	}
	_, err := a.out.Write(plain.JSON(doc.Bytes()))
	return err
}

// text is where a model's text goes: as it is to a program, made harmless to a terminal.
func (a *app) text() io.Writer {
	if isTerminal(a.out) {
		return harmless{a.out}
	}
	return a.out
}

// harmless writes through plain.Text. Each write holds whole characters, as the engine gives them.
type harmless struct{ io.Writer }

func (h harmless) Write(p []byte) (int, error) {
	if _, err := io.WriteString(h.Writer, plain.Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// interruptible is ctx until Ctrl-C.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt)
}

// patience is how long a command may be silent before it says what it is at.
const patience = 300 * time.Millisecond

// waiting shows a line on stderr, if that is a terminal, when what follows takes longer than patience; the function it
// returns ends the wait and takes the line away.
func (a *app) waiting(line string) (done func()) {
	if !isTerminal(a.err) {
		return func() {}
	}
	var mu sync.Mutex
	shown, over := false, false
	timer := time.AfterFunc(patience, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			shown = true
			fmt.Fprint(a.err, a.dim(a.err, plain.Line(line)))
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
		if shown {
			fmt.Fprint(a.err, "\r\x1b[K")
		}
	}
}
