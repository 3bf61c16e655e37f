// Package hub turns names into model files: a folder of GGUF files, and a table of short names that can be downloaded
// into it.
//
// The folder (the store) is $NRT_MODELS, or else "nrt/models" in the user's cache folder. Every file there that ends in
// .gguf is a model, whoever put it there.
//
// A file comes into the store whole or not at all: it is downloaded beside its place, its size and SHA-256 are held
// against the table, and only then does it get its name. No password or token is ever sent, and a redirect that leaves
// https is not followed. NRT_OFFLINE=1 forbids every download.
package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Store is a folder of model files.
type Store struct {
	dir  string
	root *os.Root // nothing outside the folder is reached through a name, not even by a link in it

	transport http.RoundTripper
	stall     time.Duration // a download that brings nothing for so long is given up
}

// Info describes one file of the store.
type Info struct {
	Name     string // its short name, or the file's
	File     string
	Path     string
	Size     int64 // bytes
	Modified time.Time
	Model    *Model // its row in the catalog; nil for a file of the user's own
}

// ErrNotFound is what errors.Is finds when the store does not hold a model.
var ErrNotFound = errors.New("not in the store")

// DefaultDir is $NRT_MODELS, or else nrt/models in the user's cache folder ($XDG_CACHE_HOME or ~/.cache on Linux,
// ~/Library/Caches on macOS, %LocalAppData% on Windows).
func DefaultDir() (string, error) {
	if dir := os.Getenv("NRT_MODELS"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("hub: no folder for models: %w; set NRT_MODELS to one", err)
	}
	return filepath.Join(cache, "nrt", "models"), nil
}

// Open opens the store in dir, "" for DefaultDir, and makes the folder where it is missing.
func Open(dir string) (*Store, error) {
	if dir == "" {
		var err error
		if dir, err = DefaultDir(); err != nil {
			return nil, err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("hub: store: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("hub: store: %w; set NRT_MODELS to a folder that can be written", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("hub: store: %w", err)
	}
	return &Store{dir: dir, root: root, transport: newTransport(), stall: 30 * time.Second}, nil
}

// Close gives the folder back.
func (s *Store) Close() error { return s.root.Close() }

// Dir is the store's folder.
func (s *Store) Dir() string { return s.dir }

// Path is where the model is, by its short name, its file, or its file without ".gguf". The error satisfies
// errors.Is(err, ErrNotFound) when the store does not hold it.
func (s *Store) Path(name string) (string, error) {
	info, err := s.Info(name)
	return info.Path, err
}

// Info describes a model of the store, found as Path finds it.
func (s *Store) Info(name string) (Info, error) {
	files, err := fileNames(name)
	if err != nil {
		return Info{}, err
	}
	for _, file := range files {
		st, err := s.root.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Info{}, fmt.Errorf("hub: %s: %w", name, err)
		}
		if !st.Mode().IsRegular() {
			return Info{}, fmt.Errorf("hub: %s: found %v, wanted a file", name, st.Mode())
		}
		return s.info(file, st), nil
	}
	return Info{}, fmt.Errorf("hub: %s: %w %s", name, ErrNotFound, s.dir)
}

func (s *Store) info(file string, st fs.FileInfo) Info {
	i := Info{Name: file, File: file, Path: filepath.Join(s.dir, file), Size: st.Size(), Modified: st.ModTime()}
	if m, ok := lookup(file); ok {
		i.Name, i.Model = m.Alias, &m
	}
	return i
}

// List is every model of the store, by file name.
func (s *Store) List() ([]Info, error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("hub: store: %w", err)
	}
	var list []Info
	for _, e := range entries {
		if !validName.MatchString(e.Name()) || !strings.HasSuffix(e.Name(), ".gguf") {
			continue
		}
		// Stat, not e.Info: a link to a file elsewhere in the store is a model too.
		if st, err := s.root.Stat(e.Name()); err == nil && st.Mode().IsRegular() {
			list = append(list, s.info(e.Name(), st))
		}
	}
	return list, nil
}

// Remove deletes a model from the store, and what was downloaded of it so far. The error satisfies errors.Is(err,
// ErrNotFound) when there was neither.
func (s *Store) Remove(name string) error {
	files, err := fileNames(name)
	if err != nil {
		return err
	}
	if m, ok := lookup(name); ok {
		files = append(files, m.part())
	}
	found := false
	for _, file := range files {
		switch err := s.root.Remove(file); {
		case err == nil:
			found = true
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("hub: %s: %w", name, err)
		}
	}
	if !found {
		return fmt.Errorf("hub: %s: %w %s", name, ErrNotFound, s.dir)
	}
	return nil
}

// validName is a name without separators, and no hidden file's.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,199}$`)

// fileNames are the files of the store that a name may mean.
func fileNames(name string) ([]string, error) {
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("hub: name: found %q, wanted letters, digits and . _ + - after a letter or digit", name)
	}
	if m, ok := lookup(name); ok {
		return []string{m.File}, nil
	}
	if strings.HasSuffix(name, ".gguf") {
		return []string{name}, nil
	}
	return []string{name + ".gguf"}, nil
}
