//go:build !linux && !purego && !race

package kernels

import "errors"

// askForTiles is for Linux; other systems either have no tile registers or another way to them.
func askForTiles() error { return errors.New("tile registers are in use on Linux only") }
