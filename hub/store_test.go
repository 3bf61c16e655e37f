package hub

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, s *Store, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir(), name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestListInfoRemove(t *testing.T) {
	m := useCatalog(t, file)
	s := openStore(t)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Fatalf("an empty store lists %v, %v", list, err)
	}
	write(t, s, m.File, content)
	write(t, s, "mine.gguf", []byte("GGUF"))
	write(t, s, "notes.txt", nil)
	write(t, s, ".hidden.gguf", nil)
	write(t, s, m.part(), nil)
	if err := os.Mkdir(filepath.Join(s.Dir(), "folder.gguf"), 0o755); err != nil {
		t.Fatal(err)
	}
	list, err := s.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("List = %v, %v; wanted two models", list, err)
	}
	tiny, mine := list[0], list[1]
	if tiny.Name != "tiny" || tiny.File != m.File || tiny.Size != m.Size || tiny.Model == nil || tiny.Model.SHA256 != m.SHA256 {
		t.Errorf("listed %+v", tiny)
	}
	if mine.Name != "mine.gguf" || mine.Size != 4 || mine.Model != nil || mine.Modified.IsZero() {
		t.Errorf("listed %+v", mine)
	}
	for name, want := range map[string]string{"tiny": m.File, m.File: m.File, "mine": "mine.gguf", "mine.gguf": "mine.gguf"} {
		if path, err := s.Path(name); err != nil || path != filepath.Join(s.Dir(), want) {
			t.Errorf("Path(%q) = %q, %v", name, path, err)
		}
	}
	for _, name := range []string{"mine", "tiny"} {
		if err := s.Remove(name); err != nil {
			t.Errorf("Remove(%q): %v", name, err)
		}
		if err := s.Remove(name); !errors.Is(err, ErrNotFound) {
			t.Errorf("Remove(%q) again: %v", name, err)
		}
		if _, err := s.Path(name); !errors.Is(err, ErrNotFound) {
			t.Errorf("Path(%q) after Remove: %v", name, err)
		}
	}
	mustBeTidy(t, s, ".hidden.gguf", "folder.gguf", "notes.txt")
	if _, err := s.Path("folder"); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("Path of a folder: %v", err)
	}
}

func TestNamesDoNotEscape(t *testing.T) {
	s := openStore(t)
	outside := filepath.Join(filepath.Dir(s.Dir()), "outside.gguf")
	if err := os.WriteFile(outside, content, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", "../outside", "../outside.gguf", outside, "a/b", `a\b`, "C:x", "-x", "a\x00b",
		"a b", strings.Repeat("a", 300)} {
		if _, err := s.Path(name); err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "hub: name: found") {
			t.Errorf("Path(%q): %v", name, err)
		}
		if err := s.Remove(name); err == nil {
			t.Errorf("Remove(%q) succeeded", name)
		}
		if _, err := s.Get(t.Context(), name, nil); err == nil {
			t.Errorf("Get(%q) succeeded", name)
		}
	}
	if err := os.Symlink(outside, filepath.Join(s.Dir(), "link.gguf")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if path, err := s.Path("link"); err == nil {
		t.Errorf("a link out of the store leads to %s", path)
	}
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("a link out of the store is listed: %v, %v", list, err)
	}
}

func TestGetUnknown(t *testing.T) {
	useCatalog(t, file)
	s := openStore(t)
	_, err := s.Get(t.Context(), "huge", nil)
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "models that can be downloaded: tiny") {
		t.Errorf("Get of an unknown model: %v", err)
	}
	write(t, s, "Tiny-1.gguf", []byte("GGUF"))
	if _, err := s.Get(t.Context(), "tiny", nil); err == nil || !strings.Contains(err.Error(), "found 4 bytes in "+s.Dir()) {
		t.Errorf("Get of a model whose file is another: %v", err)
	}
}

func TestDefaultDir(t *testing.T) {
	t.Setenv("NRT_MODELS", "/some/where")
	if dir, err := DefaultDir(); err != nil || dir != "/some/where" {
		t.Errorf("DefaultDir = %q, %v; wanted $NRT_MODELS", dir, err)
	}
	t.Setenv("NRT_MODELS", "")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	if dir, err := DefaultDir(); err != nil || dir != filepath.Join(cache, "nrt", "models") {
		t.Errorf("DefaultDir = %q, %v", dir, err)
	}
}

func TestOpenRefusesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	os.WriteFile(path, nil, 0o644)
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "hub: store: ") {
		t.Errorf("Open of a file: %v", err)
	}
}

// TestCatalog holds every row to what Get relies on.
func TestCatalog(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Catalog() {
		for _, name := range []string{m.Alias, m.File} {
			if !validName.MatchString(name) || seen[name] {
				t.Errorf("%s: not a name, or twice", name)
			}
			seen[name] = true
		}
		if !strings.HasSuffix(m.File, ".gguf") || strings.HasSuffix(m.Alias, ".gguf") {
			t.Errorf("%s: file %s", m.Alias, m.File)
		}
		if b, err := hex.DecodeString(m.SHA256); err != nil || len(b) != 32 || strings.ToLower(m.SHA256) != m.SHA256 {
			t.Errorf("%s: SHA-256 %q", m.Alias, m.SHA256)
		}
		if m.Size < 1 || m.Description == "" || m.License == "" || len(m.Sources) == 0 {
			t.Errorf("%s: incomplete: %+v", m.Alias, m)
		}
		for _, s := range m.Sources {
			if h, ok := s.(HubFile); ok && len(h.Revision) != 40 {
				t.Errorf("%s: %s: revision %q may move, wanted a commit", m.Alias, h, h.Revision)
			}
		}
	}
}
