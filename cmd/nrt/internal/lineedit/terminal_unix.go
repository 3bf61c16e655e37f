//go:build unix

package lineedit

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

const plainEditor = "vi"

func prepare(*os.File) {}

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

// suspend stops the whole process group, as the terminal itself does on Ctrl-Z, and returns when it goes on. The stop
// comes a little after kill returns, and never where no shell would continue the group: hence the short wait.
func suspend() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-continued:
	case <-time.After(200 * time.Millisecond):
	}
}
