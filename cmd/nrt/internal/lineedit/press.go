package lineedit

import (
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// press carries out one key. done says that the message is complete.
func (e *Editor) press(k key) (done bool, err error) {
	if e.search != nil && e.pressInSearch(k) {
		return false, nil
	}
	if e.chord {
		e.chord = false
		if k.code == ctrlE {
			return false, e.compose()
		}
	}
	switch k.code {
	case ctrlM, ctrlJ:
		return true, nil
	case ctrlC:
		return true, ErrInterrupt
	case ctrlD:
		if e.buf.empty() {
			return true, io.EOF
		}
		e.buf.delete()
	case ctrlG:
		return false, e.compose()
	case ctrlX:
		e.chord = true
	case ctrlL:
		e.screen.row = 0
		e.write("\x1b[H\x1b[2J")
	case ctrlR:
		e.search = &search{before: e.buf, found: len(e.cfg.History.entries)}
	case ctrlZ:
		return false, e.suspend()
	case ctrlI:
		e.complete()
	case upKey, ctrlP:
		e.up()
	case downKey, ctrlN:
		e.down()
	default:
		e.buf.edit(k)
	}
	return false, nil
}

// edit carries out the keys that concern only the text.
func (b *buffer) edit(k key) {
	at := len(b.left)
	switch k.code {
	case charKey:
		b.insert(string(k.char))
	case pasteKey:
		b.insert(k.text)
	case newlineKey:
		b.insert("\n")
	case leftKey, ctrlB:
		b.goTo(b.before())
	case rightKey, ctrlF:
		b.goTo(b.after())
	case wordLeftKey:
		b.goTo(b.wordStart())
	case wordRightKey:
		b.goTo(b.wordEnd())
	case homeKey, ctrlA:
		b.goTo(b.lineStart())
	case endKey, ctrlE:
		b.goTo(b.lineEnd())
	case backspaceKey, ctrlH:
		b.backspace()
	case deleteKey:
		b.delete()
	case ctrlK:
		b.cut(at, b.lineEnd())
	case ctrlU:
		b.cut(b.lineStart(), at)
	case ctrlW:
		b.cut(b.blankStart(), at)
	case killWordKey:
		b.cut(b.wordStart(), at)
	case killNextWordKey:
		b.cut(at, b.wordEnd())
	case ctrlY:
		b.yank()
	}
}

// up goes to the line above in a message of several, else to the message before.
func (e *Editor) up() {
	if start := e.buf.lineStart(); start > 0 {
		col := e.buf.column()
		e.buf.goTo(start - 1)
		e.buf.toColumn(col)
	} else if text, ok := e.cfg.History.back(e.buf.text()); ok {
		e.buf.set(text)
	}
}

func (e *Editor) down() {
	if end := e.buf.lineEnd(); end < len(e.buf.text()) {
		col := e.buf.column()
		e.buf.goTo(end + 1)
		e.buf.toColumn(col)
	} else if text, ok := e.cfg.History.forward(); ok {
		e.buf.set(text)
	}
}

// column is the number of characters between the start of the line and the cursor.
func (b *buffer) column() int {
	return uniseg.GraphemeClusterCount(b.left[b.lineStart():])
}

func (b *buffer) toColumn(n int) {
	b.goTo(b.lineStart())
	for ; n > 0 && len(b.left) < b.lineEnd(); n-- {
		b.goTo(b.after())
	}
}

func (e *Editor) complete() {
	if e.cfg.Complete == nil {
		e.buf.insert("\t")
		return
	}
	e.buf.insert(e.cfg.Complete(e.buf.left))
}

// compose hands the message to the external editor. An editor that fails leaves the message as it was.
func (e *Editor) compose() error {
	if e.cfg.Compose == nil {
		return nil
	}
	return e.outside(func() {
		text, err := e.cfg.Compose(e.buf.text())
		if err != nil {
			e.write(err.Error() + "\r\n")
			return
		}
		e.buf.set("")
		e.buf.insert(strings.TrimRight(text, "\r\n"))
	})
}

func (e *Editor) suspend() error {
	if e.cfg.Suspend == nil {
		return nil
	}
	return e.outside(e.cfg.Suspend)
}

// outside does f with the terminal as it was before Read, and comes back.
func (e *Editor) outside(f func()) error {
	e.write(e.screen.home())
	if err := e.leave(); err != nil {
		return err
	}
	f()
	return e.enter()
}
