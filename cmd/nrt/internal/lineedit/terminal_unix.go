//go:build unix

package lineedit

import (
	"os"
	"os/signal"
	"syscall"
)

const plainEditor = "vi"

func resized() <-chan struct{} {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGWINCH)
	c := make(chan struct{}, 1)
	go func() {
		for range signals {
			select {
			case c <- struct{}{}:
			default: // one redraw is enough for many steps of a resize
			}
		}
	}()
	return c
}

// suspend stops the whole process group, as the terminal itself does on Ctrl-Z.
func suspend() { _ = syscall.Kill(0, syscall.SIGTSTP) }
