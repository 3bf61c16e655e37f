package x86

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Attention emits the two halves of attention: scores, where a lane is a position, and the weighted sum of values, where
// a lane is a number of the head.
func Attention(m machine) {
	scores(m)
	sumRows(m)
}

// many is n fresh vectors, zeroed or loaded.
func many(m machine, n int, fill func(i int, v reg.VecVirtual)) []reg.VecVirtual {
	all := make([]reg.VecVirtual, n)
	for i := range all {
		all[i] = m.vec()
		fill(i, all[i])
	}
	return all
}

// bySteps emits body for 64 elements at a time and then for 16, as long as count, which is consumed, has so many left.
// The two pointers are at the float32 elements in question.
func bySteps(name string, count, a, b reg.GPVirtual, body func(width int)) {
	for _, width := range []int{64, 16} {
		start, done := fmt.Sprintf("%s%d", name, width), fmt.Sprintf("below%d", width)
		Label(start)
		CMPQ(count, U32(uint32(width)))
		JL(LabelRef(done))
		body(width)
		ADDQ(U32(uint32(4*width)), a)
		ADDQ(U32(uint32(4*width)), b)
		SUBQ(U32(uint32(width)), count)
		JMP(LabelRef(start))
		Label(done)
	}
}

func scores(m machine) {
	TEXT("scores"+m.suffix(), NOSPLIT, "func(dst, q, k *float32, dim, n, page int, scale float32)")
	Pragma("noescape")
	Doc("scores" + m.suffix() + " writes scale * Σ_d q[d]*k[d][j] to dst[j]; k is [dim][page], n a multiple of 16, at least 16.")
	dst, q, k, dim, n, page := pointer("dst"), pointer("q"), pointer("k"), pointer("dim"), pointer("n"), pointer("page")
	SHLQ(U8(2), page)
	bySteps("positions", n, dst, k, func(width int) { scoreColumns(m, width, dst, q, k, dim, page) })
	VZEROUPPER()
	RET()
}

// scoreColumns computes the scores of width positions.
func scoreColumns(m machine, width int, dst, q, k, dim, page reg.GPVirtual) {
	size := 4 * m.lanes()
	sums := many(m, width/m.lanes(), func(_ int, v reg.VecVirtual) { m.zero(v) })
	count, qp, kp := GP64(), GP64(), GP64()
	MOVQ(dim, count)
	MOVQ(q, qp)
	MOVQ(k, kp)
	loop(fmt.Sprintf("dim%d", width), count, func() {
		x := m.vec()
		VBROADCASTSS(at(qp, 0), x)
		for i, sum := range sums {
			p := m.vec()
			VMULPS(at(kp, i*size), x, p)
			VADDPS(p, sum, sum)
		}
		ADDQ(U8(4), qp)
		ADDQ(page, kp)
	})
	scale := m.vec()
	VBROADCASTSS(NewParamAddr("scale", 48), scale)
	for i, sum := range sums {
		VMULPS(scale, sum, sum)
		VMOVUPS(sum, at(dst, i*size))
	}
}

func sumRows(m machine) {
	TEXT("sumRows"+m.suffix(), NOSPLIT, "func(acc, p, v *float32, dim, n int)")
	Pragma("noescape")
	Doc("sumRows" + m.suffix() + " adds p[j]*v[j] to acc for ascending j; v is [n][dim], dim a multiple of 16, n at least 1.")
	acc, p, v, dim, n := pointer("acc"), pointer("p"), pointer("v"), pointer("dim"), pointer("n")
	stride := GP64()
	MOVQ(dim, stride)
	SHLQ(U8(2), stride)
	bySteps("numbers", dim, acc, v, func(width int) { sumColumns(m, width, acc, p, v, n, stride) })
	VZEROUPPER()
	RET()
}

// sumColumns adds the weighted rows of width numbers.
func sumColumns(m machine, width int, acc, p, v, n, stride reg.GPVirtual) {
	size := 4 * m.lanes()
	sums := many(m, width/m.lanes(), func(i int, sum reg.VecVirtual) { VMOVUPS(at(acc, i*size), sum) })
	count, pp, vp := GP64(), GP64(), GP64()
	MOVQ(n, count)
	MOVQ(p, pp)
	MOVQ(v, vp)
	loop(fmt.Sprintf("row%d", width), count, func() {
		weight := m.vec()
		VBROADCASTSS(at(pp, 0), weight)
		for i, sum := range sums {
			product := m.vec()
			VMULPS(at(vp, i*size), weight, product)
			VADDPS(product, sum, sum)
		}
		ADDQ(U8(4), pp)
		ADDQ(stride, vp)
	})
	for i, sum := range sums {
		VMOVUPS(sum, at(acc, i*size))
	}
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
