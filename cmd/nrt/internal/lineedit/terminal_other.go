//go:build !unix

package lineedit

const plainEditor = "notepad"

// resized never reports: Read asks for the size with every key anyway.
func resized() <-chan struct{} { return nil }

var suspend func()
