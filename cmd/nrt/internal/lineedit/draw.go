package lineedit

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Prompt is what stands before and beside the message while it is written.
type Prompt struct {
	Text string // before the first line
	More string // before the further lines of a message
	Hint string // shown dim while the message is empty
}

const tabWidth = 4

// layout is a message cut into the rows of a terminal.
type layout struct {
	rows    []string
	width   int // columns of the terminal
	col     int // columns used in the last row
	row, at int // where the cursor stands
}

// arrange lays out prompt and message; the cursor stands between left and right.
func arrange(p Prompt, left, right string, width int) *layout {
	l := &layout{rows: []string{""}, width: max(width, uniseg.StringWidth(p.Text)+2, uniseg.StringWidth(p.More)+2)}
	l.add(p.Text, "")
	l.add(left, p.More)
	if l.col == l.width {
		l.wrap() // the cursor needs a cell of its own
	}
	l.row, l.at = len(l.rows)-1, l.col
	l.add(right, p.More)
	return l
}

func (l *layout) add(text, more string) {
	for state := -1; text != ""; {
		var cluster string
		var width int
		cluster, text, width, state = uniseg.FirstGraphemeClusterInString(text, state)
		switch {
		case cluster == "\n":
			l.wrap()
			l.put(more, uniseg.StringWidth(more))
		case cluster == "\t":
			n := tabWidth - l.col%tabWidth
			l.put(strings.Repeat(" ", n), n)
		case hasControl(cluster):
			l.put("�", 1)
		default:
			l.put(cluster, width)
		}
	}
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

func (l *layout) put(s string, width int) {
	if l.col+width > l.width {
		l.wrap()
	}
	l.rows[len(l.rows)-1] += s
	l.col += width
}

func (l *layout) wrap() {
	l.rows = append(l.rows, "")
	l.col = 0
}

// screen draws layouts over each other.
type screen struct {
	row int // of the cursor, counted from the first row drawn
}

// draw is what to write so that the terminal shows l in place of what was drawn before. Of a message that is higher than
// the terminal it shows the rows around the cursor.
func (s *screen) draw(l *layout, hint string, height int) string {
	top := 0
	if len(l.rows) > height {
		top = min(max(0, l.row-height/2), len(l.rows)-height)
	}
	rows := l.rows[top:min(len(l.rows), top+height)]
	var out strings.Builder
	out.WriteString(s.home())
	out.WriteString(strings.Join(rows, "\r\n"))
	if hint != "" && l.col+uniseg.StringWidth(hint) < l.width {
		fmt.Fprintf(&out, "\x1b[2m%s\x1b[m", hint)
	}
	if up := len(rows) - 1 - (l.row - top); up > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", up)
	}
	out.WriteByte('\r')
	if l.at > 0 {
		fmt.Fprintf(&out, "\x1b[%dC", l.at)
	}
	s.row = l.row - top
	return out.String()
}

// home goes to the first cell drawn and clears everything from there.
func (s *screen) home() string {
	up := ""
	if s.row > 0 {
		up = fmt.Sprintf("\x1b[%dA", s.row)
	}
	s.row = 0
	return up + "\r\x1b[J"
}
