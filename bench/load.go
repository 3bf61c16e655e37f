package bench

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/packed"
	"github.com/nrt-go/nrt/tokenizer"
)

// LoadPrompt is the tokens of prompt before the first token of a load test.
const LoadPrompt = 16

// LoadMethod says in one line how loading is measured.
const LoadMethod = "from opening the file to the logits behind a prompt of 16 tokens, in this process; one warm-up, so the files " +
	"stand in the page cache; the peak counts the file's mapped pages too"

// LoadRecord is where the time to the first token goes, in milliseconds.
type LoadRecord struct {
	BuildCommit string    `json:"build_commit"`
	CPU         string    `json:"cpu_info"`
	ISA         string    `json:"isa"`
	ModelFile   string    `json:"model_filename"`
	ModelType   string    `json:"model_type"`
	ModelSize   int64     `json:"model_size"`
	Threads     int       `json:"n_threads"`
	Time        time.Time `json:"test_time"`
	Open        Samples   `json:"open_ms"`    // map, check, bind
	Vocabulary  Samples   `json:"vocab_ms"`   // the tokenizer
	Pack        Samples   `json:"pack_ms"`    // weights into panels or their packed file mapped, pages and buffers
	Prefill     Samples   `json:"prefill_ms"` // LoadPrompt tokens
	Total       Samples   `json:"first_token_ms"`
	Kept        bool      `json:"packed_file"`        // whether the weights came from a packed file
	PeakBytes   int64     `json:"peak_rss,omitempty"` // largest resident memory of a run; 0 where the system does not say
}

// Model is the name of the model's file without its folders.
func (r *LoadRecord) Model() string { return filepath.Base(filepath.ToSlash(r.ModelFile)) }

// MeasureLoad opens a model and computes its first token, once to warm up and then Reps times. The warm-up leaves packed
// weights in the cache, where there is one.
func MeasureLoad(ctx context.Context, path string, threads int, cache *packed.Cache, run Run) (LoadRecord, error) {
	isa, err := kernels.ISA()
	if err != nil {
		return LoadRecord{}, err
	}
	if run, err = run.ready(); err != nil {
		return LoadRecord{}, err
	}
	r := LoadRecord{BuildCommit: Commit(), CPU: CPU(), ISA: isa, ModelFile: path, Threads: threads, Time: run.Clock().UTC()}
	for i := range run.Reps + 1 {
		resetPeak()
		l := &loading{path: path, threads: threads, cache: cache, now: run.Clock, record: &r}
		if err := l.run(ctx, i > 0); err != nil {
			return LoadRecord{}, err
		}
		r.PeakBytes = max(r.PeakBytes, peakMemory())
		run.Step()
	}
	return r, nil
}

// loading is one run.
type loading struct {
	path    string
	threads int
	cache   *packed.Cache
	now     Clock
	record  *LoadRecord
	counts  bool
	last    time.Time
}

// lap ends a stage.
func (l *loading) lap(to *Samples) {
	at := l.now()
	if l.counts {
		*to = append(*to, milliseconds(at.Sub(l.last)))
	}
	l.last = at
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func (l *loading) run(ctx context.Context, counts bool) (err error) {
	started := l.now()
	l.counts, l.last = counts, started
	file, err := gguf.Open(l.path)
	if err != nil {
		return err
	}
	m := &Model{file: file}
	defer func() { err = errors.Join(err, m.Close()) }()
	if m.model, err = models.Load(file); err != nil {
		return err
	}
	l.lap(&l.record.Open)
	if _, err := tokenizer.FromGGUF(file); err != nil {
		return err
	}
	l.lap(&l.record.Vocabulary)
	if err := m.pack(l.threads, l.cache); err != nil {
		return err
	}
	s, err := m.session(Test{Prompt: LoadPrompt, Parallel: 1, Threads: l.threads, Batch: DefaultBatch, KV: kv.F16})
	if err != nil {
		return err
	}
	defer s.close()
	l.lap(&l.record.Pack)
	if err := s.prefill(ctx, LoadPrompt); err != nil {
		return err
	}
	l.lap(&l.record.Prefill)
	if counts {
		l.record.Total = append(l.record.Total, milliseconds(l.last.Sub(started)))
	}
	l.record.ModelType, l.record.ModelSize = modelType(file), m.model.Bytes()
	path, _ := m.panels.Path()
	l.record.Kept = path != ""
	if m.panels.Worth() { // the warm-up, and it is not timed
		_, err = m.panels.Save(ctx)
	}
	return err
}

// resetPeak gives back what earlier runs left and lets the system count anew. Where it cannot, the peak is that of all
// models before as well.
func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMemory is the process's largest resident memory in bytes; 0 where the system does not say.
func peakMemory() int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}
