package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// KernelRecord is how fast the matrix product of one weight format is on one instruction set.
type KernelRecord struct {
	ISA        string  `json:"isa"`
	Format     string  `json:"format"`
	Packed     bool    `json:"packed"` // weights stand in panels
	Threads    int     `json:"n_threads"`
	WorkingSet int64   `json:"working_set"`         // bytes of weights that GEMV went through
	Bandwidth  Samples `json:"bandwidth_gb_s"`      // bytes that a loop of loads reads in a second, GB/s
	Peak       Samples `json:"peak_gops,omitempty"` // multiplications and additions of bytes in registers, 1e9/s
	GEMV       Samples `json:"gemv_gb_s"`           // bytes of weights that a product with one row reads in a second, GB/s
	GEMM64     Samples `json:"gemm_n64_gops"`       // multiplications and additions with 64 rows, 1e9/s
	GEMM512    Samples `json:"gemm_n512_gops"`      // with 512
}

// peak measures what registers alone allow; none where there is no loop for the processor.
func peak(ctx context.Context, pool *kernels.Pool, run KernelRun) (Samples, error) {
	loop, ops := peakLoop()
	if loop == nil {
		return nil, nil
	}
	const turns = 1 << 14 // well below a millisecond: the runtime cannot stop a worker inside
	return repeat(ctx, run, func() (float64, error) {
		err := pool.Run(pool.Workers(), 1, func(_, start, end int) {
			for range end - start {
				loop(turns)
			}
		})
		return float64(pool.Workers()) * turns * ops / 1e9, err
	})
}

// KernelMethod says in one line how kernels are measured.
const KernelMethod = "GEMV: one row of activations times weights larger than the caches; GEMM: a cached matrix times 64 and 512 rows; " +
	"read: the faster of two loops of loads over as much memory, all threads, before and after each format; " +
	"peak: the processor's fastest instructions on bytes, in registers"

// The matrices are those of a model of a billion weights. GEMV meets many of them, GEMM a part of one: enough rows for
// every worker to get several panels.
const (
	gemvRows, gemmLeast, gemmShare = 4096, 512, 128
	weightCols                     = 2048
)

func gemmRows(workers int) int { return max(gemmLeast, gemmShare*workers) }

// KernelRun is how kernels are measured.
type KernelRun struct {
	Threads    int
	Reps       int
	WorkingSet int64 // bytes
	Clock      Clock
}

// MeasureKernels measures formats on the instruction set in use and hands over each as it is done.
func MeasureKernels(ctx context.Context, formats []*quant.Format, run KernelRun, each func(KernelRecord) error) (err error) {
	isa, err := kernels.ISA()
	if err != nil {
		return err
	}
	pool := kernels.NewPool(run.Threads)
	defer pool.Close()
	memory, err := newMemory(pool, run.WorkingSet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, memory.arena.Free()) }()
	for _, f := range formats {
		bench := &kernelBench{run: run, pool: pool, format: f}
		rec := KernelRecord{ISA: isa, Format: f.Name, Threads: pool.Workers()}
		err := memory.read(ctx, run, &rec.Bandwidth)
		if err == nil {
			rec.Peak, err = peak(ctx, pool, run)
		}
		if err == nil {
			err = bench.measure(ctx, &rec)
		}
		if err == nil {
			err = memory.read(ctx, run, &rec.Bandwidth)
		}
		if err := errors.Join(err, bench.arena.Free()); err != nil {
			return fmt.Errorf("bench: %s on %s: %w", f.Name, isa, err)
		}
		if err := each(rec); err != nil {
			return err
		}
	}
	return nil
}

// kernelBench measures products of one format.
type kernelBench struct {
	run    KernelRun
	pool   *kernels.Pool
	format *quant.Format
	arena  kernels.Arena
}

func (b *kernelBench) measure(ctx context.Context, rec *KernelRecord) error {
	weights, err := b.weights(b.run.WorkingSet)
	if err != nil {
		return err
	}
	rec.Packed = weights[0].Type&quant.Packed != 0
	rec.WorkingSet = int64(len(weights)) * int64(len(weights[0].Data))
	if rec.GEMV, err = b.gemv(ctx, weights); err != nil {
		return err
	}
	if rec.GEMM64, err = b.gemm(ctx, 64); err != nil {
		return err
	}
	rec.GEMM512, err = b.gemm(ctx, 512)
	return err
}

// weights are as many copies of a matrix as fill the working set.
func (b *kernelBench) weights(bytes int64) ([]*tensor.Tensor, error) {
	source := randomWeights(b.format, gemvRows, weightCols)
	var out []*tensor.Tensor
	for have := int64(0); have < bytes || have == 0; have += int64(len(out[0].Data)) {
		t, err := kernels.Pack(b.pool, source, &b.arena)
		if err != nil {
			return nil, err
		}
		if t == source { // not packed: a copy of its own
			data, err := b.arena.Alloc(len(source.Data))
			if err != nil {
				return nil, err
			}
			copy(data, source.Data)
			t = &tensor.Tensor{Name: source.Name, Type: source.Type, Shape: source.Shape, Data: data}
		}
		out = append(out, t)
	}
	return out, nil
}

func (b *kernelBench) gemv(ctx context.Context, weights []*tensor.Tensor) (Samples, error) {
	in, dst := b.input(1, weightCols), tensor.NewMatrix(1, gemvRows)
	bytes := float64(len(weights)) * float64(len(weights[0].Data))
	return repeat(ctx, b.run, func() (float64, error) {
		for _, w := range weights {
			if err := kernels.MatMul(b.pool, dst, w, in); err != nil {
				return 0, err
			}
		}
		return bytes / 1e9, nil
	})
}

func (b *kernelBench) gemm(ctx context.Context, n int) (Samples, error) {
	rows := gemmRows(b.pool.Workers())
	w, err := kernels.Pack(b.pool, randomWeights(b.format, rows, weightCols), &b.arena)
	if err != nil {
		return nil, err
	}
	in, dst := b.input(n, weightCols), tensor.NewMatrix(n, rows)
	return repeat(ctx, b.run, func() (float64, error) {
		err := kernels.MatMul(b.pool, dst, w, in)
		return 2 * float64(n) * float64(rows) * weightCols / 1e9, err
	})
}

func (b *kernelBench) input(rows, cols int) *kernels.Input {
	x := tensor.NewMatrix(rows, cols)
	random := rand.New(rand.NewPCG(seed, 2))
	for i := range x.Data {
		x.Data[i] = float32(random.NormFloat64())
	}
	in := kernels.NewInput(rows, cols, b.pool.Workers(), kernels.Int8)
	in.Set(x)
	return in
}

// leastTime is how long a sample lasts at least: work is repeated until then, so that waking workers does not count.
const leastTime = 20 * time.Millisecond

// repeat calls work once to warm up, and takes samples of how much of it is done in a second.
func repeat(ctx context.Context, run KernelRun, work func() (float64, error)) (Samples, error) {
	if _, err := work(); err != nil {
		return nil, err
	}
	samples := make(Samples, 0, run.Reps)
	for range run.Reps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var amount float64
		start := run.Clock()
		var took time.Duration
		for took < leastTime {
			n, err := work()
			if err != nil {
				return nil, err
			}
			amount, took = amount+n, run.Clock().Sub(start)
		}
		samples = append(samples, amount/took.Seconds())
	}
	return samples, nil
}

// randomWeights is a matrix of valid blocks. Where the format has an encoder they hold normal numbers; else they are
// bytes whose upper two bits are clear, which in no format is a scale that is infinite or not a number.
func randomWeights(f *quant.Format, rows, cols int) *tensor.Tensor {
	random := rand.New(rand.NewPCG(seed, 3))
	size := f.RowBytes(cols)
	data := make([]byte, rows*size)
	distinct := min(rows, 16) // encoding is slow, and speed does not depend on values
	x := make([]float32, cols)
	for r := range distinct {
		row := data[r*size : (r+1)*size]
		if f.Encode == nil {
			for i := range row {
				row[i] = byte(random.Uint32()) & 0x3f
			}
			continue
		}
		for i := range x {
			x[i] = float32(random.NormFloat64())
		}
		f.Encode(row, x)
	}
	for r := distinct; r < rows; r++ {
		copy(data[r*size:(r+1)*size], data[r%distinct*size:])
	}
	return &tensor.Tensor{Name: "random " + f.Name, Type: f.Type, Shape: []int{cols, rows}, Data: data}
}
