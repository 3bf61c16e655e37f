package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/cmd/nrt/internal/params"
)

// DefaultFile is where /save and /load go without a name.
const DefaultFile = "conversation.json"

const maxFile = 64 << 20 // bytes

// saved is the file's form. Its words are those of R-031; the parameters stand beside them in the words of the HTTP
// APIs.
type saved struct {
	Model        string `json:"model"`
	SystemPrompt string `json:"system_prompt,omitempty"`
	params.Settings
	Think    *bool          `json:"think,omitempty"`
	Verbose  bool           `json:"verbose,omitempty"`
	Messages []chat.Message `json:"messages"`
}

func (c *Conversation) save(_ context.Context, path string) error {
	path = filePath(path)
	doc, err := json.MarshalIndent(saved{
		Model: c.cfg.Model.Name, SystemPrompt: c.System, Settings: c.Settings, Think: c.Think, Verbose: c.Verbose,
		Messages: append([]chat.Message{}, c.Messages...),
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("/save %s: %w", path, err)
	}
	if err := writeFile(path, append(doc, '\n')); err != nil {
		return fmt.Errorf("/save: %w", err)
	}
	c.notef("[saved %d messages to %s]", len(c.Messages), path)
	return nil
}

// writeFile replaces the file at once or not at all; only the user may read it.
func writeFile(path string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".nrt-save-*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// load brings back everything that save wrote (R-031 brought back only half). A file that is not right changes nothing.
func (c *Conversation) load(_ context.Context, path string) error {
	path = filePath(path)
	s, err := readFile(path)
	if err != nil {
		return fmt.Errorf("/load %s: %w", path, err)
	}
	c.System, c.Messages = s.SystemPrompt, s.Messages
	c.Settings, c.Think, c.Verbose = s.Settings, s.Think, s.Verbose
	c.last = nil
	c.notef("[loaded %d messages from %s]", len(c.Messages), path)
	if s.Model != c.cfg.Model.Name {
		c.notef("[they were saved with the model %s; this is %s]", s.Model, c.cfg.Model.Name)
	}
	return nil
}

func readFile(path string) (*saved, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err) // the caller names the path
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("found more than %d bytes, wanted a conversation", maxFile)
	}
	return parseSaved(data)
}

func parseSaved(data []byte) (*saved, error) {
	var s saved
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("found no conversation: %w", err)
	}
	if len(s.Messages) > 0 && s.Messages[0].Role == chat.System {
		if s.SystemPrompt == "" {
			s.SystemPrompt = s.Messages[0].Content
		}
		s.Messages = s.Messages[1:]
	}
	for i, m := range s.Messages {
		want := []chat.Role{chat.User, chat.Assistant}[i%2]
		if m.Role != want {
			return nil, fmt.Errorf("message %d: found the role %q, wanted %q", i+1, m.Role, want)
		}
	}
	if len(s.Messages)%2 != 0 {
		return nil, fmt.Errorf("found a last message without its answer, wanted whole turns")
	}
	return &s, nil
}

// filePath does what a shell would do with ~/, since here is none.
func filePath(arg string) string {
	if arg == "" {
		return DefaultFile
	}
	if rest, ok := strings.CutPrefix(arg, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return arg
}
