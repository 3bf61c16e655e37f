package lineedit

import (
	"os"

	"golang.org/x/sys/windows"
)

const plainEditor = "notepad"

// prepare lets an older console obey the sequences that Read writes; newer ones do so anyway, so a failure is no matter.
func prepare(out *os.File) {
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(out.Fd()), &mode) == nil {
		_ = windows.SetConsoleMode(windows.Handle(out.Fd()), mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	}
}

// resized never reports: Read asks for the size with every key anyway.
func resized() <-chan struct{} { return nil }

var suspend func()
