package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// HubFile is a file of a Hugging Face repository at a fixed revision. $HF_ENDPOINT names a mirror to ask instead of
// huggingface.co; the checksum makes every mirror as good.
type HubFile struct{ Repo, Revision, Path string }

func (h HubFile) String() string { return hubHost() + "/" + h.Repo }

func hubHost() string {
	if u, err := url.Parse(hubEndpoint()); err == nil && u.Host != "" {
		return u.Host
	}
	return hubEndpoint()
}

func hubEndpoint() string {
	if e := os.Getenv("HF_ENDPOINT"); e != "" {
		return strings.TrimRight(e, "/")
	}
	return "https://huggingface.co"
}

// newTransport gives up soon where nothing answers, so that a machine without a network goes on to the next source.
func newTransport() http.RoundTripper {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 4 * time.Second}).DialContext,
		TLSHandshakeTimeout:   6 * time.Second,
		ResponseHeaderTimeout: 20 * time.Second,
		DisableCompression:    true, // the bytes counted are the file's
		ForceAttemptHTTP2:     true,
	}
}

var errStalled = errors.New("the download has stalled")

// fetch downloads into the model's part, going on with what an earlier call left there.
func (h HubFile) fetch(ctx context.Context, s *Store, m Model, report func(Progress)) error {
	part, err := s.root.OpenFile(m.part(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer part.Close()
	if err := lock(part); err != nil {
		return fmt.Errorf("%s: another nrt is downloading it: %w", m.part(), err)
	}
	began, err := end(part)
	if err != nil {
		return err
	}
	if err := h.fill(ctx, s, part, m, report); err != nil {
		if now, endErr := end(part); now == 0 && endErr == nil {
			part.Close()
			s.root.Remove(m.part())
		}
		return err
	}
	part.Close()
	err = s.seal(m.part(), m, report)
	if bad := (*ChecksumError)(nil); began > 0 && errors.As(err, &bad) {
		return h.fetch(ctx, s, m, report) // the old beginning was bad; it is deleted now
	}
	return err
}

// fill tries again as long as each attempt brings more.
func (h HubFile) fill(ctx context.Context, s *Store, part *os.File, m Model, report func(Progress)) error {
	before, err := end(part)
	if err != nil {
		return err
	}
	if err := s.room(m.Size - before); err != nil {
		return err
	}
	for {
		err := h.rest(ctx, s, part, m, report)
		if err == nil || ctx.Err() != nil {
			return err
		}
		now, endErr := end(part)
		if endErr != nil || now <= before {
			return err
		}
		before = now
		report(Progress{Message: fmt.Sprintf("going on after: %v", err), Done: now, Total: m.Size})
	}
}

// end is the size of a file, and moves there.
func end(f *os.File) (int64, error) { return f.Seek(0, io.SeekEnd) }

// rest appends to part what is missing of the model.
func (h HubFile) rest(ctx context.Context, s *Store, part *os.File, m Model, report func(Progress)) error {
	at, err := end(part)
	if at > m.Size { // not what it says it is: from the beginning
		at, err = 0, part.Truncate(0)
	}
	if err != nil || at == m.Size {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(s.stall, func() { cancel(errStalled) })
	defer watch.Stop()

	resp, err := h.ask(ctx, s, at)
	if err != nil {
		return because(ctx, err)
	}
	defer resp.Body.Close()
	from, err := begins(resp, at, m.Size)
	if err != nil {
		return err
	}
	if _, err := part.Seek(from, io.SeekStart); err != nil { // not at: the server may send everything again
		return err
	}
	if err := part.Truncate(from); err != nil {
		return err
	}
	alive := writerFunc(func(b []byte) (int, error) { watch.Reset(s.stall); return len(b), nil })
	meter := &meter{report: report, p: Progress{Message: "downloading " + m.File, Done: from, Total: m.Size}}
	n, err := io.Copy(io.MultiWriter(part, alive, meter), io.LimitReader(resp.Body, m.Size-from+1))
	if err != nil {
		return because(ctx, err)
	}
	if from+n > m.Size {
		return errors.Join(fmt.Errorf("found more than %d bytes, wanted no more", m.Size), part.Truncate(0))
	}
	if from+n < m.Size {
		return fmt.Errorf("found the end after %d bytes, wanted %d", from+n, m.Size)
	}
	return nil
}

// ask requests the file from byte at on.
func (h HubFile) ask(ctx context.Context, s *Store, at int64) (*http.Response, error) {
	path, err := url.JoinPath("/", h.Repo, "resolve", h.Revision, h.Path)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, hubEndpoint()+path, nil)
	if err != nil {
		return nil, err
	}
	if err := plainHTTPS(req); err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "nrt")
	if at > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", at))
	}
	client := http.Client{Transport: s.transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > 5 {
			return fmt.Errorf("found %d redirects, wanted 5 at most", len(via))
		}
		return plainHTTPS(req)
	}}
	resp, err := client.Do(req)
	if e := (*url.Error)(nil); errors.As(err, &e) {
		return nil, e.Err // without the address, which is long and already named
	}
	return resp, err
}

// plainHTTPS refuses an address that is not encrypted or carries a password.
func plainHTTPS(req *http.Request) error {
	if req.URL.Scheme != "https" || req.URL.User != nil {
		return fmt.Errorf("found the address %s, wanted https without a password", req.URL.Redacted())
	}
	return nil
}

// begins is the byte at which the answer to a request from byte at begins. It refuses an answer that is not the file.
func begins(resp *http.Response, at, size int64) (int64, error) {
	var from int64
	switch {
	case resp.StatusCode == http.StatusOK:
	case resp.StatusCode == http.StatusPartialContent && at > 0:
		var last, total int64
		found := resp.Header.Get("Content-Range")
		if n, _ := fmt.Sscanf(found, "bytes %d-%d/%d", &from, &last, &total); n != 3 || from != at || total != size {
			return 0, fmt.Errorf("found the range %q, wanted bytes %d-%d/%d", found, at, size-1, size)
		}
	default:
		return 0, fmt.Errorf("found status %q, wanted 200 OK", resp.Status)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/html" {
		return 0, errors.New("found a web page, wanted a file (does this network ask for a login?)")
	}
	if resp.ContentLength >= 0 && from+resp.ContentLength != size {
		return 0, fmt.Errorf("found %d bytes, wanted %d", from+resp.ContentLength, size)
	}
	return from, nil
}

// because is the reason for which ctx ended, where that is what an error comes from.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
