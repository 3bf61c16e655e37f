// Package packed keeps a model's weights on disk in the order in which kernels read them. A model that is opened again
// maps that file and has nothing to pack; models that wait for their turn stand in the system's page cache, not in the
// process.
//
// A packed file belongs to one state of one model file: its name is a checksum over the parts' sizes and times of
// change, the weights' names, formats and shapes, samples of their bytes, and the layout of the panels. Reading the
// whole model for a checksum would cost more than packing it; whoever changes a file and wants not to be seen has to set
// back its time and leave the samples alone. What does not fit the model, is cut or is damaged in its index is never
// used, and written anew. The weights' own bytes are not summed: any of them are safe to compute with.
//
// Keeping packed files is never a condition: whatever goes wrong with them, a model is packed in memory.
package packed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/internal/mapping"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// DefaultLimit bounds the bytes of all packed files of a cache.
const DefaultLimit = 16 << 30

// leastBytes is the size below which a model is not worth a file: it is packed in a few milliseconds.
const leastBytes = 16 << 20

const suffix = ".packed"

// Cache is a folder of packed files. It is made when the first one is written.
type Cache struct {
	Dir   string
	Limit int64 // bytes of all files together; 0 is DefaultLimit
}

// File is the packed weights of an open model.
type File struct {
	path    string
	tensors []*tensor.Tensor
	release func() error
}

// ErrNone is what errors.Is finds where a model's weights are not in the cache.
var ErrNone = errors.New("no packed file")

// Open maps the packed file of source's weights. The error of one that is missing satisfies errors.Is(err, ErrNone); any
// other says what is wrong with it.
func (c *Cache) Open(source *gguf.File, weights []*tensor.Tensor) (*File, error) {
	if !mapping.Available {
		return nil, ErrNone
	}
	key, err := keyOf(source, weights)
	if err != nil {
		return nil, err
	}
	path := c.path(key)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("packed: %w", err)
	}
	defer f.Close() // a mapping outlives its descriptor
	h, err := readHeader(f)
	if err != nil {
		return nil, fmt.Errorf("packed: %s: %w", path, err)
	}
	if h.key != key {
		return nil, fmt.Errorf("packed: %s: found the weights of another model, wanted those of %s", path, source.Path())
	}
	file := &File{path: path}
	if err := file.bind(f, h, weights); err != nil {
		return nil, errors.Join(fmt.Errorf("packed: %s: %w", path, err), file.Close())
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // the file that was used longest ago is the first to go
	return file, nil
}

// bind maps the file and takes the weights' place from its index.
func (file *File) bind(f *os.File, h *header, weights []*tensor.Tensor) (err error) {
	if h.size != int64(int(h.size)) {
		return fmt.Errorf("found %d bytes, wanted a file that fits this machine's address space", h.size)
	}
	var data []byte
	if data, file.release, err = mapping.Map(f, int(h.size)); err != nil {
		return err
	}
	mapping.Bring(data)
	byName := make(map[string]entry, len(h.entries))
	for _, e := range h.entries {
		byName[e.name] = e
	}
	for _, w := range weights {
		size := kernels.PackedBytes(w)
		if size == 0 {
			file.tensors = append(file.tensors, w)
			continue
		}
		e, want := byName[w.Name], w.Type|quant.Packed
		if e.typ != want || e.size != int64(size) {
			return fmt.Errorf("found %d bytes of type %v for %s, wanted %d of %v", e.size, e.typ, w.Name, size, want)
		}
		file.tensors = append(file.tensors, &tensor.Tensor{Name: w.Name, Type: want, Shape: w.Shape,
			Data: data[e.offset : e.offset+e.size : e.offset+e.size]})
	}
	return nil
}

// Tensors are the weights that Open was asked for, in that order: packed, or the source's own where the instruction set
// in use has no panels for them.
func (file *File) Tensors() []*tensor.Tensor { return file.tensors }

// Path is where the file is.
func (file *File) Path() string { return file.path }

// Close ends all tensors.
func (file *File) Close() error {
	if file.release == nil {
		return nil
	}
	release := file.release
	file.release = nil
	return release()
}

func (c *Cache) path(k key) string { return filepath.Join(c.Dir, k.String()+suffix) }

// Info describes a packed file.
type Info struct {
	Path   string
	Source string // the model it was made of
	Bytes  int64
	Used   time.Time // last
}

// List is every packed file, the one used longest ago first. A file whose header cannot be read has no source.
func (c *Cache) List() ([]Info, error) {
	entries, err := os.ReadDir(c.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("packed: %w", err)
	}
	var list []Info
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		i := Info{Path: filepath.Join(c.Dir, e.Name()), Bytes: info.Size(), Used: info.ModTime()}
		if h, err := readHeaderOf(i.Path); err == nil {
			i.Source = h.source
		}
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b Info) int { return a.Used.Compare(b.Used) })
	return list, nil
}

// Remove deletes the packed files that were made of a model file.
func (c *Cache) Remove(source string) error {
	source, err := filepath.Abs(source)
	if err != nil {
		return fmt.Errorf("packed: %w", err)
	}
	list, err := c.List()
	if err != nil {
		return err
	}
	var errs []error
	for _, i := range list {
		if i.Source == source {
			errs = append(errs, os.Remove(i.Path))
		}
	}
	return errors.Join(errs...)
}
