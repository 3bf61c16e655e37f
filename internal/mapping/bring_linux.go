package mapping

import "golang.org/x/sys/unix"

// Bring has pages present. What was written in whole huge pages stands in them in the page cache too, and is mapped so.
func Bring(pages []byte) {
	if len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_HUGEPAGE)
		_ = unix.Madvise(pages, unix.MADV_POPULATE_READ)
	}
}
