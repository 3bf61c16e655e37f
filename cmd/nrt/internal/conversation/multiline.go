package conversation

import "strings"

const fence = `"""`

// Assembler joins the lines between """ and """ into one input. The fence may open at the start of a line or in the
// argument of a command, as in `/system """`.
type Assembler struct {
	head  string
	lines []string
	open  bool
}

// Push takes a line (or a paste of many) and returns the input that it completes, if it does.
func (a *Assembler) Push(line string) (input string, whole bool) {
	if !a.open {
		i := strings.Index(line, fence)
		if i < 0 || i > 0 && line[0] != '/' {
			return line, true
		}
		a.head, line, a.open = line[:i], line[i+len(fence):], true
	}
	body, closed := strings.CutSuffix(strings.TrimRight(line, " \t\n"), fence)
	if !closed {
		a.lines = append(a.lines, line)
		return "", false
	}
	a.lines = append(a.lines, body)
	// The fences may stand on lines of their own.
	input = a.head + strings.TrimSuffix(strings.TrimPrefix(strings.Join(a.lines, "\n"), "\n"), "\n")
	*a = Assembler{}
	return input, true
}

// Open says that a fence waits for its other half.
func (a *Assembler) Open() bool { return a.open }

// Reset forgets a message half written.
func (a *Assembler) Reset() { *a = Assembler{} }
