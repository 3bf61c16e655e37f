package packed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/internal/mapping"
	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// fixture is a file of weights and their panels.
type fixture struct {
	source          *gguf.File
	weights, panels []*tensor.Tensor
}

// writeModel writes a file of three matrices whose bytes follow from fill.
func writeModel(t *testing.T, path string, fill byte) {
	t.Helper()
	w := gguf.NewWriter()
	w.Set("general.architecture", "none")
	for _, m := range []struct {
		name string
		typ  quant.Type
		cols int
		rows int
	}{{"a.weight", quant.Q4_0, 64, 40}, {"b.weight", quant.F32, 32, 3}, {"c.weight", quant.Q4_K, 512, 17}} {
		f, err := quant.Lookup(m.typ)
		if err != nil {
			t.Fatal(err)
		}
		data := bytes.Repeat([]byte{fill, 0x21, 0x43, 0x15}, m.rows*f.RowBytes(m.cols)/4)
		w.AddTensor(m.name, m.typ, []int{m.cols, m.rows}, func(out io.Writer) error {
			_, err := out.Write(data)
			return err
		})
	}
	if err := w.WriteFile(path); err != nil {
		t.Fatal(err)
	}
}

// open packs a file; it skips where the instruction set in use has no panels.
func open(t *testing.T, path string) *fixture {
	t.Helper()
	source, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	pool := kernels.NewPool(1)
	var arena kernels.Arena
	t.Cleanup(func() {
		if err := errors.Join(arena.Free(), source.Close()); err != nil {
			t.Error(err)
		}
		pool.Close()
	})
	f := &fixture{source: source, weights: source.Tensors()}
	if kernels.PackedBytes(f.weights[0]) == 0 || !mapping.Available {
		t.Skip("this instruction set or system has no packed files")
	}
	for _, w := range f.weights {
		p, err := kernels.Pack(pool, w, &arena)
		if err != nil {
			t.Fatal(err)
		}
		f.panels = append(f.panels, p)
	}
	return f
}

func newFixture(t *testing.T, fill byte) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.gguf")
	writeModel(t, path, fill)
	return open(t, path)
}

func (f *fixture) write(t *testing.T, c *Cache) string {
	t.Helper()
	path, err := c.Write(t.Context(), f.source, f.weights, f.panels)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// check wants the panels' bytes back.
func (f *fixture) check(t *testing.T, c *Cache) {
	t.Helper()
	file, err := c.Open(f.source, f.weights)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i, got := range file.Tensors() {
		want := f.panels[i]
		if got.Name != want.Name || got.Type != want.Type || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("weight %d: %v, want the %d bytes of %v", i, got, len(want.Data), want)
		}
	}
}

func TestPanelsComeBack(t *testing.T) {
	f, c := newFixture(t, 1), &Cache{Dir: filepath.Join(t.TempDir(), "new", "folder")}
	if _, err := c.Open(f.source, f.weights); !errors.Is(err, ErrNone) {
		t.Fatalf("Open of an empty cache: %v", err)
	}
	path := f.write(t, c)
	f.check(t, c)
	list, err := c.List()
	if err != nil || len(list) != 1 || list[0].Path != path || list[0].Source != f.source.Path() {
		t.Errorf("list %+v, %v, want %s of %s", list, err, path, f.source.Path())
	}
	if err := c.Remove(f.source.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(f.source, f.weights); !errors.Is(err, ErrNone) {
		t.Errorf("Open after Remove: %v", err)
	}
}

// TestPreparedModelsAreTheSame wants a model's weights from the cache as they are packed in memory.
func TestPreparedModelsAreTheSame(t *testing.T) {
	source, err := gguf.Open(testdata.Shared(t, "models/stories260K-q8_0.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	pool := kernels.NewPool(2)
	defer pool.Close()
	c := &Cache{Dir: t.TempDir()}
	prepare := func() (*Panels, *models.Model) {
		m, err := models.Load(source)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare(c, pool, source, m)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		return p, m
	}
	first, packedModel := prepare()
	if path, err := first.Path(); path != "" || err != nil {
		t.Fatalf("the first has path %q, %v", path, err)
	}
	if first.Worth() {
		t.Error("a model of 300 kB is called worth a file")
	}
	saved, err := first.Save(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, mapped := prepare()
	if path, err := second.Path(); path != saved && mapping.Available || err != nil {
		t.Fatalf("the second has path %q, %v, want %q", path, err, saved)
	}
	for i, w := range mapped.Weights() {
		if want := packedModel.Weights()[i]; w.Type != want.Type || !bytes.Equal(w.Data, want.Data) {
			t.Errorf("%v differs from %v", w, want)
		}
	}
}

// TestDamageIsSeen changes every byte of the header, and cuts and lengthens the file: none of it is used, and the next
// Write repairs it.
func TestDamageIsSeen(t *testing.T) {
	f, c := newFixture(t, 1), &Cache{Dir: t.TempDir()}
	path := f.write(t, c)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := readHeaderOf(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, at int, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Open(f.source, f.weights); err == nil || errors.Is(err, ErrNone) || !strings.HasPrefix(err.Error(), "packed: ") {
			t.Errorf("%s %d: %v", what, at, err)
		}
	}
	for at := range len(h.encode()) {
		data := bytes.Clone(whole)
		data[at] ^= 0x81
		try("byte", at, data)
	}
	for _, n := range []int{0, 1, 15, 16, 100, len(h.encode()) - 1, len(h.encode()), len(whole) / 2, len(whole) - 1} {
		try("cut to", n, whole[:n])
	}
	try("longer by", 1, append(bytes.Clone(whole), 0))
	f.write(t, c)
	f.check(t, c)
}

// TestHeadersThatLie have a right checksum and wrong numbers.
func TestHeadersThatLie(t *testing.T) {
	const size = 1 << 20
	for _, l := range []struct {
		what   string
		change func(h *header)
	}{
		{"size of the file", func(h *header) { h.size++ }},
		{"a weight inside the header", func(h *header) { h.entries[0].offset = 64 }},
		{"a weight behind the file", func(h *header) { h.entries[0].offset = size }},
		{"a weight that ends behind the file", func(h *header) { h.entries[0].size = size }},
		{"a negative size", func(h *header) { h.entries[0].size = -1 }},
		{"a negative offset", func(h *header) { h.entries[0].offset = -64 }},
		{"an offset between cache lines", func(h *header) { h.entries[0].offset++ }},
	} {
		h := &header{size: size, source: "m", entries: []entry{{"w", quant.Q4_0 | quant.Packed, 4096, 64}}}
		if _, err := parseHeader(h.encode(), size); err != nil {
			t.Fatal(err)
		}
		l.change(h)
		if got, err := parseHeader(h.encode(), size); err == nil {
			t.Errorf("%s: accepted as %+v", l.what, got)
		}
	}
}

// TestWeightsThatDoNotFit are those of a file with the right key: another size or format of a weight, or none.
func TestWeightsThatDoNotFit(t *testing.T) {
	f, c := newFixture(t, 1), &Cache{Dir: t.TempDir()}
	for what, change := range map[string]func(p *tensor.Tensor){
		"name":   func(p *tensor.Tensor) { p.Name = "other" },
		"format": func(p *tensor.Tensor) { p.Type = quant.Q8_0 | quant.Packed },
		"size":   func(p *tensor.Tensor) { p.Data = p.Data[:64] },
	} {
		wrong := *f.panels[0]
		change(&wrong)
		if _, err := c.Write(t.Context(), f.source, f.weights, []*tensor.Tensor{&wrong, f.panels[1], f.panels[2]}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Open(f.source, f.weights); err == nil || !strings.Contains(err.Error(), "a.weight") {
			t.Errorf("another %s: %v", what, err)
		}
	}
}

// TestSamplesAreSpread wants the first weight, none twice, and no part of the model without one.
func TestSamplesAreSpread(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 155, 1000} {
		weights := make([]*tensor.Tensor, n)
		place := map[*tensor.Tensor]int{}
		for i := range weights {
			weights[i] = &tensor.Tensor{}
			place[weights[i]] = i
		}
		list := sampled(weights)
		last := -1
		for i, w := range list {
			if at := place[w]; i == 0 && at != 0 || at <= last || at-last > n/samples+1 {
				t.Errorf("sample %d of %d weights is weight %d, the one before %d", i, n, at, last)
			}
			last = place[w]
		}
		if len(list) != min(n, samples) || n-last > n/samples+2 {
			t.Errorf("%d samples of %d weights, the last of weight %d", len(list), n, last)
		}
	}
}

func TestChangedSourcesAreOthers(t *testing.T) {
	f, c := newFixture(t, 1), &Cache{Dir: t.TempDir()}
	f.write(t, c)
	path := f.source.Path()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	miss := func(what string) {
		t.Helper()
		g := open(t, path)
		if _, err := c.Open(g.source, g.weights); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v, want no packed file", what, err)
		}
	}
	if err := os.Chtimes(path, time.Time{}, info.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	miss("another time")
	f.source.Close() // Windows replaces no open file
	writeModel(t, path, 2)
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	miss("other weights of the same size and time")

	writeModel(t, path, 1)
	moved := filepath.Join(t.TempDir(), "elsewhere.gguf")
	if err := errors.Join(os.Chtimes(path, time.Time{}, info.ModTime()), os.Rename(path, moved)); err != nil {
		t.Fatal(err)
	}
	open(t, moved).check(t, c)
}

// TestLimit fills a cache that has room for two files.
func TestLimit(t *testing.T) {
	c := &Cache{Dir: t.TempDir()}
	var all []*fixture
	for i := range 3 {
		f := newFixture(t, byte(i+1))
		all = append(all, f)
		info, err := os.Stat(f.write(t, c))
		if err != nil {
			t.Fatal(err)
		}
		c.Limit = 2*info.Size() + 100
		old := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(c.path(mustKey(t, f)), old, old); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			all[0].check(t, c) // used now: the second is the oldest
		}
	}
	all[0].check(t, c)
	all[2].check(t, c)
	if _, err := c.Open(all[1].source, all[1].weights); !errors.Is(err, ErrNone) {
		t.Errorf("the file used longest ago: %v, want it gone", err)
	}
	c.Limit = 1000
	if _, err := c.Write(t.Context(), all[1].source, all[1].weights, all[1].panels); err == nil {
		t.Error("a file beyond the limit was written")
	}
	all[0].check(t, c) // nothing went for a file that cannot come
}

func mustKey(t *testing.T, f *fixture) key {
	t.Helper()
	k, err := keyOf(f.source, f.weights)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestUselessFilesGo: those of models that are gone, those of earlier states, those without a header, and what a process
// that died has left.
func TestUselessFilesGo(t *testing.T) {
	c := &Cache{Dir: t.TempDir()}
	gone := newFixture(t, 1)
	useless := []string{gone.write(t, c), filepath.Join(c.Dir, "damaged"+suffix), filepath.Join(c.Dir, "x"+unfinished)}
	if err := os.Remove(gone.source.Path()); err != nil {
		t.Skip("an open file cannot be deleted here")
	}
	for _, path := range useless[1:] {
		if err := errors.Join(os.WriteFile(path, []byte("nrt"), 0o644), os.Chtimes(path, time.Time{}, time.Now().Add(-2*abandoned))); err != nil {
			t.Fatal(err)
		}
	}
	fresh := filepath.Join(c.Dir, "y"+unfinished)
	if err := os.WriteFile(fresh, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, 2)
	f.write(t, c)
	f.check(t, c)
	for _, path := range useless {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("what another process may be writing: %v", err)
	}
}

// TestNoFolder has a file where the folder should be, and a folder that cannot be written.
func TestNoFolder(t *testing.T) {
	f := newFixture(t, 1)
	taken := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(taken, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{taken, filepath.Join(closed, "packed")} {
		c := &Cache{Dir: dir}
		if _, err := c.Open(f.source, f.weights); err == nil {
			t.Errorf("%s: a packed file was opened", dir)
		}
		if _, err := c.Write(t.Context(), f.source, f.weights, f.panels); err == nil && os.Getuid() != 0 {
			t.Errorf("%s: a packed file was written", dir)
		}
	}
}

// TestWritersAtOnce end with one whole file, and leave no other.
func TestWritersAtOnce(t *testing.T) {
	f, c := newFixture(t, 1), &Cache{Dir: t.TempDir()}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			// Windows lets no writer replace a file that another reads; that writer's error does no harm.
			_, _ = c.Write(context.Background(), f.source, f.weights, f.panels)
		})
	}
	all.Wait()
	f.check(t, c)
	if entries, err := os.ReadDir(c.Dir); err != nil || len(entries) != 1 {
		t.Errorf("%d files in the cache, %v, want 1", len(entries), err)
	}
}

// TestCancelledWriter leaves no file but the mark that keeps the next start from trying again, until one is complete.
func TestCancelledWriter(t *testing.T) {
	f, c := newFixture(t, 1), &Cache{Dir: t.TempDir()}
	k := mustKey(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Write(ctx, f.source, f.weights, f.panels); !errors.Is(err, context.Canceled) {
		t.Errorf("Write: %v", err)
	}
	if list, err := c.List(); err != nil || len(list) != 0 || !c.tooSlow(k) {
		t.Errorf("files %v are left, %v; too slow: %t", list, err, c.tooSlow(k))
	}
	old := time.Now().Add(-2 * retry)
	if err := os.Chtimes(c.slowPath(k), old, old); err != nil || c.tooSlow(k) {
		t.Errorf("the mark counts after a day, %v", err)
	}
	f.write(t, c)
	if entries, err := os.ReadDir(c.Dir); err != nil || len(entries) != 1 || c.tooSlow(k) {
		t.Errorf("%d files in the cache, %v, want the packed one", len(entries), err)
	}
}

// TestPieces wants every write but the last to be a whole piece.
func TestPieces(t *testing.T) {
	var sizes []int
	p := &pieces{ctx: t.Context(), to: writerFunc(func(b []byte) { sizes = append(sizes, len(b)) }), buf: make([]byte, 0, piece)}
	total := 0
	for _, n := range []int{1, piece - 1, 0, 3 * piece, piece + 5, 7} {
		if _, err := p.Write(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		total += n
	}
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	for i, n := range sizes {
		if n != piece && i < len(sizes)-1 {
			t.Errorf("write %d has %d bytes", i, n)
		}
		total -= n
	}
	if total != 0 {
		t.Errorf("%d bytes were lost", total)
	}
}

type writerFunc func([]byte)

func (w writerFunc) Write(b []byte) (int, error) { w(b); return len(b), nil }

// FuzzHeader wants an error or a header that says the same when it is written again.
func FuzzHeader(f *testing.F) {
	h := &header{source: "model.gguf", entries: []entry{{"a", quant.Q4_0 | quant.Packed, 0, 100}, {"b", quant.Q4_K | quant.Packed, 0, 64}}}
	h.layOut()
	f.Add(h.encode(), h.size)
	f.Add([]byte(magic), int64(8))
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		if h, err := parseHeader(data, size); err == nil {
			if !bytes.Equal(h.encode(), data) {
				t.Errorf("%x is read as %+v", data, h)
			}
		}
		sealed := reseal(data)
		if h, err := parseHeader(sealed, size); err == nil && !bytes.Equal(h.encode(), sealed) {
			t.Errorf("%x is read as %+v", sealed, h)
		}
	})
}

// reseal gives data its right checksum, so that fuzzing comes past it.
func reseal(data []byte) []byte {
	if len(data) < 32 {
		return data
	}
	return seal(data[:len(data)-32])
}
