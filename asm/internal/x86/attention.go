package x86

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Layout that kernels' Go side shares: queries stand side by side, number after number, and a query's scores follow those
// of the query before it at a fixed distance.
const (
	queryRows  = 8             // queries that are computed together at most
	scoreBytes = 4 * 256       // from the scores of one query to those of the next
	queryBytes = 4 * queryRows // from one number of the queries to the next, or from four bytes to the next four
)

// attender is a machine as attention sees it: how many queries share what is loaded, and how bytes are multiplied.
type attender interface {
	machine
	// blocks are the numbers of queries that are computed together, largest first, each with how many vectors of
	// positions, or of a value's numbers, meet them in turn. Every list ends with 16 of those.
	blocks() []attendBlock
	// prepareKeys readies four dimensions of keys for dotKeys, which adds to sum the products with the four bytes of q.
	prepareKeys(k reg.VecVirtual) []reg.VecVirtual
	dotKeys(k []reg.VecVirtual, q, sum reg.VecVirtual)
	// keysBias says that prepareKeys made bytes unsigned by adding 128, which sums have to begin without.
	keysBias() bool
	// operands are constants of arithmetic, and scaleAbove is the end of expBelow.
	operands(all []float32) []Op
	scaleAbove(p, n, x reg.VecVirtual, lowest Op)
}

type attendBlock struct {
	queries int
	vectors []int
}

func (*avx512) blocks() []attendBlock {
	return []attendBlock{{8, []int{2, 1}}, {4, []int{4, 1}}, {3, []int{4, 1}}, {2, []int{4, 1}}, {1, []int{4, 1}}}
}

func (*avx2) blocks() []attendBlock {
	return []attendBlock{{4, []int{2}}, {3, []int{2}}, {2, []int{4, 2}}, {1, []int{8, 2}}}
}

func (*avx512) keysBias() bool { return true }
func (*avx2) keysBias() bool   { return false }

func (a *avx512) prepareKeys(k reg.VecVirtual) []reg.VecVirtual {
	a.xor(a.bytes(0x80), k, k)
	return []reg.VecVirtual{k}
}

func (*avx512) dotKeys(k []reg.VecVirtual, q, sum reg.VecVirtual) { VPDPBUSD(q, k[0], sum) }

func (*avx2) prepareKeys(k reg.VecVirtual) []reg.VecVirtual {
	magnitude := YMM()
	VPABSB(k, magnitude)
	return []reg.VecVirtual{k, magnitude}
}

// dotKeys moves the keys' signs to the query: two products of magnitudes up to 127 stay within 16 bits.
func (a *avx2) dotKeys(k []reg.VecVirtual, q, sum reg.VecVirtual) {
	p := YMM()
	VPSIGNB(k[0], q, p)
	VPMADDUBSW(p, k[1], p)
	VPMADDWD(a.word(1), p, p)
	VPADDD(p, sum, sum)
}

// stored is a number format of keys and values.
type stored struct {
	name, kind string
	size       int
	widen      func(from Mem, to reg.VecVirtual) // to float32 lanes
}

var storedFormats = []stored{
	{"F32", "float32", 4, func(from Mem, to reg.VecVirtual) { VMOVUPS(from, to) }},
	{"F16", "uint16", 2, func(from Mem, to reg.VecVirtual) { VCVTPH2PS(from, to) }},
	{"Q8", "int8", 1, func(from Mem, to reg.VecVirtual) { VPMOVSXBD(from, to); VCVTDQ2PS(to, to) }},
}

// Attention emits the two halves of attention for every number format: scores, where a lane is a position, and the
// weighted sum of values, where a lane is a number of the head; and what adds up the parts of tiles.
func Attention(m machine) {
	a := m.(attender)
	for _, f := range storedFormats {
		if f.name == "Q8" {
			scoresQ8(a, f)
		} else {
			scores(a, f)
		}
		sumRows(a, f)
	}
	soften(a)
	blend(a)
}

// many is n fresh vectors, zeroed or loaded.
func many(m machine, n int, fill func(i int, v reg.VecVirtual)) []reg.VecVirtual {
	all := vectors(m, n)
	for i, v := range all {
		fill(i, v)
	}
	return all
}

// vectors is n fresh vectors.
func vectors(m machine, n int) []reg.VecVirtual {
	all := make([]reg.VecVirtual, n)
	for i := range all {
		all[i] = m.vec()
	}
	return all
}

// grid is a vector for each query and each of n vectors of lanes.
func grid(m machine, queries, n int) [][]reg.VecVirtual {
	all := make([][]reg.VecVirtual, queries)
	for i := range all {
		all[i] = vectors(m, n)
	}
	return all
}

// clearSums clears a grid by VXORPS, which the allocator knows to read nothing in every width.
func clearSums(sums [][]reg.VecVirtual) {
	for _, row := range sums {
		for _, v := range row {
			VXORPS(v, v, v)
		}
	}
}

// repeat emits body as long as count, which is consumed, has step left.
func repeat(name string, count reg.GPVirtual, step int, body func()) {
	start, done := name, "below_"+name
	Label(start)
	CMPQ(count, U32(uint32(step)))
	JL(LabelRef(done))
	body()
	SUBQ(U32(uint32(step)), count)
	JMP(LabelRef(start))
	Label(done)
}

// forBlocks emits body for as many queries together as there are of heads, and then for what is left of them; in each of
// those for as many of the lanes that a parameter counts as go together. Before the lanes of each it emits begin; behind
// each it emits advance with the lanes that are done, and next with the queries.
func forBlocks(m attender, heads reg.GPVirtual, lanes string, begin func(), body func(queries, vectors int), advance, next func(n int)) {
	for _, b := range m.blocks() {
		repeat(fmt.Sprintf("queries%d", b.queries), heads, b.queries, func() {
			left := pointer(lanes)
			begin()
			for _, n := range b.vectors {
				repeat(fmt.Sprintf("lanes%dx%d", b.queries, n), left, n*m.lanes(), func() {
					body(b.queries, n)
					advance(n * m.lanes())
				})
			}
			next(b.queries)
		})
	}
}

// prefetchNext prefetches as many bytes of what is read next as a step reads now.
func prefetchNext(next reg.GPVirtual, bytes int) {
	fetch(at(next, 0), bytes)
	ADDQ(U32(uint32(bytes)), next)
}

// move advances a pointer.
func move(p reg.GPVirtual, bytes int) { ADDQ(U32(uint32(bytes)), p) }

// scan is a kernel of scores: how sums begin, what a step from one number of the queries to the next adds to them, and how
// they end as scores. A step reads cell bytes of keys for each position.
type scan struct {
	m     attender
	cell  int
	begin func(sums [][]reg.VecVirtual, done reg.GPVirtual)
	step  func(sums [][]reg.VecVirtual, keys, q reg.GPVirtual)
	end   func(sums [][]reg.VecVirtual, done, positions reg.GPVirtual)
}

// emit writes the kernel: for every block of queries, for every stretch of positions, one pass over the dimensions. done
// is four times the queries and positions four times the positions that are behind.
func (s scan) emit() {
	dst, heads := pointer("dst"), pointer("heads")
	next, first, done, positions := GP64(), GP64(), GP64(), GP64()
	XORQ(done, done)
	forBlocks(s.m, heads, "n",
		func() {
			Load(Param("k"), first)
			Load(Param("next"), next)
			XORQ(positions, positions)
		},
		func(queries, vectors int) {
			sums := grid(s.m, queries, vectors)
			s.begin(sums, done)
			count, keys, q := pointer("steps"), GP64(), pointer("q")
			MOVQ(first, keys)
			ADDQ(done, q)
			loop(fmt.Sprintf("step%dx%d", queries, vectors), count, func() {
				s.step(sums, keys, q)
				prefetchNext(next, s.cell*vectors*s.m.lanes())
				move(q, queryBytes)
				ADDQ(param("stride"), keys)
			})
			s.end(sums, done, positions)
			for h, row := range sums {
				for i, v := range row {
					VMOVUPS(v, Mem{Base: dst, Index: positions, Scale: 1, Disp: h*scoreBytes + i*4*s.m.lanes()})
				}
			}
		},
		func(n int) { move(first, s.cell*n); move(positions, 4*n) },
		func(n int) { move(done, 4*n); move(dst, scoreBytes*n) })
	VZEROUPPER()
	RET()
}

func scores(m attender, f stored) {
	name := "scores" + f.name + m.suffix()
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst, q *float32, k, next *%s, heads, steps, n, stride int, scale float32)", f.kind))
	Pragma("noescape")
	Doc(name+" writes scale * Σ_d q[d][h]*k[d][j] to dst[h][j] for ascending d; dst is [heads][TilePositions], q [steps][QueryRows],",
		"k [steps][], stride bytes from one step to the next, n a multiple of 16. It prefetches as much from next as it reads from k.")
	scan{
		m: m, cell: f.size,
		begin: func(sums [][]reg.VecVirtual, _ reg.GPVirtual) { clearSums(sums) },
		step: func(sums [][]reg.VecVirtual, keys, q reg.GPVirtual) {
			weights := broadcasts(m, len(sums), q, 4)
			addWeighted(m, f, sums, weights, keys)
		},
		end: func(sums [][]reg.VecVirtual, _, _ reg.GPVirtual) {
			scale := m.vec()
			VBROADCASTSS(param("scale"), scale)
			for _, row := range sums {
				for _, v := range row {
					VMULPS(scale, v, v)
				}
			}
		},
	}.emit()
}

// param is a parameter in memory.
func param(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// broadcasts loads n float32, so many bytes apart, each to every lane of a vector.
func broadcasts(m machine, n int, p reg.GPVirtual, step int) []reg.VecVirtual {
	return many(m, n, func(i int, v reg.VecVirtual) { VBROADCASTSS(at(p, step*i), v) })
}

// addWeighted adds the numbers at p times each query's weight to that query's sums, in two roundings.
func addWeighted(m attender, f stored, sums [][]reg.VecVirtual, weights []reg.VecVirtual, p reg.GPVirtual) {
	for i := range sums[0] {
		x, product := m.vec(), m.vec()
		f.widen(at(p, i*f.size*m.lanes()), x)
		for h, row := range sums {
			VMULPS(weights[h], x, product)
			VADDPS(product, row[i], row[i])
		}
	}
}

func scoresQ8(m attender, f stored) {
	name := "scores" + f.name + m.suffix()
	TEXT(name, NOSPLIT, "func(dst *float32, q, k, next *int8, qscale *float32, bias *int32, kscale *float32, heads, steps, n, stride int)")
	Pragma("noescape")
	Doc(name+" writes qscale[h]*kscale[j] * Σ_d q[d/4][h][d%4]*k[d/4][j][d%4] to dst[h][j]; dst is [heads][TilePositions],",
		"q [steps][QueryRows][4], k [steps][][4], stride bytes from one to the next, bias[h] = -128*Σ_d q, n a multiple of 16. It prefetches from next.")
	scan{
		m: m, cell: 4,
		begin: func(sums [][]reg.VecVirtual, done reg.GPVirtual) {
			if !m.keysBias() {
				clearSums(sums)
				return
			}
			bias := pointer("bias")
			for h, row := range sums {
				for _, v := range row {
					m.broadcast(Mem{Base: bias, Index: done, Scale: 1, Disp: 4 * h}, v)
				}
			}
		},
		step: func(sums [][]reg.VecVirtual, keys, q reg.GPVirtual) {
			queries := broadcasts(m, len(sums), q, 4)
			for i := range sums[0] {
				k := m.vec()
				m.load(at(keys, i*4*m.lanes()), k)
				prepared := m.prepareKeys(k)
				for h, row := range sums {
					m.dotKeys(prepared, queries[h], row[i])
				}
			}
		},
		end: func(sums [][]reg.VecVirtual, done, positions reg.GPVirtual) {
			qscale := pointer("qscale")
			ADDQ(done, qscale)
			scales := broadcasts(m, len(sums), qscale, 4)
			kscale, scale := pointer("kscale"), m.vec()
			for i := range sums[0] {
				for h, row := range sums {
					VMULPS(Mem{Base: kscale, Index: positions, Scale: 1, Disp: i * 4 * m.lanes()}, scales[h], scale)
					VCVTDQ2PS(row[i], row[i])
					VMULPS(scale, row[i], row[i])
				}
			}
		},
	}.emit()
}

func sumRows(m attender, f stored) {
	name := "sumRows" + f.name + m.suffix()
	params, doc := "", ""
	if f.name == "Q8" {
		params, doc = "scale *float32, ", " p is multiplied by scale first, up to the next multiple of 16."
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(acc, p *float32, v, next *%s, %sheads, dim, n int)", f.kind, params))
	Pragma("noescape")
	Doc(name+" adds p[h][j]*v[j] to acc[h] for ascending j; acc is [heads][dim], p [heads][TilePositions], v [n][dim], dim a",
		"multiple of 16, n at least 1. It prefetches as much from next as it reads from v."+doc)
	if f.name == "Q8" {
		weigh(m)
	}
	acc, p, heads, stride := pointer("acc"), pointer("p"), pointer("heads"), pointer("dim")
	next, first := GP64(), GP64()
	row := GP64() // bytes from one query's sums to the next
	MOVQ(stride, row)
	SHLQ(U8(2), row)
	if f.size > 1 {
		IMUL3Q(U8(uint8(f.size)), stride, stride)
	}
	numbers := GP64()
	forBlocks(m, heads, "dim",
		func() {
			Load(Param("v"), first)
			Load(Param("next"), next)
			MOVQ(acc, numbers)
		},
		func(queries, vectors int) {
			sums := grid(m, queries, vectors)
			eachRow(m, sums, numbers, row, func(v reg.VecVirtual, at Mem) { VMOVUPS(at, v) })
			count, values, weights := pointer("n"), GP64(), GP64()
			MOVQ(first, values)
			MOVQ(p, weights)
			loop(fmt.Sprintf("row%dx%d", queries, vectors), count, func() {
				addWeighted(m, f, sums, broadcasts(m, queries, weights, scoreBytes), values)
				prefetchNext(next, f.size*vectors*m.lanes())
				move(weights, 4)
				ADDQ(stride, values)
			})
			eachRow(m, sums, numbers, row, func(v reg.VecVirtual, at Mem) { VMOVUPS(v, at) })
		},
		func(n int) { move(first, f.size*n); move(numbers, 4*n) },
		func(n int) {
			move(p, scoreBytes*n)
			for range n {
				ADDQ(row, acc)
			}
		})
	VZEROUPPER()
	RET()
}

// eachRow emits body for every vector of sums and its place, rows being row bytes apart.
func eachRow(m machine, sums [][]reg.VecVirtual, p, row reg.GPVirtual, body func(v reg.VecVirtual, at Mem)) {
	here := GP64()
	MOVQ(p, here)
	for h, vs := range sums {
		if h > 0 {
			ADDQ(row, here)
		}
		for i, v := range vs {
			body(v, at(here, i*4*m.lanes()))
		}
	}
}

// weigh emits the multiplication of every query's weights by the positions' scales.
func weigh(m machine) {
	p, scale, n, heads, x := pointer("p"), pointer("scale"), pointer("n"), GP64(), m.vec()
	here := GP64()
	ADDQ(U8(m.lanes()-1), n)
	SHRQ(U8(map[int]uint8{8: 3, 16: 4}[m.lanes()]), n)
	loop("weigh", n, func() {
		VMOVUPS(at(scale, 0), x)
		Load(Param("heads"), heads)
		MOVQ(p, here)
		loop("weighQuery", heads, func() {
			w := m.vec()
			VMULPS(at(here, 0), x, w)
			VMOVUPS(w, at(here, 0))
			move(here, scoreBytes)
		})
		move(p, 4*m.lanes())
		move(scale, 4*m.lanes())
	})
}

func blend(m machine) {
	name := "blend" + m.suffix()
	TEXT(name, NOSPLIT, "func(acc, part *float32, n int, keep, share float32)")
	Pragma("noescape")
	Doc(name + " sets acc to acc*keep + part*share, in three roundings; n is a multiple of 16, at least 16.")
	acc, part, n, keep, share := pointer("acc"), pointer("part"), pointer("n"), m.vec(), m.vec()
	VBROADCASTSS(param("keep"), keep)
	VBROADCASTSS(param("share"), share)
	SHRQ(U8(4), n)
	loop("sixteen", n, func() {
		for disp := 0; disp < 64; disp += 4 * m.lanes() {
			x, y := m.vec(), m.vec()
			VMULPS(at(acc, disp), keep, x)
			VMULPS(at(part, disp), share, y)
			VADDPS(y, x, x)
			VMOVUPS(x, at(acc, disp))
		}
		move(acc, 64)
		move(part, 64)
	})
	VZEROUPPER()
	RET()
}

// maximum emits the largest element, or a NaN where there is one.
func maximum() {
	TEXT("maxAsm", NOSPLIT, "func(x *float32, n int) float32")
	Pragma("noescape")
	Doc("maxAsm is the largest of n elements, or NaN where there is one; n is a multiple of 8, at least 8.")
	x, n := pointer("x"), pointer("n")
	most, broken := YMM(), YMM()
	VMOVUPS(at(x, 0), most)
	VXORPS(broken, broken, broken)
	SHRQ(U8(3), n)
	loop("eight", n, func() {
		v, mask := YMM(), YMM()
		VMOVUPS(at(x, 0), v)
		const unordered = 3
		VCMPPS(U8(unordered), v, v, mask)
		VORPS(mask, broken, broken)
		VMAXPS(v, most, most)
		ADDQ(U8(32), x)
	})
	a, b, bits := XMM(), XMM(), GP32()
	VEXTRACTF128(U8(1), most, a)
	VMAXPS(most.AsX(), a, a)
	VPERMILPS(U8(0b1110), a, b)
	VMAXPS(b, a, a)
	VPERMILPS(U8(1), a, b)
	VMAXSS(b, a, a)
	VMOVMSKPS(broken, bits)
	TESTL(bits, bits)
	JZ(LabelRef("sound"))
	VMOVSS(word(notANum), a)
	Label("sound")
	ret, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	VMOVSS(a, ret.Addr)
	VZEROUPPER()
	RET()
}
