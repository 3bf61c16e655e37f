package kernels

import (
	"fmt"
	"math"
	"testing"
)

// blocks cuts keys and values [length][dim] into pages of a number format.
func blocks(format int, k, v []float32, dim, page int) (keys, values []Block) {
	for start := 0; start < len(k)/dim; start += page {
		key, value := newBlock(format, dim, page), newBlock(format, dim, page)
		for j := range min(page, len(k)/dim-start) {
			key.put(k[(start+j)*dim:][:dim], j, func(d int) int {
				if format == blockQ8 {
					return (d/4*page+j)*4 + d%4
				}
				return d*page + j
			})
			value.put(v[(start+j)*dim:][:dim], j, func(d int) int { return j*dim + d })
		}
		keys, values = append(keys, key), append(values, value)
	}
	return keys, values
}

func newBlock(format, dim, page int) Block {
	switch format {
	case blockF16:
		return Block{F16: make([]uint16, dim*page)}
	case blockQ8:
		return Block{Q8: make([]int8, dim*page), Scale: make([]float32, page)}
	}
	return Block{F32: make([]float32, dim*page)}
}

// put stores a row, its number d where place says.
func (b *Block) put(row []float32, j int, place func(d int) int) {
	half, q := make([]uint16, len(row)), make([]int8, len(row))
	F32ToF16(half, row)
	scale, _ := QuantiseRow(q, row)
	for d, x := range row {
		switch b.format() {
		case blockF16:
			b.F16[place(d)] = half[d]
		case blockQ8:
			b.Q8[place(d)], b.Scale[j] = q[d], scale
		default:
			b.F32[place(d)] = x
		}
	}
}

var formatNames = [blockFormats]string{"F32", "F16", "Q8"}

func eachISA(test func(name string)) {
	old := active
	defer func() { active = old }()
	for _, row := range isas {
		active = row
		test(row.name)
	}
}

// TestAttendAgainstFloat64 compares two queries, of which one sees less, with attention in float64.
func TestAttendAgainstFloat64(t *testing.T) {
	tolerance := [blockFormats]float64{blockF32: 2e-6, blockF16: 2e-3, blockQ8: 3e-2}
	eachISA(func(name string) {
		for _, dim := range []int{24, 64, 80} {
			for _, page := range []int{4, 16, 64, 256} {
				for _, length := range []int{2, 3, 255, 257, 700} {
					for format := range blockFormats {
						t.Run(fmt.Sprint(name, formatNames[format], dim, page, length), func(t *testing.T) {
							attendAgainstFloat64(t, format, dim, page, length, tolerance[format])
						})
					}
				}
			}
		}
	})
}

func attendAgainstFloat64(t *testing.T, format, dim, page, length int, tolerance float64) {
	const scale = 0.1
	q, k, v := randoms(1, 2*dim), randoms(2, length*dim), randoms(3, length*dim)
	keys, values := blocks(format, k, v, dim, page)
	a := NewAttender(2, dim, page, scale)
	a.Add(q, format == blockQ8)
	var states [2]Softened
	acc := make([]float32, 2*dim)
	for start := 0; start < length; start += TilePositions {
		seen := []int{min(TilePositions, length-1-start), min(TilePositions, length-start)}
		beyond := min(len(keys), (start+TilePositions)/page)
		a.Attend(&Tile{Keys: keys[start/page : beyond], Values: values[start/page : beyond]}, 0, seen)
		for i := range states {
			if seen[i] > 0 {
				part, top, total := a.Part(i)
				states[i].Merge(acc[i*dim:(i+1)*dim], part, top, total)
			}
		}
	}
	for i := range states {
		got := acc[i*dim : (i+1)*dim]
		states[i].Finish(got)
		for d, want := range exactAttention(q[i*dim:(i+1)*dim], k, v, length-1+i, scale) {
			near(t, "Attend", got[d], want, 1, tolerance)
		}
	}
}

func exactAttention(q, k, v []float32, length int, scale float64) []float64 {
	dim, total := len(q), 0.0
	sum := make([]float64, dim)
	for j := range length {
		var s float64
		for d := range q {
			s += float64(q[d]) * float64(k[j*dim+d])
		}
		w := math.Exp(s * scale)
		total += w
		for d := range sum {
			sum[d] += w * float64(v[j*dim+d])
		}
	}
	for d := range sum {
		sum[d] /= total
	}
	return sum
}

// TestAttendIsTheSameEverywhere wants from every instruction set the bits of the Go loops: for every number of queries,
// for pages, heads and contexts that fill registers and for such that do not.
func TestAttendIsTheSameEverywhere(t *testing.T) {
	for format := range blockFormats {
		for _, dim := range []int{4, 16, 64, 80, 128} {
			for _, page := range []int{4, 16, 32, 64, 128} {
				for queries := 1; queries <= QueryRows+1; queries++ {
					attendTheSame(t, format, dim, page, queries)
				}
			}
		}
	}
}

func attendTheSame(t *testing.T, format, dim, page, queries int) {
	const length = 100
	q, k, v := randoms(4, queries*dim), randoms(5, length*dim), randoms(6, length*dim)
	q[0], k[7] = 1e4, -1e4 // some weights become zero
	keys, values := blocks(format, k, v, dim, page)
	for _, n := range []int{1, 15, 16, 17, 64, 65, length} {
		seen := make([]int, min(queries, QueryRows))
		for i := range seen {
			seen[i] = max(0, n+i-len(seen)+1)
		}
		var want []float32
		generic.attend(func() { want = attendOnce(keys, values, q, dim, page, seen, format == blockQ8) })
		eachISA(func(name string) {
			got := attendOnce(keys, values, q, dim, page, seen, format == blockQ8)
			for i := range want {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					t.Fatalf("%s, %s, dim %d, page %d, %d queries, %d positions: number %d is %g, want %g",
						name, formatNames[format], dim, page, queries, n, i, got[i], want[i])
				}
			}
		})
	}
}

// attend runs f on an instruction set.
func (row *isa) attend(f func()) {
	old := active
	active = row
	f()
	active = old
}

// attendOnce is all that Attend computes for the last block of queries: parts, totals and largest scores.
func attendOnce(keys, values []Block, q []float32, dim, page int, seen []int, q8 bool) []float32 {
	a := NewAttender(len(q)/dim, dim, page, 0.125)
	a.Add(q, q8)
	first := (a.n - 1) / QueryRows * QueryRows
	seen = seen[len(seen)-(a.n-first):]
	beyond := (seen[len(seen)-1] + page - 1) / page
	a.Attend(&Tile{Keys: keys[:beyond], Values: values[:beyond]}, first, seen)
	var all []float32
	for i := range seen {
		if seen[i] > 0 {
			part, top, total := a.Part(i)
			all = append(append(all, top, total), part...)
		}
	}
	return all
}

func TestAttendLetsNaNThrough(t *testing.T) {
	const dim, page = 16, 16
	for format := range blockFormats {
		for _, where := range []string{"query", "key", "value"} {
			q, k, v := randoms(1, dim), randoms(2, 2*dim), randoms(3, 2*dim)
			map[string][]float32{"query": q, "key": k, "value": v}[where][5] = float32(math.NaN())
			keys, values := blocks(format, k, v, dim, page)
			eachISA(func(name string) {
				got := attendOnce(keys, values, q, dim, page, []int{2}, format == blockQ8)
				if x := got[2+5]; x == x {
					t.Errorf("%s, %s: a NaN in a %s left %g", name, formatNames[format], where, x)
				}
			})
		}
	}
}
