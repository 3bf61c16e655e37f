package models

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nrt-go/nrt/gguf"
)

// LoadError is everything that is wrong with a model file, one problem a line.
type LoadError struct {
	Path     string
	Problems []error
}

// maxShown bounds a message; a file that is not a model at all lacks hundreds of tensors.
const maxShown = 12

func (e *LoadError) Error() string {
	lines := make([]string, 0, maxShown+1)
	for i, p := range e.Problems {
		if i == maxShown {
			lines = append(lines, fmt.Sprintf("models: %q: and %d problems more", e.Path, len(e.Problems)-maxShown))
			break
		}
		line := p.Error()
		if !strings.HasPrefix(line, "gguf: ") { // those name the file themselves
			line = fmt.Sprintf("models: %q: %s", e.Path, line)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.Is and errors.As every problem.
func (e *LoadError) Unwrap() []error { return e.Problems }

// reader reads metadata and tensors and collects the problems it finds on the way.
type reader struct {
	f        *gguf.File
	prefix   string // "llama."
	problems []error
}

func (r *reader) problem(err error) { r.problems = append(r.problems, err) }

func (r *reader) problemf(format string, args ...any) { r.problem(fmt.Errorf(format, args...)) }

func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &LoadError{Path: r.f.Path(), Problems: r.problems}
}

func (r *reader) has(key string) bool { return r.f.Has(r.prefix + key) }

// int is the integer of a key, from low to high; a problem and 0 otherwise.
func (r *reader) int(key string, low, high int) int {
	n, err := r.f.Int(r.prefix + key)
	if err != nil {
		r.problem(err)
		return 0
	}
	if n < int64(low) || n > int64(high) {
		r.problemf("%s%s is %d, want %d to %d", r.prefix, key, n, low, high)
		return 0
	}
	return int(n)
}

// intOr is int for a key that may be missing.
func (r *reader) intOr(key string, missing, low, high int) int {
	if !r.has(key) {
		return missing
	}
	return r.int(key, low, high)
}

// float is the number of a key, from low to high; a problem and 0 otherwise.
func (r *reader) float(key string, low, high float64) float64 {
	x, err := r.f.Float(r.prefix + key)
	if err != nil {
		r.problem(err)
		return 0
	}
	if !(x >= low && x <= high) { // so that NaN is out of range
		r.problemf("%s%s is %g, want %g to %g", r.prefix, key, x, low, high)
		return 0
	}
	return x
}

func (r *reader) floatOr(key string, missing, low, high float64) float64 {
	if !r.has(key) {
		return missing
	}
	return r.float(key, low, high)
}

// stringOr is the text of a key that may be missing.
func (r *reader) stringOr(key, missing string) string {
	s, err := r.f.String(r.prefix + key)
	if errors.Is(err, gguf.ErrMissing) {
		return missing
	}
	if err != nil {
		r.problem(err)
	}
	return s
}
