package lineedit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/term"
)

// Terminal is the Config of a real terminal; History, Compose and Complete are the caller's to add.
func Terminal(in, out *os.File) Config {
	prepare(out)
	return Config{
		In:  in,
		Out: out,
		Raw: func() (func() error, error) {
			state, err := term.MakeRaw(int(in.Fd()))
			if err != nil {
				return nil, fmt.Errorf("lineedit: raw mode of %s: %w", in.Name(), err)
			}
			return func() error { return term.Restore(int(in.Fd()), state) }, nil
		},
		Size: func() (int, int) {
			width, height, err := term.GetSize(int(out.Fd()))
			if err != nil {
				return 0, 0
			}
			return width, height
		},
		Resized: resized(),
		Suspend: suspend,
	}
}

const maxComposed = 16 << 20 // bytes

// Compose lets the user write text in $VISUAL, $EDITOR or the system's plain editor.
func Compose(text string) (string, error) {
	f, err := os.CreateTemp("", "nrt-*.txt") // 0600
	if err != nil {
		return "", fmt.Errorf("lineedit: editor: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("lineedit: editor: %w", err)
	}
	words := strings.Fields(externalEditor()) // such as "code --wait"
	cmd := exec.Command(words[0], append(words[1:], f.Name())...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("lineedit: editor %s: %w (set $EDITOR to another)", words[0], err)
	}
	f, err = os.Open(f.Name())
	if err != nil {
		return "", fmt.Errorf("lineedit: editor: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxComposed))
	return strings.ToValidUTF8(string(data), "�"), err
}

func externalEditor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor := os.Getenv(name); strings.TrimSpace(editor) != "" {
			return editor
		}
	}
	return plainEditor
}
