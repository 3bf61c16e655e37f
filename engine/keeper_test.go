package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/packed"
)

// notices collects what an engine says of packed weights.
type notices struct {
	mu    sync.Mutex
	lines []string
}

func (n *notices) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

// start opens the model with a cache, asks for an answer and closes it.
func start(t *testing.T, dir string) (tokens []int32, said string) {
	t.Helper()
	var n notices
	e, err := Open(testdata.SmolLM2(t), Config{Threads: 2, Packed: &packed.Cache{Dir: dir}, Notice: n.add})
	if err != nil {
		t.Fatal(err)
	}
	e.keeper.grace = time.Hour // however slow the disk is
	tokens = answerOf(t, e, greedy("Once upon a time", 5)).Tokens
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return tokens, strings.Join(n.lines, "\n")
}

// TestPackedWeightsAreKept starts a model three times: the first start leaves a file, the second uses it, the third has
// no use for it since it is damaged, and leaves another. The answers are the same.
func TestPackedWeightsAreKept(t *testing.T) {
	dir := t.TempDir()
	want, said := start(t, dir)
	if said == "" {
		t.Skip("this instruction set has no packed weights")
	}
	if !strings.HasPrefix(said, "packed weights kept: ") {
		t.Fatalf("the first start said %q", said)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.packed"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files are kept, %v, want 1", len(files), err)
	}
	tokens, said := start(t, dir)
	if !slices.Equal(tokens, want) || said != "packed weights: "+files[0] {
		t.Errorf("the second start answers %v, want %v, and says %q", tokens, want, said)
	}
	if err := os.Truncate(files[0], 1<<20); err != nil {
		t.Fatal(err)
	}
	tokens, said = start(t, dir)
	if !slices.Equal(tokens, want) || !strings.Contains(said, "found a file of 1048576 bytes") || !strings.Contains(said, "packed weights kept: ") {
		t.Errorf("the third start answers %v, want %v, and says %q", tokens, want, said)
	}
}

// TestNoPlaceForPackedWeights wants an answer where the cache cannot be written.
func TestNoPlaceForPackedWeights(t *testing.T) {
	taken := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(taken, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tokens, said := start(t, taken)
	if len(tokens) != 5 || strings.Contains(said, "kept") {
		t.Errorf("%d tokens, want 5; it says %q", len(tokens), said)
	}
}

// TestPackedWeightsUnasked: a model that is opened and closed leaves none.
func TestPackedWeightsUnasked(t *testing.T) {
	dir := t.TempDir()
	e, err := Open(testdata.SmolLM2(t), Config{Packed: &packed.Cache{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Tokenizer(), e.acquire(t.Context()); err == nil {
		t.Error("a closed engine was acquired")
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("%d files are kept", len(files))
	}
}
