package packed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/hub"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// spare is what a packed file leaves free of a disk, bytes.
const spare = 1 << 30

// piece is how much is written at a time, at a multiple of it: Linux then keeps the file in huge pages in its page cache
// and maps it in huge pages.
const piece = 2 << 20

// Write keeps the panels of a model, in the order of the weights that they were made of. Files of the same source's
// earlier states are deleted, and those used longest ago until the cache is within its limit. Until it is whole the file
// has another name. A ctx that ends stops the writing; Panels are then not Worth another try for a day.
func (c *Cache) Write(ctx context.Context, source *gguf.File, weights, panels []*tensor.Tensor) (path string, err error) {
	h := &header{source: sourcePath(source)}
	for _, p := range panels {
		if p.Type&quant.Packed != 0 {
			h.entries = append(h.entries, entry{name: p.Name, typ: p.Type, size: int64(len(p.Data))})
		}
	}
	h.layOut()
	if h.key, err = keyOf(source, weights); err != nil {
		return "", err
	}
	if err := c.makeRoom(h); err != nil {
		return "", err
	}
	temp, err := os.CreateTemp(c.Dir, h.key.String()+".*"+unfinished)
	if err != nil {
		return "", fmt.Errorf("packed: %w", err)
	}
	path = c.path(h.key)
	err = fill(ctx, temp, h, panels)
	if err == nil {
		err = source.Check() // what was packed may have been changed meanwhile
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		if ctx.Err() != nil {
			_ = os.WriteFile(c.slowPath(h.key), nil, 0o644)
		}
		return "", errors.Join(fmt.Errorf("packed: %w", err), os.Remove(temp.Name()))
	}
	_ = os.Remove(c.slowPath(h.key))
	return path, nil
}

// slowPath is a file that says that a writer was stopped: a disk that is too slow for what a process has time for is not
// to be tried again at every start.
func (c *Cache) slowPath(k key) string { return filepath.Join(c.Dir, k.String()+slow) }

// tooSlow tells whether a writer was stopped lately.
func (c *Cache) tooSlow(k key) bool {
	info, err := os.Stat(c.slowPath(k))
	return err == nil && time.Since(info.ModTime()) < retry
}

// fill leaves f complete, on the disk, readable for others as far as a new file usually is, and closed.
func fill(ctx context.Context, f *os.File, h *header, panels []*tensor.Tensor) (err error) {
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	out := &pieces{ctx: ctx, to: f, buf: make([]byte, 0, piece)}
	start, err := out.Write(h.encode())
	if err != nil {
		return err
	}
	at, next := int64(start), 0
	for _, p := range panels {
		if p.Type&quant.Packed == 0 {
			continue
		}
		e := h.entries[next]
		next++
		for _, part := range [][]byte{make([]byte, e.offset-at), p.Data} {
			if _, err := out.Write(part); err != nil {
				return err
			}
		}
		at = e.offset + e.size
	}
	if err := out.flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil && runtime.GOOS != "windows" {
		return err
	}
	return f.Sync()
}

// pieces writes whole pieces, however long the parts that come.
type pieces struct {
	ctx context.Context
	to  io.Writer
	buf []byte
}

func (p *pieces) Write(data []byte) (int, error) {
	n := len(data)
	for len(data) > 0 {
		room := min(piece-len(p.buf), len(data))
		p.buf = append(p.buf, data[:room]...)
		data = data[room:]
		if len(p.buf) == piece {
			if err := p.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

func (p *pieces) flush() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	_, err := p.to.Write(p.buf)
	p.buf = p.buf[:0]
	return err
}

// The ends of the names of files that are no packed ones.
const unfinished, slow = ".part", ".slow"

// makeRoom makes the folder and deletes what has to go for a file of h's size: what a process that died has left, files
// of the same source, then those used longest ago.
func (c *Cache) makeRoom(h *header) error {
	limit := c.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if h.size > limit {
		return fmt.Errorf("packed: found %d bytes of weights, wanted at most %d, the limit of the cache", h.size, limit)
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return fmt.Errorf("packed: %w", err)
	}
	c.sweep()
	list, err := c.List()
	if err != nil {
		return err
	}
	own := c.path(h.key) // will be replaced
	list = slices.DeleteFunc(list, func(i Info) bool { return i.Path == own })
	total := h.size
	for _, i := range list {
		total += i.Bytes
	}
	for _, useless := range []bool{true, false} {
		for _, i := range list {
			if useless && i.useless(h) || !useless && total > limit {
				if os.Remove(i.Path) == nil { // a file that is mapped goes when its process ends, on Windows not at all
					total -= i.Bytes
				}
			}
		}
	}
	if free, known := hub.FreeBytes(c.Dir); known && free < h.size+spare {
		return fmt.Errorf("packed: found %d MB free in %s, wanted %d MB", free>>20, c.Dir, (h.size+spare)>>20)
	}
	return nil
}

// useless tells of a file that nothing can use any more: its model is gone, or it is what h replaces.
func (i *Info) useless(h *header) bool {
	if i.Source == "" || i.Source == h.source {
		return true
	}
	_, err := os.Stat(i.Source)
	return errors.Is(err, fs.ErrNotExist)
}

// abandoned is the age at which an unfinished file is nobody's, retry the time after a writer that was stopped.
const abandoned, retry = time.Hour, 24 * time.Hour

// sweep deletes what processes that died have left.
func (c *Cache) sweep() {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return // List says it
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		age := time.Since(info.ModTime())
		if strings.HasSuffix(e.Name(), unfinished) && age > abandoned || strings.HasSuffix(e.Name(), slow) && age > retry {
			_ = os.Remove(filepath.Join(c.Dir, e.Name()))
		}
	}
}
