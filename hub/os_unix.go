//go:build linux || darwin || freebsd

package hub

import (
	"os"

	"golang.org/x/sys/unix"
)

// FreeBytes is what a user may still write to the disk of dir; false where the system does not say.
func FreeBytes(dir string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

// lock claims a file until it is closed; it fails at once when another process has it.
func lock(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
