package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// content is the file of the tests' one model, "tiny".
var content = bytes.Repeat([]byte("GGUF and then some. "), 5000)

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// useCatalog makes the catalog one model, content, with these sources.
func useCatalog(t *testing.T, sources ...Source) Model {
	t.Helper()
	m := Model{Alias: "tiny", File: "Tiny-1.gguf", Size: int64(len(content)), SHA256: sum(content), Sources: sources}
	old := catalog
	catalog = []Model{m}
	t.Cleanup(func() { catalog = old })
	return m
}

func openStore(t *testing.T) *Store {
	t.Helper()
	t.Setenv("NRT_OFFLINE", "")
	s, err := Open(filepath.Join(t.TempDir(), "models"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// serve starts an https server that the store takes for the hub.
func serve(t *testing.T, s *Store, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewTLSServer(h)
	t.Cleanup(srv.Close)
	s.transport = srv.Client().Transport
	t.Setenv("HF_ENDPOINT", srv.URL+"/")
	return srv
}

var file = HubFile{Repo: "who/what", Revision: "abc", Path: "dir/Tiny-1.gguf"}

// whole serves content as a web server does, ranges and all.
func whole(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "x.bin", time.Time{}, bytes.NewReader(content))
}

func mustHold(t *testing.T, s *Store, m Model) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(s.Dir(), m.File))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("the store holds %d bytes, %v; wanted the model's %d", len(got), err, len(content))
	}
	mustBeTidy(t, s, m.File)
}

// mustBeTidy holds the folder to these files and no leftovers.
func mustBeTidy(t *testing.T, s *Store, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("the store's folder holds %q, wanted %q", names, want)
	}
}

func TestGet(t *testing.T) {
	m := useCatalog(t, file)
	s := openStore(t)
	requests := 0
	serve(t, s, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.URL.Path != "/who/what/resolve/abc/dir/Tiny-1.gguf" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		for _, h := range []string{"Authorization", "Cookie", "Range"} {
			if v := r.Header.Get(h); v != "" {
				t.Errorf("sent %s: %s", h, v)
			}
		}
		whole(w, r)
	})
	var last Progress
	path, err := s.Get(t.Context(), "tiny", func(p Progress) {
		if p.Done > p.Total {
			t.Errorf("progress %+v", p)
		}
		last = p
	})
	if err != nil || path != filepath.Join(s.Dir(), m.File) {
		t.Fatalf("Get = %q, %v", path, err)
	}
	mustHold(t, s, m)
	if last.Done != m.Size || last.Total != m.Size || !strings.HasPrefix(last.Message, "checking") {
		t.Errorf("last progress %+v, wanted all of the check", last)
	}
	for _, name := range []string{"tiny", "Tiny-1.gguf"} {
		if again, err := s.Get(t.Context(), name, nil); err != nil || again != path {
			t.Errorf("Get(%q) again = %q, %v", name, again, err)
		}
	}
	if requests != 1 {
		t.Errorf("%d requests, wanted 1", requests)
	}
}

// TestResume: a connection that is cut is taken up where it ended; so is a download of an earlier call.
func TestResume(t *testing.T) {
	m := useCatalog(t, file)
	s := openStore(t)
	var ranges []string
	serve(t, s, func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range"))
		switch len(ranges) {
		case 1: // 30,000 bytes, then the end
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			w.Write(content[:30_000])
			panic(http.ErrAbortHandler)
		case 2: // not a byte: given up
			panic(http.ErrAbortHandler)
		}
		whole(w, r)
	})
	if _, err := s.Get(t.Context(), "tiny", nil); err == nil {
		t.Fatal("Get succeeded although the connection was cut")
	}
	mustBeTidy(t, s, m.part())
	if _, err := s.Get(t.Context(), "tiny", nil); err != nil {
		t.Fatal(err)
	}
	mustHold(t, s, m)
	if want := []string{"", "bytes=30000-", "bytes=30000-"}; !slices.Equal(ranges, want) {
		t.Errorf("ranges asked for %q, wanted %q", ranges, want)
	}
}

// TestResumeOddParts: whatever an earlier download left, the next one ends with the model.
func TestResumeOddParts(t *testing.T) {
	wrong := bytes.Repeat([]byte("x"), len(content))
	for name, c := range map[string]struct {
		part []byte
		h    http.HandlerFunc
	}{
		"complete":              {content, func(http.ResponseWriter, *http.Request) { t.Error("asked although it was complete") }},
		"complete, wrong":       {wrong, whole},
		"beginning wrong":       {wrong[:1000], whole},
		"too long":              {append(wrong[:len(wrong):len(wrong)], 'x'), whole},
		"server ignores ranges": {content[:1000], func(w http.ResponseWriter, r *http.Request) { w.Write(content) }},
		"server ignores ranges, no length": {content[:1000], func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			w.Write(content)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := useCatalog(t, file)
			s := openStore(t)
			serve(t, s, c.h)
			if err := os.WriteFile(filepath.Join(s.Dir(), m.part()), c.part, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Get(t.Context(), "tiny", nil); err != nil {
				t.Fatal(err)
			}
			mustHold(t, s, m)
		})
	}
}

// TestRefusals: what is not the file never gets its name, and the error says what was found.
func TestRefusals(t *testing.T) {
	other := slices.Clone(content)
	other[77]++
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"another file": {func(w http.ResponseWriter, r *http.Request) { w.Write(other) },
			"Tiny-1.gguf: found SHA-256 " + sum(other) + ", wanted " + sum(content)},
		"a web page": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write(content)
		}, "found a web page, wanted a file"},
		"too long": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100001")
			w.Write(append(other, 'x'))
		}, "found 100001 bytes, wanted 100000"},
		"too long, unannounced": {func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			for range 4 {
				w.Write(content)
			}
		}, "found more than 100000 bytes"},
		"too short": {func(w http.ResponseWriter, r *http.Request) { w.Write(content[:99]) }, "found 99 bytes, wanted 100000"},
		"missing":   {http.NotFound, `found status "404 Not Found", wanted 200 OK`},
		"redirect to http": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/x", http.StatusFound)
		}, "found the address http://example.com/x, wanted https without a password"},
		"redirect with a password": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://me:secret@example.com/x", http.StatusFound)
		}, "found the address https://me:xxxxx@example.com/x, wanted https"},
		"redirects without end": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "found 6 redirects, wanted 5 at most"},
		"a range not asked for": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 5-99999/100000")
			w.WriteHeader(http.StatusPartialContent)
		}, `found status "206 Partial Content"`},
	} {
		t.Run(name, func(t *testing.T) {
			useCatalog(t, file)
			s := openStore(t)
			serve(t, s, c.h)
			_, err := s.Get(t.Context(), "tiny", nil)
			var failed *FetchError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Get: %v, wanted a FetchError with %q", err, c.want)
			}
			if strings.Contains(fmt.Sprint(err), "\n") {
				t.Errorf("more than one line: %v", err)
			}
			mustBeTidy(t, s)
		})
	}
}

func TestWrongRange(t *testing.T) {
	m := useCatalog(t, file)
	s := openStore(t)
	serve(t, s, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Range", "bytes 0-99999/100000")
		w.WriteHeader(http.StatusPartialContent)
		w.Write(content)
	})
	os.WriteFile(filepath.Join(s.Dir(), m.part()), content[:500], 0o644)
	_, err := s.Get(t.Context(), "tiny", nil)
	if err == nil || !strings.Contains(err.Error(), `found the range "bytes 0-99999/100000", wanted bytes 500-99999/100000`) {
		t.Errorf("Get: %v", err)
	}
}

func TestRedirectWithinHTTPS(t *testing.T) {
	m := useCatalog(t, file)
	s := openStore(t)
	serve(t, s, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/cdn" {
			http.Redirect(w, r, "/cdn", http.StatusFound)
			return
		}
		whole(w, r)
	})
	if _, err := s.Get(t.Context(), "tiny", nil); err != nil {
		t.Fatal(err)
	}
	mustHold(t, s, m)
}

// TestSecondSource: when the first has nothing the next is asked, and the listener hears why.
func TestSecondSource(t *testing.T) {
	second := file
	second.Repo = "other/place"
	m := useCatalog(t, file, second)
	s := openStore(t)
	serve(t, s, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/who/") {
			http.NotFound(w, r)
			return
		}
		whole(w, r)
	})
	var heard []string
	if _, err := s.Get(t.Context(), "tiny", func(p Progress) { heard = append(heard, p.Message) }); err != nil {
		t.Fatal(err)
	}
	mustHold(t, s, m)
	if !slices.ContainsFunc(heard, func(m string) bool { return strings.Contains(m, "404") }) {
		t.Errorf("heard %q, wanted the first source's 404 among it", heard)
	}
}

func TestPlainHTTPEndpointIsRefused(t *testing.T) {
	useCatalog(t, file)
	s := openStore(t)
	t.Setenv("HF_ENDPOINT", "http://127.0.0.1:1")
	_, err := s.Get(t.Context(), "tiny", nil)
	if err == nil || !strings.Contains(err.Error(), "wanted https") {
		t.Errorf("Get over http: %v", err)
	}
	mustBeTidy(t, s)
}

// TestSlowServer: a server that sends nothing is left by the caller's context, or by the stall limit.
func TestSlowServer(t *testing.T) {
	for _, c := range []struct {
		name  string
		stall time.Duration
		wait  time.Duration
		want  error
	}{
		{"context", time.Hour, 50 * time.Millisecond, context.DeadlineExceeded},
		{"stall", 50 * time.Millisecond, time.Hour, errStalled},
	} {
		for _, sent := range []int{0, 5000} {
			t.Run(fmt.Sprintf("%s after %d bytes", c.name, sent), func(t *testing.T) {
				useCatalog(t, file)
				s := openStore(t)
				s.stall = c.stall
				serve(t, s, func(w http.ResponseWriter, r *http.Request) {
					if sent > 0 && r.Header.Get("Range") == "" {
						w.Header().Set("Content-Length", fmt.Sprint(len(content)))
						w.Write(content[:sent])
						w.(http.Flusher).Flush()
					}
					<-r.Context().Done()
				})
				ctx, cancel := context.WithTimeout(t.Context(), c.wait)
				defer cancel()
				if _, err := s.Get(ctx, "tiny", nil); !errors.Is(err, c.want) {
					t.Errorf("Get: %v, wanted %v", err, c.want)
				}
			})
		}
	}
}

func TestOffline(t *testing.T) {
	m := useCatalog(t, file)
	s := openStore(t)
	serve(t, s, func(http.ResponseWriter, *http.Request) { t.Error("asked although offline") })
	t.Setenv("NRT_OFFLINE", "1")
	_, err := s.Get(t.Context(), "tiny", nil)
	if !errors.Is(err, ErrOffline) || !strings.Contains(err.Error(), "put a GGUF file into "+s.Dir()+", or name one with -m FILE") {
		t.Errorf("Get offline: %v", err)
	}
	os.WriteFile(filepath.Join(s.Dir(), m.File), content, 0o644)
	if _, err := s.Get(t.Context(), "tiny", nil); err != nil {
		t.Errorf("Get offline of what is there: %v", err)
	}
	for value, want := range map[string]bool{"": false, "0": false, "false": false, "No": false, "1": true, "yes": true} {
		t.Setenv("NRT_OFFLINE", value)
		if offline() != want {
			t.Errorf("NRT_OFFLINE=%q: offline %v", value, offline())
		}
	}
}

// TestTwoAtOnce: a second download of the same model does not write into the first one's part.
func TestTwoAtOnce(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no file locks here")
	}
	m := useCatalog(t, file)
	s := openStore(t)
	f, err := os.Create(filepath.Join(s.Dir(), m.part()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock(f); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "tiny", nil); err == nil || !strings.Contains(err.Error(), "another nrt is downloading it") {
		t.Errorf("Get beside another: %v", err)
	}
}

func TestNoRoom(t *testing.T) {
	s := openStore(t)
	if _, known := FreeBytes(s.Dir()); !known {
		t.Skip("free space is unknown here")
	}
	err := s.room(1 << 60)
	if err == nil || !strings.Contains(err.Error(), "MB free in "+s.Dir()) {
		t.Errorf("room for 2^60 bytes: %v", err)
	}
	if err := s.room(1 << 10); err != nil {
		t.Logf("a full disk: %v", err)
	}
}
