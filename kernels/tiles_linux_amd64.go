//go:build !purego && !race

package kernels

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// askForTiles asks Linux for the tile registers: their 8 KiB make signal frames larger, so a process has them only if it
// asks. The answer is for all its threads. A frame is then about 11 KiB, of the 32 KiB that Go gives signal handlers.
var askForTiles = sync.OnceValue(func() error {
	const requestPermission, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	if _, _, errno := unix.RawSyscall(unix.SYS_ARCH_PRCTL, requestPermission, tileData, 0); errno != 0 {
		return fmt.Errorf("the system gives no tile registers: %w", errno)
	}
	return nil
})
