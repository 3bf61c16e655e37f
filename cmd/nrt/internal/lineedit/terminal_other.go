//go:build !unix && !windows

package lineedit

import "os"

const plainEditor = "vi"

func prepare(*os.File) {}

func resized() <-chan struct{} { return nil }

var suspend func()
