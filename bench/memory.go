package bench

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/nrt-go/nrt/kernels"
)

// memory measures how fast the machine reads: no product with weights that stand in memory can be faster.
type memory struct {
	pool   *kernels.Pool
	arena  kernels.Arena // where weights stand too, in huge pages
	words  []uint64
	floats []float32     // the same bytes
	sum    atomic.Uint64 // so that the loads are not left out
}

func newMemory(pool *kernels.Pool, bytes int64) (*memory, error) {
	m := &memory{pool: pool}
	data, err := m.arena.Alloc(int(max(bytes/memoryChunk, 1)) * memoryChunk)
	if err != nil {
		return nil, err
	}
	m.words = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/8)
	m.floats = unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
	for i := range m.floats {
		m.floats[i] = 1 // a page that was never written is no memory yet
	}
	return m, nil
}

// memoryChunk is the bytes that a worker reads at a time.
const memoryChunk = 1 << 20

// read appends samples in GB/s, of the faster of two loops: words in Go, and the dot product of the instruction set in
// use, which takes wider loads.
func (m *memory) read(ctx context.Context, run KernelRun, to *Samples) error {
	words, err := m.loop(ctx, run, func(chunk int) uint64 {
		return sumWords(m.words[chunk*memoryChunk/8:][:memoryChunk/8])
	})
	if err != nil {
		return err
	}
	wide, err := m.loop(ctx, run, func(chunk int) uint64 {
		x := m.floats[chunk*memoryChunk/4:][:memoryChunk/4]
		return uint64(kernels.Dot(x[:len(x)/2], x[len(x)/2:]))
	})
	if err != nil {
		return err
	}
	if wide.Median() > words.Median() {
		words = wide
	}
	*to = append(*to, words...)
	return nil
}

// loop reads all of the memory, chunk by chunk.
func (m *memory) loop(ctx context.Context, run KernelRun, read func(chunk int) uint64) (Samples, error) {
	chunks := 8 * len(m.words) / memoryChunk
	return repeat(ctx, run, func() (float64, error) {
		err := m.pool.Run(chunks, 1, func(_, start, end int) {
			for i := start; i < end; i++ {
				m.sum.Add(read(i))
			}
		})
		return float64(8*len(m.words)) / 1e9, err
	})
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
