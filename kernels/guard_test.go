//go:build unix

package kernels

import (
	"fmt"
	"syscall"
	"testing"
	"unsafe"

	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

// fences are pieces of memory between pages that nobody may touch.
type fences struct {
	memory [][]byte
	atEnd  bool // arrays end where the forbidden page begins; else they begin where it ends
	next   int
}

const fenced = 64 << 10 // a multiple of every page size

func newFences(t *testing.T, n int, atEnd bool) *fences {
	t.Helper()
	f := &fences{atEnd: atEnd}
	for range n {
		all, err := syscall.Mmap(-1, 0, 3*fenced, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Munmap(all) })
		for _, forbidden := range [][]byte{all[:fenced], all[2*fenced:]} {
			if err := syscall.Mprotect(forbidden, syscall.PROT_NONE); err != nil {
				t.Fatal(err)
			}
		}
		f.memory = append(f.memory, all[fenced:2*fenced])
	}
	return f
}

// fencedArray is an array of n in the next piece, every byte of it 0x3f: as float32 and as half, numbers near one.
func fencedArray[T any](f *fences, n int) []T {
	piece := f.memory[f.next%len(f.memory)]
	f.next++
	size := n * int(unsafe.Sizeof(*new(T)))
	piece = piece[:size]
	if f.atEnd {
		piece = piece[:fenced][fenced-size:]
	}
	for i := range piece {
		piece[i] = 0x3f
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(piece))), n)
}

func eachFence(t *testing.T, pieces int, test func(t *testing.T, row *isa, f *fences)) {
	for _, row := range isas {
		for _, atEnd := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/atEnd=%v", row.name, atEnd), func(t *testing.T) {
				old := active
				defer func() { active = old }()
				active = row
				test(t, row, newFences(t, pieces, atEnd))
			})
		}
	}
}

// TestGuardedOperations says that no operation on vectors touches what is beside them.
func TestGuardedOperations(t *testing.T) {
	eachFence(t, 4, func(t *testing.T, row *isa, f *fences) {
		floats := func(n int) []float32 { return fencedArray[float32](f, n) }
		halves := func(n int) []uint16 { return fencedArray[uint16](f, n) }
		operations := map[string]func(n int){
			"dot":     func(n int) { row.dot(floats(n), floats(n)) },
			"expSum":  func(n int) { row.expSum(floats(n), 1) },
			"swiglu":  func(n int) { row.swiglu(floats(n), floats(n)) },
			"rmsNorm": func(n int) { row.rmsNorm(floats(n), floats(n), floats(n), 1e-5) },
			"toF32":   func(n int) { row.toF32(floats(n), halves(n)) },
			"toF16":   func(n int) { row.toF16(halves(n), floats(n)) },
			"max":     func(n int) { row.max(floats(n)) },
			"blend":   func(n int) { row.blend(floats(n), floats(n), 1, 1) },
		}
		for name, run := range operations {
			for n := 1; n < 100; n++ {
				guard(t, fmt.Sprintf("%s of %d", name, n), func() { run(n) })
			}
		}
		for blocks := 1; blocks <= 3; blocks++ {
			guard(t, "quantisers", func() {
				n := blocks * 256
				row.record32(fencedArray[byte](f, 8*blocks*record32), floats(n), record32)
				row.record256(fencedArray[byte](f, blocks*record256), floats(n), record256)
				row.quant32(fencedArray[int8](f, n), floats(n/32), floats(n/32), floats(n))
				row.quant256(fencedArray[int8](f, n), floats(n/256), fencedArray[int16](f, n/16), floats(n))
			})
		}
	})
}

func guard(t *testing.T, what string, run func()) {
	t.Helper()
	if err := tensor.Guard(func() error { run(); return nil }); err != nil {
		t.Errorf("%s: touched memory that is not its own: %v", what, err)
	}
}

// TestFencesHold says that a fault on either side is seen, in assembly as well.
func TestFencesHold(t *testing.T) {
	for _, atEnd := range []bool{false, true} {
		for _, row := range isas {
			a := unsafe.Pointer(unsafe.SliceData(fencedArray[float32](newFences(t, 1, atEnd), 32)))
			if !atEnd {
				a = unsafe.Add(a, -64)
			}
			long := unsafe.Slice((*float32)(a), 48)
			if err := tensor.Guard(func() error { row.dot(long, long); return nil }); err == nil {
				t.Errorf("%s, at end %v: floats beside an array could be read", row.name, atEnd)
			}
		}
	}
}

// TestGuardedProducts says that no product touches what is beside weights, activations, sums and results.
func TestGuardedProducts(t *testing.T) {
	pool := NewPool(1)
	defer pool.Close()
	var arena Arena
	defer arena.Free()
	const rows, cols = 24, 512 // the second panel is half empty
	eachFence(t, 7, func(t *testing.T, row *isa, f *fences) {
		for _, format := range quant.Formats() {
			guardForms(t, pool, f, *randomWeight(t, format.Type, rows, cols))
		}
		for typ := range row.rows {
			w := randomWeight(t, typ&^quant.Packed, rows, cols)
			if typ&quant.Packed != 0 {
				var err error
				if w, err = Pack(pool, w, &arena); err != nil {
					t.Fatal(err)
				}
			}
			for _, n := range []int{1, 2, 7, 19} {
				guardProduct(t, pool, f, *w, n, Int8)
			}
		}
	})
}

// guardForms multiplies weights in their file's order by float32 activations.
func guardForms(t *testing.T, pool *Pool, f *fences, w tensor.Tensor) {
	t.Helper()
	for _, n := range []int{1, 2, 7} {
		guardProduct(t, pool, f, w, n, Float32)
	}
}

func guardProduct(t *testing.T, pool *Pool, f *fences, w tensor.Tensor, n int, form Activations) {
	t.Helper()
	data := fencedArray[byte](f, len(w.Data))
	copy(data, w.Data)
	w.Data = data
	in := NewInput(n, w.Cols(), 1, form)
	in.Set(tensor.Matrix{Rows: n, Cols: w.Cols(), Data: fencedArray[float32](f, n*w.Cols())})
	in.records32 = fencedArray[byte](f, len(in.records32))
	in.records256 = fencedArray[byte](f, len(in.records256))
	in.rooms[0].f32 = fencedArray[float32](f, len(in.rooms[0].f32))
	in.rooms[0].acc = fencedArray[float32](f, len(in.rooms[0].acc))
	dst := tensor.Matrix{Rows: n, Cols: w.Rows(), Data: fencedArray[float32](f, n*w.Rows())}
	if err := MatMul(pool, dst, &w, in); err != nil {
		t.Errorf("%s, %d columns: touched memory that is not its own: %v", w.Type, n, err)
	}
}
