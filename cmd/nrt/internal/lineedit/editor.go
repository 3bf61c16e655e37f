// Package lineedit reads messages from a terminal: editing by grapheme clusters, history with search, bracketed paste,
// messages of many lines, an external editor. It knows the terminal only as a reader, a writer and a size.
package lineedit

import (
	"context"
	"errors"
	"io"
)

// ErrInterrupt is what Read returns after Ctrl-C.
var ErrInterrupt = errors.New("lineedit: interrupted")

// Config is what an Editor stands on. In and Out are needed; what else is nil or zero is done without.
type Config struct {
	In       io.Reader
	Out      io.Writer
	Raw      func() (restore func() error, err error) // switches the terminal to single keys
	Size     func() (width, height int)               // cells
	Resized  <-chan struct{}
	Suspend  func()                            // Ctrl-Z
	Compose  func(text string) (string, error) // the external editor
	Complete func(left string) (insert string) // Tab: what to put after the text left of the cursor
	History  *History
}

// Editor reads messages, one call of Read each. It is not safe for concurrent use.
type Editor struct {
	cfg   Config
	keys  decoder
	input input

	prompt  Prompt
	buf     buffer
	screen  screen
	search  *search // nil outside of ctrl-R
	chord   bool    // ctrl-X came, its second key has not
	restore func() error
}

// New makes an Editor.
func New(cfg Config) *Editor {
	if cfg.History == nil {
		cfg.History = &History{}
	}
	if cfg.Size == nil {
		cfg.Size = func() (int, int) { return 80, 24 }
	}
	return &Editor{cfg: cfg, input: newInput(cfg.In)}
}

// Close ends the goroutine that reads the terminal, once the read it may be in returns.
func (e *Editor) Close() { e.input.close() }

// Bracketed paste tells pasted line breaks from typed ones.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// Read shows the prompt and returns the message that Enter ends, without adding it to the history. It returns io.EOF
// for Ctrl-D on an empty line and at the end of the input, ErrInterrupt for Ctrl-C, and the context's error.
func (e *Editor) Read(ctx context.Context, p Prompt) (text string, err error) {
	e.prompt, e.search, e.chord = p, nil, false
	e.buf.set("")
	if err := e.enter(); err != nil {
		return "", err
	}
	defer func() {
		if left := e.leave(); err == nil {
			err = left
		}
	}()
	for {
		k, err := e.key(ctx)
		if err != nil {
			e.finish()
			return "", err
		}
		done, err := e.press(k)
		if done || err != nil {
			e.finish()
			return e.buf.text(), err
		}
	}
}

// key waits for the next key.
func (e *Editor) key(ctx context.Context) (key, error) {
	for {
		if k, ok := e.keys.next(); ok {
			return k, nil
		}
		// Keys that wait already need not each be shown.
		e.redraw()
		chunk, err := e.input.chunk(ctx, e.cfg.Resized, e.redraw)
		if err != nil {
			return key{}, err
		}
		e.keys.feed(chunk)
	}
}

func (e *Editor) enter() error {
	if e.cfg.Raw != nil {
		restore, err := e.cfg.Raw()
		if err != nil {
			return err
		}
		e.restore = restore
	}
	e.write(pasteOn)
	return nil
}

func (e *Editor) leave() error {
	e.write(pasteOff)
	if e.restore == nil {
		return nil
	}
	restore := e.restore
	e.restore = nil
	return restore()
}

// finish leaves the message on the screen and goes to the line after it.
func (e *Editor) finish() {
	e.search = nil
	e.prompt.Hint = ""
	e.buf.set(e.buf.text())
	e.redraw()
	e.screen.row = 0
	e.write("\r\n")
}

func (e *Editor) redraw() {
	width, height := e.cfg.Size()
	if width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	prompt, hint := e.prompt, e.prompt.Hint
	if e.search != nil {
		prompt.Text, hint = e.search.prompt(), ""
	}
	if !e.buf.empty() {
		hint = ""
	}
	e.write(e.screen.draw(arrange(prompt, e.buf.left, e.buf.right, width), hint, height))
}

// A terminal that cannot be written to cannot be read from either: Read ends by the reader's error.
func (e *Editor) write(s string) { _, _ = io.WriteString(e.cfg.Out, s) }
