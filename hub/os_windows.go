package hub

import (
	"os"

	"golang.org/x/sys/windows"
)

// FreeBytes is what a user may still write to the disk of dir; false where the system does not say.
func FreeBytes(dir string) (int64, bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, false
	}
	return int64(min(free, 1<<62)), true
}

// lock claims a file until it is closed; it fails at once when another process has it.
func lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30}) // far past the end: the bytes stay readable
}
