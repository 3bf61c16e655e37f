// Package gguf reads and writes GGUF model files, v2 and v3, little-endian, in one part or split into many.
//
// Open checks every count, length, shape and offset against the file's size before it allocates or touches anything
// for it, and maps the weights. Since a mapping reads from a file that others may cut, whoever reads a tensor's Data
// does so inside tensor.Guard, in each goroutine of his own.
//
// The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
package gguf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/nrt-go/nrt/internal/mapping"
	"github.com/nrt-go/nrt/tensor"
)

// The keys that the file format itself gives a meaning.
const (
	keyAlignment    = "general.alignment"
	keySplitNo      = "split.no"
	keySplitCount   = "split.count"
	keySplitTensors = "split.tensors.count"
)

// File is an open model: its metadata, and views of its weights. It may be used by many goroutines at once; Close
// ends all its tensors.
type File struct {
	path    string
	version uint32
	metadata
	parts   []*part
	tensors []*tensor.Tensor
	byName  map[string]*tensor.Tensor
}

// Option changes how Open works.
type Option func(*options)

type options struct{ noMap bool }

// NoMap copies the weights into memory instead of mapping them: a file that is cut later does no harm.
func NoMap() Option { return func(o *options) { o.noMap = true } }

// Open opens a model; of a split one, path names any part and all are opened. Metadata are those of the first part.
// The error is an *Error, or the *fs.PathError of a file that cannot be opened.
func Open(path string, opts ...Option) (*File, error) {
	var o options
	for _, set := range opts {
		set(&o)
	}
	f := &File{path: path}
	if err := f.open(o); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *File) open(o options) error {
	if err := f.openParts(); err != nil {
		return err
	}
	f.version = f.parts[0].head.version
	f.metadata = f.parts[0].head.metadata
	for _, p := range f.parts {
		if err := p.bring(o); err != nil {
			return err
		}
	}
	if err := f.view(); err != nil {
		return err
	}
	return f.Check()
}

// view makes the tensors of all parts.
func (f *File) view() error {
	n := 0
	for _, p := range f.parts {
		n += len(p.head.tensors)
	}
	f.tensors = make([]*tensor.Tensor, 0, n)
	f.byName = make(map[string]*tensor.Tensor, n)
	for _, p := range f.parts {
		for i := range p.head.tensors {
			t := p.view(i)
			if _, twice := f.byName[t.Name]; twice {
				return &Error{Path: p.path, Field: "tensor " + quoted(t.Name), Offset: p.head.tensors[i].record,
					Found: "it in an earlier part too", Want: "every tensor once"}
			}
			f.tensors = append(f.tensors, t)
			f.byName[t.Name] = t
		}
	}
	return nil
}

// Close releases the weights: no tensor of the file may be read any more. A second Close does nothing.
func (f *File) Close() error {
	var errs []error
	for _, p := range f.parts {
		errs = append(errs, p.close())
	}
	return errors.Join(errs...)
}

// Path is the path that was opened.
func (f *File) Path() string { return f.path }

// Version is the GGUF version, 2 or 3.
func (f *File) Version() uint32 { return f.version }

// Size is the bytes of all parts together.
func (f *File) Size() int64 {
	var n int64
	for _, p := range f.parts {
		n += p.info.Size()
	}
	return n
}

// Infos is what the parts were when they were opened.
func (f *File) Infos() []fs.FileInfo {
	infos := make([]fs.FileInfo, len(f.parts))
	for i, p := range f.parts {
		infos[i] = p.info
	}
	return infos
}

// Tensors is every tensor in file order. The slice and what it points to are the File's own.
func (f *File) Tensors() []*tensor.Tensor { return f.tensors }

// Tensor finds a tensor by name; the error of one that is not there satisfies errors.Is(err, ErrMissing).
func (f *File) Tensor(name string) (*tensor.Tensor, error) {
	if t, ok := f.byName[name]; ok {
		return t, nil
	}
	return nil, &Error{Path: f.path, Field: "tensor " + quoted(name), Offset: -1, Err: ErrMissing}
}

// Check compares the open file with what it was when Open checked it. ErrChanged means that size or time differ: the
// weights cannot be trusted. ErrReplaced means that the path leads elsewhere while the open file is still whole. It
// costs two system calls a part.
func (f *File) Check() error {
	var replaced error
	for _, p := range f.parts {
		err := p.check()
		if errors.Is(err, ErrReplaced) {
			replaced = err
		} else if err != nil {
			return err
		}
	}
	return replaced
}

// part is one file of a model.
type part struct {
	path string
	file *os.File
	info fs.FileInfo // when it was opened
	head *header

	data    []byte // the file from base on
	base    int64
	release func() error // gives data back; nil where the garbage collector does
}

// openPart opens and checks one file; its weights stay where they are until bring.
func openPart(path string) (*part, error) {
	info, err := os.Stat(path) // before opening: opening a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{Path: path, Offset: -1, Found: "a " + info.Mode().Type().String(), Want: "a regular file"}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p := &part{path: path, file: file}
	if p.info, err = file.Stat(); err == nil {
		p.head, err = parse(file, p.info.Size(), path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return p, nil
}

// bring maps or copies the weights. A part without tensors needs neither.
func (p *part) bring(o options) (err error) {
	if len(p.head.tensors) == 0 {
		return nil
	}
	if p.head.end != int64(int(p.head.end)) {
		return &Error{Path: p.path, Offset: -1, Found: fmt.Sprintf("%d bytes", p.head.end), Want: "a file that fits this machine's address space"}
	}
	if !o.noMap && mapping.Available {
		p.data, p.release, err = mapping.Map(p.file, int(p.head.end))
	} else {
		p.base = p.head.start
		p.data, err = copyFile(p.file, p.base, p.head.end-p.base)
	}
	if err != nil {
		return &Error{Path: p.path, Field: "weights", Offset: p.base, Err: err}
	}
	return nil
}

// copyFile reads n bytes from an offset on. The limit stands in for the memory that there is, which nobody can ask
// for: a file may be nothing but a hole, and running out of memory ends a process.
func copyFile(f *os.File, from, n int64) ([]byte, error) {
	limit := int64(maxCopy)
	if runtime.GOARCH == "wasm" {
		limit = maxCopyWasm
	}
	if n > limit {
		return nil, fmt.Errorf("found %d bytes to copy, want at most %d: map the file instead", n, limit)
	}
	data := make([]byte, n)
	if got, err := f.ReadAt(data, from); got < len(data) {
		return nil, fmt.Errorf("read %d of %d bytes: %w", got, n, err)
	}
	return data, nil
}

// view is the part's i-th tensor; the header has been checked, so the slice is inside data.
func (p *part) view(i int) *tensor.Tensor {
	t := &p.head.tensors[i]
	from := t.offset - p.base
	return &tensor.Tensor{Name: t.name, Type: t.typ, Shape: t.shape, Data: p.data[from : from+t.size : from+t.size]}
}

func (p *part) check() error {
	now, err := p.file.Stat()
	if err != nil {
		return &Error{Path: p.path, Offset: -1, Err: err}
	}
	if now.Size() != p.info.Size() {
		return &Error{Path: p.path, Field: "size", Offset: -1, Found: fmt.Sprintf("%d bytes", now.Size()),
			Want: fmt.Sprintf("the %d bytes that were opened", p.info.Size()), Err: ErrChanged}
	}
	if !now.ModTime().Equal(p.info.ModTime()) {
		return &Error{Path: p.path, Field: "time of change", Offset: -1, Found: now.ModTime().String(),
			Want: p.info.ModTime().String(), Err: ErrChanged}
	}
	if named, err := os.Stat(p.path); err != nil || !os.SameFile(named, p.info) {
		return &Error{Path: p.path, Offset: -1, Err: ErrReplaced}
	}
	return nil
}

func (p *part) close() error {
	err := p.file.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	if p.release != nil {
		err = errors.Join(p.release(), err)
	}
	return err
}
