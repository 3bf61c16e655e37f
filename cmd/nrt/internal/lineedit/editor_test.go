package lineedit

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// typed gives its pieces one read each, so that keys may be cut anywhere, then ends.
type typed struct{ pieces []string }

func (r *typed) Read(p []byte) (int, error) {
	if len(r.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.pieces[0])
	if r.pieces[0] = r.pieces[0][n:]; r.pieces[0] == "" {
		r.pieces = r.pieces[1:]
	}
	return n, nil
}

var prompt = Prompt{Text: ">>> ", More: "... ", Hint: "Say something"}

func editorOn(t testing.TB, cfg Config, term *vt, pieces ...string) *Editor {
	t.Helper()
	cfg.In, cfg.Out = &typed{pieces}, term
	cfg.Size = func() (int, int) { return term.width, term.height }
	e := New(cfg)
	t.Cleanup(e.Close)
	return e
}

const (
	up, down, right, left = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
	home, end, del        = "\x1b[H", "\x1b[F", "\x1b[3~"
)

func TestEditing(t *testing.T) {
	tests := []struct{ name, keys, want string }{
		{"plain", "hello", "hello"},
		{"backspace", "helo\x7flo", "hello"},
		{"left and insert", "hllo" + left + left + left + "e", "hello"},
		{"home and end", "ello" + home + "h" + end + "!", "hello!"},
		{"ctrl-a, ctrl-e", "ello\x01h\x05!", "hello!"},
		{"delete under the cursor", "hhello" + home + del, "hello"},
		{"ctrl-d deletes in a line", "hhello\x01\x04", "hello"},
		{"ctrl-k", "hello world\x01\x1bf\x0b", "hello"},
		{"ctrl-u", "garbage\x15hello", "hello"},
		{"ctrl-w takes to the blank", "one two,three\x17", "one "},
		{"ctrl-w over a wide space", "一\u3000二\x17", "一\u3000"},
		{"alt-backspace takes a word", "one two,three\x1b\x7f", "one two,"},
		{"alt-d", "one two\x01\x1bd", " two"},
		{"ctrl-y", "hello\x15\x19\x19", "hellohello"},
		{"word moves", "one two" + "\x1b[1;5D" + "X" + "\x1bb\x1bbY", "Yone Xtwo"},
		{"an accent goes with its letter", "cafe\u0301s" + left + "\x7f", "cafs"},
		{"a family is one character", "a👨‍👩‍👧b" + left + "\x7f", "ab"},
		{"wide", "日本" + left + "の", "日の本"},
		{"alt-enter", "one\x1b\rtwo", "one\ntwo"},
		{"paste of many lines", "\x1b[200~one\r\ntwo\rthree\x1b[201~!", "one\ntwo\nthree!"},
		{"paste drops controls", "\x1b[200~a\x00\x07\x1b[31mb\tc\x1b[201~", "a[31mb\tc"},
		{"up and down in a message", "\x1b[200~ab\ncdef\x1b[201~" + up + "X" + down + "Y", "abX\ncdeYf"},
		{"unknown sequences", "a\x1b[24~b\x1bOQc\x1b[200;1$zd", "abcd"},
		{"half characters", "\xff\xc3", "�"},
		{"tab without completion", "a\tb", "a\tb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, split := range []bool{false, true} {
				pieces := []string{tt.keys, "\r"}
				if split {
					pieces = strings.Split(tt.keys+"\r", "")
				}
				if tt.name == "half characters" {
					pieces = []string{"\xff", "\r"}
				}
				term := newVT(40, 10)
				got, err := editorOn(t, Config{}, term, pieces...).Read(context.Background(), prompt)
				if err != nil || got != tt.want {
					t.Errorf("split %v: Read = %q, %v, want %q", split, got, err, tt.want)
				}
				if err := term.valid(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestReadEnds(t *testing.T) {
	tests := []struct {
		name, keys string
		want       error
	}{
		{"ctrl-c", "text\x03", ErrInterrupt},
		{"ctrl-d on nothing", "\x04", io.EOF},
		{"end of input", "text", io.EOF},
	}
	for _, tt := range tests {
		_, err := editorOn(t, Config{}, newVT(40, 10), tt.keys).Read(context.Background(), prompt)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: Read = %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestReadEndsByContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, _ := io.Pipe()
	e := New(Config{In: in, Out: io.Discard})
	defer e.Close()
	cancel()
	if _, err := e.Read(ctx, prompt); !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %v, want %v", err, context.Canceled)
	}
}

func TestScreen(t *testing.T) {
	tests := []struct {
		name          string
		width, height int
		keys, want    string
	}{
		{"hint", 40, 5, "", ">>> |Say something"},
		{"no room for the hint", 12, 5, "", ">>> |"},
		{"text instead of the hint", 40, 5, "a", ">>> a|"},
		{"wrap", 8, 5, "abcdef", ">>> abcd\nef|"},
		{"the cursor wraps first", 8, 5, "abcd", ">>> abcd\n|"},
		{"cursor in a full row", 8, 5, "abcd" + left, ">>> abc|d"},
		{"wide at the edge", 7, 5, "日本", ">>> 日\n本|"},
		{"combining at the edge", 8, 5, "abce\u0301", ">>> abce\u0301\n|"},
		{"lines", 20, 5, "one\x1b\rtwo" + up, ">>> one|\n... two"},
		{"tab", 20, 5, "a\tb", ">>> a   b|"},
		{"higher than the terminal", 20, 3, "1\x1b\r2\x1b\r3\x1b\r4\x1b\r5", "... 3\n... 4\n... 5|"},
		{"its middle", 20, 3, "1\x1b\r2\x1b\r3\x1b\r4\x1b\r5" + up + up, "... 2\n... 3|\n... 4"},
		{"ctrl-l", 20, 5, "ab\x0c", ">>> ab|"},
		{"search", 30, 5, "\x12ol", "(search: ol) older|"},
		{"search again", 30, 5, "\x12o\x12", "(search: o) older|"},
		{"search in vain", 30, 5, "\x12oz", "(no match: oz) some new|"},
		{"search given up", 30, 5, "abc\x12o\x03", ">>> abc|"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			term := newVT(tt.width, tt.height)
			var before string
			in := &watched{pieces: strings.Split(tt.keys, ""), ended: func() { before = term.String() }}
			h := &History{entries: []string{"older", "some new"}, at: 2}
			e := New(Config{In: in, Out: term, History: h, Size: func() (int, int) { return tt.width, tt.height }})
			defer e.Close()
			if _, err := e.Read(context.Background(), prompt); err != io.EOF {
				t.Fatal(err)
			}
			if before != tt.want {
				t.Errorf("screen:\n%s\nwant:\n%s", before, tt.want)
			}
			if err := term.valid(); err != nil {
				t.Error(err)
			}
		})
	}
}

// watched reports when the last piece has been worked in: with the next read.
type watched struct {
	pieces []string
	ended  func()
}

func (w *watched) Read(p []byte) (int, error) {
	if len(w.pieces) == 0 || w.pieces[0] == "" {
		w.ended()
		return 0, io.EOF
	}
	n := copy(p, w.pieces[0])
	w.pieces = w.pieces[1:]
	return n, nil
}

func TestHistoryKeys(t *testing.T) {
	tests := []struct{ name, keys, want string }{
		{"up", up, "newest"},
		{"up twice", up + up, "middle"},
		{"beyond the oldest", up + up + up + up + up, "old"},
		{"down comes back to the draft", "draft" + up + down, "draft"},
		{"ctrl-p, ctrl-n", "\x10\x10\x0e", "newest"},
		{"an old one edited", up + "!", "newest!"},
		{"search, enter", "\x12idd", "middle"},
		{"search, edit", "\x12idd" + end + "!", "middle!"},
		{"search, older with ctrl-r", "\x12d\x12", "old"},
		{"search, shorter query", "\x12old\x7f\x7f\x7fnew", "newest"},
		{"search, then up", "\x12idd" + up, "old"},
	}
	for _, tt := range tests {
		h := &History{entries: []string{"old", "middle", "newest"}, at: 3}
		got, err := editorOn(t, Config{History: h}, newVT(40, 10), tt.keys, "\r").Read(context.Background(), prompt)
		if err != nil || got != tt.want {
			t.Errorf("%s: Read = %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestExternalEditor(t *testing.T) {
	for _, keys := range []string{"abc\x07", "abc\x18\x05"} {
		var raw, composed int
		cfg := Config{
			Raw:     func() (func() error, error) { raw++; return func() error { raw--; return nil }, nil },
			Compose: func(text string) (string, error) { composed = raw; return text + "\ndef\n", nil },
		}
		composed = -1
		got, err := editorOn(t, cfg, newVT(40, 10), keys, "\r").Read(context.Background(), prompt)
		if err != nil || got != "abc\ndef" {
			t.Errorf("%q: Read = %q, %v, want both lines", keys, got, err)
		}
		if composed != 0 || raw != 0 {
			t.Errorf("%q: raw mode was on %d times in the editor and %d times after Read, want never", keys, composed, raw)
		}
	}
	failing := Config{Compose: func(string) (string, error) { return "", errors.New("no editor") }}
	if got, err := editorOn(t, failing, newVT(40, 10), "abc\x07", "\r").Read(context.Background(), prompt); got != "abc" || err != nil {
		t.Errorf("after an editor that failed Read = %q, %v, want the message as it was", got, err)
	}
}

func TestCompletion(t *testing.T) {
	cfg := Config{Complete: func(left string) string { return strings.TrimPrefix("/help ", left) }}
	if got, err := editorOn(t, cfg, newVT(40, 10), "/he\tme", "\r").Read(context.Background(), prompt); got != "/help me" || err != nil {
		t.Errorf("Read = %q, %v, want the completed command", got, err)
	}
}

func TestMessagesFollowEachOther(t *testing.T) {
	e := editorOn(t, Config{}, newVT(40, 10), "one\rtwo\r")
	for _, want := range []string{"one", "two"} {
		if got, err := e.Read(context.Background(), prompt); got != want || err != nil {
			t.Errorf("Read = %q, %v, want %q", got, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"hello\r", "\x12a\x12\r", "\x1b[200~a\nb\x1b[201~\x1b[A\x0b\x19\r", "日\x1b[D\x7f\x17\x15\r", "\x1b[\x1b\x1b"} {
		f.Add(seed, uint8(20), uint8(5))
	}
	f.Fuzz(func(t *testing.T, keys string, width, height uint8) {
		term := newVT(int(max(width, 8)), int(max(height, 1)))
		h := &History{entries: []string{"one", "two\nlines", "日本語"}, at: 3}
		e := editorOn(t, Config{History: h}, term, keys)
		for {
			text, err := e.Read(context.Background(), prompt)
			if err != nil && err != ErrInterrupt && err != io.EOF {
				t.Fatal(err)
			}
			if !utf8.ValidString(text) {
				t.Fatalf("Read = %q, want UTF-8", text)
			}
			if verr := term.valid(); verr != nil {
				t.Fatal(verr)
			}
			if err == io.EOF {
				return
			}
		}
	})
}
