// Package requant turns a GGUF file into the same model in other number formats.
//
// A mixture names the result, as llama.cpp's users know it: Q4_K_M is Q4_K for most matrices and Q6_K for those that
// suffer most. Plan says which format each tensor would get; Run writes the file and reports what it cost.
package requant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// Options of Run. The zero value of each but Mixture is a good default.
type Options struct {
	Mixture  string
	Threads  int                                        // 0: as many as Go uses
	Progress func(done, total int64, tensorName string) // bytes of the source's weights; called by one goroutine at a time
}

// quantizationVersion is general.quantization_version, the generation of block layouts.
const quantizationVersion = 2

// Run writes f's model to path in another mixture, tensor by tensor: memory stays small. Metadata are kept, but for
// general.file_type and general.quantization_version; a split model becomes one file. path is complete when Run
// returns without an error, and untouched when it returns one or ctx ends.
func Run(ctx context.Context, f *gguf.File, path string, opts Options) (Report, error) {
	m, err := find(opts.Mixture)
	if err != nil {
		return Report{}, err
	}
	if same(path, f.Path()) {
		return Report{}, fmt.Errorf("requant: %s is the file that is read; write to another", path)
	}
	choices, err := Plan(f, m.name)
	if err != nil {
		return Report{}, err
	}
	r := run{ctx: ctx, file: f, opts: opts, report: Report{Source: f.Path(), Target: path, Mixture: m.name}}
	if r.opts.Threads < 1 {
		r.opts.Threads = runtime.GOMAXPROCS(0)
	}
	w := gguf.NewWriter()
	for _, key := range f.Keys() {
		if v, ok := f.Value(key); ok && !strings.HasPrefix(key, "split.") {
			w.Set(key, v)
		}
	}
	w.Set("general.quantization_version", uint32(quantizationVersion))
	w.Set("general.file_type", m.fileType)
	for i, t := range f.Tensors() {
		r.total += int64(len(t.Data))
		c := choices[i]
		w.AddTensor(t.Name, c.To, t.Shape, func(dst io.Writer) error { return r.tensor(dst, t, c) })
	}
	if err := w.WriteFile(path); err != nil {
		return Report{}, fmt.Errorf("requant: %w", err)
	}
	r.report.Error = r.all.error()
	return r.report, nil
}

// run is the state of one Run.
type run struct {
	ctx         context.Context
	file        *gguf.File
	opts        Options
	report      Report
	all         tally
	done, total int64 // source bytes
}

// tensor writes one tensor and its line of the report.
func (r *run) tensor(dst io.Writer, t *tensor.Tensor, c Choice) error {
	from, err := quant.Lookup(c.From)
	if err != nil {
		return err
	}
	to, err := quant.Lookup(c.To)
	if err != nil {
		return err
	}
	progress := func(bytes int64) {
		r.done += bytes
		if r.opts.Progress != nil {
			r.opts.Progress(r.done, r.total, t.Name)
		}
	}
	var sum tally
	if c.From == c.To {
		err = copyBytes(r.ctx, dst, t, progress)
	} else {
		work := conversion{t: t, from: from, to: to, threads: r.opts.Threads, progress: progress}
		sum, err = work.write(r.ctx, dst)
	}
	// The file may have been overwritten in place while it was read: what was written is then worth nothing.
	if check := r.file.Check(); check != nil && !errors.Is(check, gguf.ErrReplaced) {
		err = errors.Join(err, check)
	}
	if err != nil {
		return err
	}
	r.add(t, c, from, sum)
	return nil
}

// add appends a tensor's line.
func (r *run) add(t *tensor.Tensor, c Choice, from *quant.Format, sum tally) {
	to, _ := quant.Lookup(c.To)
	line := TensorReport{
		Name: t.Name, Shape: slices.Clone(t.Shape), From: c.From.String(), To: c.To.String(),
		BytesBefore: int64(len(t.Data)), BytesAfter: int64(to.RowBytes(t.Cols())) * int64(t.Rows()),
		Error: sum.error(), Requantized: c.From != c.To && from.Block > 1,
	}
	if line.Requantized {
		r.report.Requantized++
	}
	if c.Wanted != c.To {
		line.Fallback = c.Wanted.String()
		r.report.Fallbacks++
	}
	r.report.Weights += int64(t.Elems())
	r.report.BytesBefore += line.BytesBefore
	r.report.BytesAfter += line.BytesAfter
	r.report.Tensors = append(r.report.Tensors, line)
	r.all.add(sum)
}

// same says whether both paths lead to one file.
func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
