//go:build !linux

package mapping

// Bring does nothing: pages come as they are read.
func Bring([]byte) {}
