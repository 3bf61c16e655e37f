// Command nrt runs language models in the terminal: chat, one-shot answers, and what one wants to know of a model file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
)

func main() {
	// Commands that take Ctrl-C as "end" say so themselves (interruptible): in a chat it only stops the answer.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	code := run(ctx, newApp(os.Stdin, os.Stdout, os.Stderr), os.Args[1:])
	stop()
	os.Exit(code)
}

// Exit codes. R-004: any error is one line on stderr and 1.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func run(ctx context.Context, a *app, args []string) int {
	root := newRoot(a)
	root.SetArgs(respell(args))
	err := root.ExecuteContext(ctx)
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return 0 // who reads from us has read enough
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage):
		a.complain(err)
		return exitUsage
	}
	a.complain(err)
	return exitFailed
}

// complain prints an error in one line.
func (a *app) complain(err error) {
	fmt.Fprintln(a.err, "nrt: "+oneLine(err))
}

// oneLine joins the lines of an error that has several; what models and files put into it cannot move the cursor.
func oneLine(err error) string {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return plain.Line(strings.Join(lines, "; "))
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// respell turns llama.cpp's long flags with one dash, which are no flags here, into ours.
func respell(args []string) []string {
	singleDash := map[string]string{"-sys": "--system", "-ctk": "--kv", "-ctv": "--kv", "-fa": "--flash-attn", "-pg": "--pg",
		"-npl": "--npl", "-oe": "--output-err", "-jf": "--json-schema-file"}
	out := make([]string, len(args))
	flags := true
	for i, arg := range args {
		out[i] = arg
		if ours, ok := singleDash[arg]; ok && flags {
			out[i] = ours
		}
		flags = flags && arg != "--"
	}
	return out
}

// maxText bounds what is read from stdin or a text file: no context is longer.
const maxText = 64 << 20 // bytes

func readText(r io.Reader, name string) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxText {
		return "", fmt.Errorf("%s: found more than %d bytes of text", name, maxText)
	}
	return string(data), nil
}

func readTextFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readText(f, path)
}
