//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/nrt-go/nrt/internal/testdata"
)

// patienceOfTests bounds how long a terminal test waits for a text before it fails; a test that passes never waits.
const patienceOfTests = 60 * time.Second

// talk is nrt chat on a terminal of its own, with a user who types and reads.
type talk struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	done chan error

	mu   sync.Mutex
	seen bytes.Buffer
	read int // of seen: what expect has gone over
	more chan struct{}
}

// echo is a chat template for the tiny models, which have none.
const echo = `{%- for m in messages %}{{ m['content'] }}{% endfor -%}`

func storyChat(t *testing.T, cache string, args ...string) *talk {
	t.Helper()
	return startChat(t, cache, append(storyArgs(t), args...)...)
}

func storyArgs(t *testing.T) []string {
	t.Helper()
	model := testdata.Shared(t, "models/stories260K-f32.gguf")
	template := filepath.Join(t.TempDir(), "echo.jinja")
	if err := os.WriteFile(template, []byte(echo), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"-m", model, "--chat-template-file", template, "--temp", "0", "-n", "4"}
}

func startChat(t *testing.T, cache string, args ...string) *talk {
	t.Helper()
	c := onTerminal(t, cache, exec.Command("nrt", append([]string{"chat"}, args...)...))
	c.expect(">>> ")
	return c
}

func onTerminal(t *testing.T, cache string, cmd *exec.Cmd) *talk {
	t.Helper()
	c := &talk{t: t, cmd: cmd, done: make(chan error, 1), more: make(chan struct{}, 1)}
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "HOME="+cache, "TERM=xterm", "NO_COLOR=", "NRT_NOHISTORY=", "PS1=shell$ ")
	var err error
	if c.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		c.tty.Close()
	})
	go c.listen()
	return c
}

func (c *talk) listen() {
	buf := make([]byte, 4096)
	for {
		n, err := c.tty.Read(buf)
		c.mu.Lock()
		c.seen.Write(buf[:n])
		c.mu.Unlock()
		if err != nil { // the child has closed its end
			c.done <- c.cmd.Wait()
			close(c.more)
			return
		}
		select {
		case c.more <- struct{}{}:
		default:
		}
	}
}

func (c *talk) send(keys string) {
	c.t.Helper()
	if _, err := c.tty.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// expect waits for a text after the one that was expected before.
func (c *talk) expect(want string) {
	c.t.Helper()
	timeout := time.After(patienceOfTests)
	for {
		c.mu.Lock()
		i := strings.Index(c.seen.String()[c.read:], want)
		if i >= 0 {
			c.read += i + len(want)
		}
		c.mu.Unlock()
		if i >= 0 {
			return
		}
		select {
		case _, ok := <-c.more:
			if !ok {
				c.t.Fatalf("nrt ended before it wrote %q; it wrote\n%q", want, c.rest())
			}
		case <-timeout:
			c.t.Fatalf("waited for %q; nrt wrote\n%q", want, c.rest())
		}
	}
}

func (c *talk) rest() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen.String()[c.read:]
}

// say sends a message and waits for the next prompt.
func (c *talk) say(message string) {
	c.t.Helper()
	c.send(message + "\r")
	c.expect("\x1b[?2004l") // the message was taken
	c.expect("\x1b[?2004h") // and answered
	c.expect(">>> ")
}

// ends waits for nrt to leave by itself.
func (c *talk) ends() {
	c.t.Helper()
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Fatalf("nrt chat: %v; it wrote\n%q", err, c.rest())
		}
	case <-time.After(patienceOfTests):
		c.t.Fatalf("nrt chat did not leave; it wrote\n%q", c.rest())
	}
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
)

func TestChatHistory(t *testing.T) {
	cache := t.TempDir()
	c := storyChat(t, cache)
	c.say("Once upon a time")
	c.say(" not to be kept")
	c.send(ctrlD)
	c.ends()

	c = storyChat(t, cache)
	c.send("\x1b[A")
	c.expect("Once upon a time")
	c.send("\r")
	c.expect(", there was a") // it is sent as it was
	c.expect(">>> ")
	c.send("\x12upon")
	c.expect("(search: upon) Once upon a time")
	c.send(ctrlC + ctrlD)
	c.ends()

	files, err := filepath.Glob(filepath.Join(cache, "*", "nrt", "history"))
	if direct := filepath.Join(cache, "nrt", "history"); err == nil && len(files) == 0 {
		files = []string{direct} // linux: no folder between
	}
	data, err := os.ReadFile(files[0])
	if err != nil || string(data) != "Once upon a time\n" {
		t.Errorf("history file = %q, %v, want the one line", data, err)
	}
}

func TestChatWithoutHistory(t *testing.T) {
	cache := t.TempDir()
	c := storyChat(t, cache, "--no-history")
	c.say("Once upon a time")
	c.send(ctrlD)
	c.ends()
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 0 {
		t.Errorf("the cache folder has %v, %v, want nothing", entries, err)
	}
}

func TestChatMultiLine(t *testing.T) {
	c := storyChat(t, t.TempDir())
	c.send("\"\"\"\r")
	c.expect("... ")
	c.send("one\r")
	c.expect("... ")
	c.say("two\"\"\"")
	c.send("/history\r")
	c.expect("user: one\r\ntwo\r\n")
	c.expect(">>> ")
	// A paste of many lines is one message too.
	c.send("\x1b[200~three\nfour\x1b[201~")
	c.expect("four")
	c.say("")
	c.send("/history\r")
	c.expect("user: three\r\nfour\r\n")
	c.expect(">>> ")
	c.send("/bye\r")
	c.ends()
}

func TestChatCtrlC(t *testing.T) {
	c := storyChat(t, t.TempDir(), "-n", "-1")
	// At the prompt it clears the line.
	c.send("nonsense")
	c.expect("nonsense")
	c.send(ctrlC)
	c.expect("Ctrl-D or /quit leaves")
	c.expect(">>> ")
	// In an answer it stops it: this one would go on until the context is full.
	c.send("Once upon a time\r")
	c.expect("there was")
	c.send(ctrlC)
	c.expect("[stopped]")
	c.expect(">>> ")
	// What had come is part of the conversation.
	c.send("/history\r")
	c.expect("user: Once upon a time\r\nassistant: , there was")
	c.expect(">>> ")
	c.send(ctrlD)
	c.ends()
}

func TestChatCommands(t *testing.T) {
	c := storyChat(t, t.TempDir())
	c.send("/tmep\r")
	c.expect("unknown command /tmep (did you mean /temp?)")
	c.expect(">>> ")
	c.say("Once upon a time")
	c.send("/stats\r")
	c.expect("generated  4 tokens")
	c.expect(">>> ")
	c.send("/und\t")
	c.expect("/undo ")
	c.send("\r")
	c.expect(`[taken back: "Once upon a time"]`)
	c.expect(">>> ")
	c.send("/show model\r")
	c.expect("architecture")
	c.expect(">>> ")
	c.send("/quit\r")
	c.ends()
}

func TestChatExternalEditor(t *testing.T) {
	script := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf ' upon\\na time\\n' >> \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", script)
	c := storyChat(t, t.TempDir())
	c.send("Once")
	c.expect("Once")
	c.send("\x07")
	c.expect("... a time")
	c.say("")
	c.send("/history\r")
	c.expect("user: Once upon\r\na time\r\n")
	c.expect(">>> ")
	c.send(ctrlD)
	c.ends()
}

// However the chat ends, the terminal is as it was.
func TestChatRestoresTheTerminal(t *testing.T) {
	for name, end := range map[string]func(c *talk){
		"Ctrl-D":  func(c *talk) { c.send(ctrlD); c.ends() },
		"SIGTERM": func(c *talk) { _ = c.cmd.Process.Signal(syscall.SIGTERM); <-c.done },
	} {
		t.Run(name, func(t *testing.T) {
			c := storyChat(t, t.TempDir())
			// A second pair has the state that every new terminal has.
			_, fresh, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer fresh.Close()
			want, err := term.GetState(int(fresh.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			end(c)
			got, err := term.GetState(int(c.tty.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("terminal state = %+v, want %+v", got, want)
			}
			if !strings.Contains(c.seen.String(), "\x1b[?2004l") {
				t.Error("bracketed paste was left on")
			}
		})
	}
}

// Ctrl-Z gives the terminal back to the shell, and fg goes on where the message was.
func TestChatSuspend(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here: a shell with job control is needed")
	}
	args := storyArgs(t)
	c := onTerminal(t, t.TempDir(), exec.Command(bash, "--norc", "-i"))
	c.expect("shell$ ")
	c.send("nrt chat '" + strings.Join(args, "' '") + "'\r")
	c.expect(">>> ")
	c.send("Once upon")
	c.expect("Once upon")
	c.send("\x1a")
	c.expect("Stopped")
	c.expect("shell$ ")
	c.send("fg\r")
	c.expect(">>> Once upon")
	c.say(" a time")
	c.send("/history\r")
	c.expect("user: Once upon a time\r\n")
	c.expect(">>> ")
	c.send(ctrlD)
	c.expect("shell$ ")
}

var style = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestChatWithoutColor(t *testing.T) {
	c := storyChat(t, t.TempDir(), "--no-color")
	c.send(ctrlC)
	c.expect("leaves")
	c.expect(">>> ")
	c.send(ctrlD)
	c.ends()
	if found := style.FindString(c.seen.String()); found != "" {
		t.Errorf("with --no-color nrt wrote %q", found)
	}
}

// A real conversation: the model keeps what was said two turns ago, and each turn reuses the computed start.
func TestChatSmolLM2(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a conversation of a real model takes a while")
	}
	c := startChat(t, t.TempDir(), "-m", testdata.SmolLM2(t), "--temp", "0", "-n", "8", "--system", "Answer in one word.")
	for _, message := range []string{"My name is Ada.", "What is 2+2?", "What is my name?"} {
		c.say(message)
	}
	c.send("/stats\r")
	c.expect("answers    3")
	var prompt, cached int
	c.expect("prompts    ")
	c.expect("from the cache")
	c.mu.Lock()
	_, after, _ := strings.Cut(c.seen.String(), "prompts    ")
	c.mu.Unlock()
	if _, err := fmt.Sscanf(after, "%d tokens, %d of them", &prompt, &cached); err != nil {
		t.Fatalf("stats: %v in %q", err, after)
	}
	if cached*3 < prompt {
		t.Errorf("%d of %d prompt tokens came from the cache, want the start of turns two and three", cached, prompt)
	}
	c.send("/history\r")
	c.expect("user: What is my name?\r\nassistant: ")
	c.expect(">>> ")
	c.send(ctrlD)
	c.ends()
}
