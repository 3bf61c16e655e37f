package lineedit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxHistory      = 1000    // messages kept
	maxHistoryBytes = 4 << 20 // of the file; a larger one is read from its end
)

// History is what was entered before, oldest first, with the place that the arrow keys have reached. The zero History
// keeps nothing beyond the process.
type History struct {
	entries []string
	path    string // "" keeps no file
	at      int    // len(entries) is the message being written
	draft   string // that message, while the arrow keys show older ones
}

// LoadHistory reads the file and will append to it. A missing file is an empty history.
func LoadHistory(path string) (*History, error) {
	h := &History{path: path}
	data, err := readTail(path, maxHistoryBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("lineedit: history %s: %w", path, err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxHistoryBytes)
	for lines.Scan() {
		if entry := unescape(lines.Text()); strings.TrimSpace(entry) != "" {
			h.entries = append(h.entries, entry)
		}
	}
	if len(h.entries) > maxHistory {
		h.entries = h.entries[len(h.entries)-maxHistory:]
		err = h.rewrite()
	} else {
		err = nil
	}
	h.at = len(h.entries)
	return h, err
}

func readTail(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	over := info.Size() - limit
	if over <= 0 {
		return io.ReadAll(io.LimitReader(f, limit))
	}
	if _, err := f.Seek(over, io.SeekStart); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	_, data, _ = bytes.Cut(data, []byte("\n")) // the first line is not whole
	return data, err
}

// Add keeps an entered message, unless it is blank, starts with a space (the user's way to say "do not keep"), or repeats
// the last one.
func (h *History) Add(text string) error {
	n := len(h.entries)
	h.at, h.draft = n, ""
	if strings.TrimSpace(text) == "" || text[0] == ' ' || n > 0 && h.entries[n-1] == text {
		return nil
	}
	h.entries = append(h.entries, text)
	h.entries = h.entries[max(0, len(h.entries)-maxHistory):]
	h.at = len(h.entries)
	if h.path == "" {
		return nil
	}
	if err := appendLine(h.path, escape(text)); err != nil {
		return fmt.Errorf("lineedit: history %s: %w", h.path, err)
	}
	return nil
}

// Entries are the messages kept, oldest first.
func (h *History) Entries() []string { return h.entries }

// appendLine lets several programs add to one history without losing each other's lines.
func appendLine(path, line string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// rewrite shortens the file to the entries kept.
func (h *History) rewrite() error {
	tmp, err := os.CreateTemp(filepath.Dir(h.path), ".history-*") // 0600
	if err != nil {
		return fmt.Errorf("lineedit: history %s: %w", h.path, err)
	}
	defer os.Remove(tmp.Name()) // fails once it is renamed, as it should
	w := bufio.NewWriter(tmp)
	for _, entry := range h.entries {
		w.WriteString(escape(entry) + "\n") // the error stays in w until Flush
	}
	if err := errors.Join(w.Flush(), tmp.Close()); err != nil {
		return fmt.Errorf("lineedit: history %s: %w", h.path, err)
	}
	return os.Rename(tmp.Name(), h.path)
}

// back and forward walk the history; text is what the line holds now. ok is false at either end.
func (h *History) back(text string) (string, bool) {
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.entries) {
		h.draft = text
	}
	h.at--
	return h.entries[h.at], true
}

func (h *History) forward() (string, bool) {
	if h.at == len(h.entries) {
		return "", false
	}
	h.at++
	if h.at == len(h.entries) {
		return h.draft, true
	}
	return h.entries[h.at], true
}

// find is the newest entry before the n-th that contains query, and its number; -1 when there is none.
func (h *History) find(query string, n int) int {
	for i := min(n, len(h.entries)) - 1; i >= 0; i-- {
		if strings.Contains(h.entries[i], query) {
			return i
		}
	}
	return -1
}

// One entry is one line of the file.
var (
	escaper   = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)
	unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")
)

func escape(s string) string   { return escaper.Replace(s) }
func unescape(s string) string { return unescaper.Replace(s) }
