//go:build !unix && !windows

package gguf

import (
	"errors"
	"os"
)

const canMap = false

func mapFile(*os.File, int) ([]byte, func() error, error) { return nil, nil, errors.ErrUnsupported }

func restPages([]byte) {}
