package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/nrt-go/nrt/kernels"
)

// MachineName names a machine by its processor and cores, in letters that every file system takes.
func MachineName() string { return machineName(CPU(), kernels.Cores()) }

func machineName(cpu string, cores int) string {
	cpu = strings.NewReplacer("(R)", "", "(TM)", "", "(r)", "", "(tm)", "", "CPU", "").Replace(cpu)
	words := strings.FieldsFunc(strings.ToLower(cpu), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.'
	})
	return fmt.Sprintf("%s-%s-%d-cores", strings.Join(words, "-"), runtime.GOARCH, cores)
}

// Save keeps records under dir/<machine>/<date>-<commit>.json and returns that path. A name that is taken gets a number:
// no result replaces another.
func Save(dir string, at time.Time, records []Record) (path string, err error) {
	var doc bytes.Buffer
	if err := WriteJSON(&doc, records); err != nil {
		return "", err
	}
	dir = filepath.Join(dir, MachineName())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("bench: %w", err)
	}
	commit := strings.TrimSuffix(Commit(), "+")
	if commit == "" {
		commit = "unknown"
	}
	base := filepath.Join(dir, at.UTC().Format("2006-01-02")+"-"+commit)
	for n := 1; ; n++ {
		path = base + ".json"
		if n > 1 {
			path = fmt.Sprintf("%s-%d.json", base, n)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("bench: %w", err)
		}
		_, err = f.Write(doc.Bytes())
		if closed := f.Close(); err == nil {
			err = closed
		}
		return path, err
	}
}
