package lineedit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// vt is a small terminal: it shows what a user would see after what the editor wrote. It knows exactly the sequences
// that the editor uses and reports any other.
type vt struct {
	width, height int
	cells         [][]string // rows of cells; "" is the right half of a wide one
	row, col      int
	bad           []string
}

func newVT(width, height int) *vt { return &vt{width: width, height: height, cells: [][]string{nil}} }

func (t *vt) Write(p []byte) (int, error) {
	s := string(p)
	for s != "" {
		s = s[t.step(s):]
	}
	return len(p), nil
}

func (t *vt) step(s string) int {
	switch {
	case s[0] == '\r':
		t.col = 0
	case s[0] == '\n':
		t.down()
	case s[0] == 0x1b:
		return t.escape(s)
	case s[0] < ' ' || s[0] == 0x7f:
		t.bad = append(t.bad, fmt.Sprintf("%q", s[0]))
	default:
		cluster, _, width, _ := uniseg.FirstGraphemeClusterInString(s, -1)
		t.put(cluster, width)
		return len(cluster)
	}
	return 1
}

func (t *vt) down() {
	t.row++
	for len(t.cells) <= t.row {
		t.cells = append(t.cells, nil)
	}
}

func (t *vt) put(cluster string, width int) {
	if t.col+width > t.width {
		t.col = 0
		t.down()
	}
	line := t.cells[t.row]
	for len(line) < t.col+max(width, 1) {
		line = append(line, " ")
	}
	switch {
	case width == 0 && t.col > 0:
		line[t.col-1] += cluster
	case width > 0:
		line[t.col] = cluster
		for i := 1; i < width; i++ {
			line[t.col+i] = ""
		}
	}
	t.cells[t.row] = line
	t.col += width
}

func (t *vt) escape(s string) int {
	for _, ignored := range []string{pasteOn, pasteOff, "\x1b[2m", "\x1b[m"} {
		if strings.HasPrefix(s, ignored) {
			return len(ignored)
		}
	}
	for _, clear := range []string{"\x1b[H\x1b[2J"} {
		if strings.HasPrefix(s, clear) {
			t.cells, t.row, t.col = [][]string{nil}, 0, 0
			return len(clear)
		}
	}
	if strings.HasPrefix(s, "\x1b[J") {
		t.cells = t.cells[:t.row+1]
		t.cells[t.row] = t.cells[t.row][:min(t.col, len(t.cells[t.row]))]
		return 3
	}
	var n int
	var final byte
	if _, err := fmt.Sscanf(s, "\x1b[%d%c", &n, &final); err != nil {
		t.bad = append(t.bad, fmt.Sprintf("%.8q", s))
		return 1
	}
	switch final {
	case 'A':
		if n > t.height-1 {
			t.bad = append(t.bad, fmt.Sprintf("up by %d in a terminal of %d rows", n, t.height))
		}
		t.row = max(0, t.row-n)
	case 'C':
		t.col = min(t.col+n, t.width-1)
	default:
		t.bad = append(t.bad, fmt.Sprintf("%.8q", s))
	}
	return len(fmt.Sprintf("\x1b[%d%c", n, final))
}

// String is the screen without trailing blanks, the cursor as a bar.
func (t *vt) String() string {
	var rows []string
	for i, line := range t.cells {
		text := strings.Join(line, "")
		if i == t.row {
			for len(line) < t.col {
				line = append(line, " ")
			}
			text = strings.Join(line[:t.col], "") + "|" + strings.Join(line[t.col:], "")
		}
		rows = append(rows, strings.TrimRight(text, " "))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

func (t *vt) valid() error {
	if len(t.bad) > 0 {
		return fmt.Errorf("the terminal got %s", strings.Join(t.bad, ", "))
	}
	if !utf8.ValidString(t.String()) {
		return fmt.Errorf("the screen is not UTF-8: %q", t.String())
	}
	return nil
}
