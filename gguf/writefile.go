package gguf

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile writes the file beside path, makes sure that it is on the disk, and only then gives it the name: path is
// the old file, or none, or the whole new one, whatever happens. On an error nothing is left behind.
func (w *Writer) WriteFile(path string) (err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	temp, err := os.CreateTemp(dir, "."+base+".*.tmp")
	if err != nil {
		return err
	}
	renamed := false
	defer func() { // also when a source panics
		if !renamed {
			err = errors.Join(err, discard(temp))
		}
	}()
	if err := w.writeAndSync(temp, path); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	renamed = true
	return syncDir(dir)
}

// writeAndSync leaves f complete, on the disk, readable for others as far as a new file usually is, and closed.
func (w *Writer) writeAndSync(f *os.File, path string) error {
	out := bufio.NewWriterSize(f, 1<<20)
	if _, err := w.writeTo(out, path); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil && runtime.GOOS != "windows" {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

func discard(temp *os.File) error {
	if err := temp.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return os.Remove(temp.Name())
}

// syncDir makes a rename in dir last. Windows and browsers have no such call for a folder.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
