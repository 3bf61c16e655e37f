package bench

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/nrt-go/nrt/kernels"
)

// memory measures how fast the machine reads: no product with weights that stand in memory can be faster.
type memory struct {
	pool  *kernels.Pool
	words []uint64
	sum   atomic.Uint64 // so that the loads are not left out
}

func newMemory(pool *kernels.Pool, bytes int64) *memory {
	m := &memory{pool: pool, words: make([]uint64, max(bytes/8, 1))}
	for i := range m.words {
		m.words[i] = uint64(i) // a page that was never written is no memory yet
	}
	return m
}

// read appends samples in GB/s.
func (m *memory) read(run KernelRun, to *Samples) error {
	samples, err := repeat(context.Background(), run, func() (float64, error) {
		const chunk = 1 << 17 // words
		err := m.pool.Run(len(m.words), chunk, func(_, start, end int) { m.sum.Add(sumWords(m.words[start:end])) })
		return float64(8*len(m.words)) / 1e9, err
	})
	*to = append(*to, samples...)
	return err
}

// sumWords adds words in eight chains, so that loads do not wait for one another.
func sumWords(x []uint64) uint64 {
	var a, b, c, d, e, f, g, h uint64
	for ; len(x) >= 8; x = x[8:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
		e, f, g, h = e+x[4], f+x[5], g+x[6], h+x[7]
	}
	for _, v := range x {
		a += v
	}
	return a + b + c + d + e + f + g + h
}

// The working set is twice the last cache, within these bounds.
const (
	leastSet = 256 << 20
	mostSet  = 1 << 30
)

// DefaultWorkingSet is the bytes that a measurement of memory goes through: twice the last cache where the machine
// tells its size, 256 MiB to 1 GiB.
func DefaultWorkingSet() int64 {
	var largest int64
	for _, index := range []string{"2", "3", "4"} {
		text, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cache/index" + index + "/size")
		if err != nil {
			continue
		}
		if kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(string(text)), "K"), 10, 64); err == nil {
			largest = max(largest, kib<<10)
		}
	}
	return min(max(2*largest, leastSet), mostSet)
}
