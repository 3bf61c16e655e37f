//go:build !unix && !windows

package mapping

import (
	"errors"
	"os"
)

// Available tells whether Map works.
const Available = false

// Map is not there.
func Map(*os.File, int) ([]byte, func() error, error) { return nil, nil, errors.ErrUnsupported }

// Rest does nothing.
func Rest([]byte) {}
