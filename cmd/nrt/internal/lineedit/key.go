package lineedit

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// key is one thing the user did: typed a character, pressed a named key, or pasted a text.
type key struct {
	code code
	char rune   // code charKey only
	text string // code pasteKey only
}

// code names a key. Control keys are their ASCII codes, the same on every terminal; the named ones follow.
type code int

const (
	ctrlA code = 1 + iota
	ctrlB
	ctrlC
	ctrlD
	ctrlE
	ctrlF
	ctrlG
	ctrlH
	ctrlI
	ctrlJ
	ctrlK
	ctrlL
	ctrlM
	ctrlN
	_
	ctrlP
	_
	ctrlR
)

const (
	ctrlU code = 0x15
	ctrlW code = 0x17
	ctrlX code = 0x18
	ctrlY code = 0x19
	ctrlZ code = 0x1a
)

const (
	charKey code = 0x100 + iota
	pasteKey
	unknownKey
	upKey
	downKey
	leftKey
	rightKey
	homeKey
	endKey
	deleteKey
	backspaceKey
	wordLeftKey
	wordRightKey
	killWordKey
	killNextWordKey
	newlineKey // a line break inside the message: Alt-Enter
)

// The sequences that xterm, its many heirs, the Linux console and tmux send.
var sequences = map[string]code{
	"[A": upKey, "[B": downKey, "[C": rightKey, "[D": leftKey, "[H": homeKey, "[F": endKey,
	"OA": upKey, "OB": downKey, "OC": rightKey, "OD": leftKey, "OH": homeKey, "OF": endKey,
	"[1~": homeKey, "[7~": homeKey, "[4~": endKey, "[8~": endKey, "[3~": deleteKey,
	"[1;5C": wordRightKey, "[1;5D": wordLeftKey, "[1;3C": wordRightKey, "[1;3D": wordLeftKey,
	"[5C": wordRightKey, "[5D": wordLeftKey, "[3;5~": killNextWordKey,
}

var altKeys = map[byte]code{
	'b': wordLeftKey, 'f': wordRightKey, 'd': killNextWordKey, 0x7f: killWordKey, '\b': killWordKey,
	'\r': newlineKey, '\n': newlineKey,
}

const (
	esc        = 0x1b
	pasteStart = "[200~"
	pasteEnd   = "\x1b[201~"
	maxPaste   = 16 << 20 // bytes; what comes beyond is dropped
	maxEscape  = 32       // bytes; no terminal sends longer sequences
)

// decoder cuts the bytes of a terminal into keys, however the reads happened to split them.
type decoder struct {
	pending []byte
	paste   strings.Builder
	pasting bool
}

func (d *decoder) feed(chunk []byte) { d.pending = append(d.pending, chunk...) }

// next is the next whole key; ok is false when the bytes so far end inside one.
func (d *decoder) next() (k key, ok bool) {
	switch {
	case d.pasting:
		return d.pasted()
	case len(d.pending) == 0:
		return key{}, false
	case d.pending[0] == esc:
		return d.escape()
	case d.pending[0] == 0x7f:
		d.drop(1)
		return key{code: backspaceKey}, true
	case d.pending[0] < ' ':
		c := code(d.pending[0])
		d.drop(1)
		return key{code: c}, true
	case !utf8.FullRune(d.pending):
		return key{}, false
	}
	r, size := utf8.DecodeRune(d.pending)
	d.drop(size)
	return key{code: charKey, char: r}, true
}

func (d *decoder) drop(n int) { d.pending = d.pending[n:] }

func (d *decoder) escape() (key, bool) {
	n := sequenceLength(d.pending[1:])
	if n == 0 {
		return key{}, false
	}
	seq := string(d.pending[1 : 1+n])
	d.drop(1 + n)
	if seq == pasteStart {
		d.pasting = true
		return d.pasted()
	}
	if c, ok := sequences[seq]; ok {
		return key{code: c}, true
	}
	if c, ok := altKeys[seq[0]]; ok && n == 1 {
		return key{code: c}, true
	}
	return key{code: unknownKey}, true
}

// sequenceLength is the length of the escape sequence whose bytes after ESC are b; 0 when it is not whole yet.
func sequenceLength(b []byte) int {
	switch {
	case len(b) == 0:
		return 0
	case b[0] == 'O':
		if len(b) < 2 {
			return 0
		}
		return 2
	case b[0] != '[':
		return 1
	}
	for i := 1; i < len(b); i++ {
		if b[i] >= 0x40 || i == maxEscape {
			return i + 1
		}
	}
	return 0
}

// pasted collects the text between the two brackets of a paste.
func (d *decoder) pasted() (key, bool) {
	if end := bytes.Index(d.pending, []byte(pasteEnd)); end >= 0 {
		d.keepPaste(end)
		d.drop(len(pasteEnd))
		k := key{code: pasteKey, text: d.paste.String()}
		d.pasting = false
		d.paste.Reset()
		return k, true
	}
	// The closing bracket itself may be cut by the end of a read.
	if keep := len(d.pending) - len(pasteEnd) + 1; keep > 0 {
		d.keepPaste(keep)
	}
	return key{}, false
}

func (d *decoder) keepPaste(n int) {
	if room := maxPaste - d.paste.Len(); room > 0 {
		d.paste.Write(d.pending[:min(n, room)])
	}
	d.drop(n)
}
