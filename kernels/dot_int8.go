package kernels

// rows32 is the kernel of a format in blocks of 32. A row of weights is unpacked once and meets every row of
// activations:
//
//	sum += (scale_b * xscale_b) * Σ q*xq      block after block,
//	sum += offset_b * xsum_b                  in formats with an offset.
func rows32(unpack func(s *strip, row []byte), offset bool) rowKernel {
	one := func(p *product, w *room, r int) {
		for i := range p.x.Rows {
			p.dst.Data[i*p.dst.Cols+r] = dot32(&w.first, p.row32(i), offset)
		}
	}
	two := func(p *product, w *room, r int) {
		for i := range p.x.Rows {
			dst := p.dst.Data[i*p.dst.Cols+r:]
			dst[0], dst[1] = dotPair32(w, p.row32(i), offset)
		}
	}
	return rowKernel{needs32, func(p *product, w *room, start, end int) {
		forRows(p, w, start, end, unpack, one, two)
	}}
}

// rows256 is the kernel of a format in blocks of 256:
//
//	sum += (scale_b * xscale_b) * Σ_g sub_g * Σ q*xq       block after block,
//	sum -= (offset_b * xscale_b) * Σ_g less_g * xsum_g     in formats with an offset.
//
// The integer sums are exact: they stay below 2^28 in every format.
func rows256(unpack func(s *strip, row []byte), offset bool) rowKernel {
	one := func(p *product, w *room, r int) {
		for i := range p.x.Rows {
			p.dst.Data[i*p.dst.Cols+r] = dot256(&w.first, p.row256(i), offset)
		}
	}
	two := func(p *product, w *room, r int) {
		for i := range p.x.Rows {
			dst := p.dst.Data[i*p.dst.Cols+r:]
			dst[0], dst[1] = dotPair256(w, p.row256(i), offset)
		}
	}
	return rowKernel{needs256, func(p *product, w *room, start, end int) {
		forRows(p, w, start, end, unpack, one, two)
	}}
}

// forRows unpacks rows of weights, two at a time where a batch makes that pay, and calls one or two for them.
func forRows(p *product, w *room, start, end int, unpack func(s *strip, row []byte), one, two func(p *product, w *room, r int)) {
	for r := start; r < end; r++ {
		unpack(&w.first, p.weightRow(r))
		if p.x.Rows == 1 || r+1 == end {
			one(p, w, r)
			continue
		}
		unpack(&w.next, p.weightRow(r+1))
		w.pack(p.x.Cols)
		two(p, w, r)
		r++
	}
}

func dot32(s *strip, x act32, offset bool) float32 {
	var sum float32
	for b := range x.scale {
		q, xq := (*[32]int8)(s.q[b*32:]), (*[32]int8)(x.q[b*32:])
		n := dot16((*[16]int8)(q[:16]), (*[16]int8)(xq[:16])) + dot16((*[16]int8)(q[16:]), (*[16]int8)(xq[16:]))
		sum = s.fold32(sum, x, b, n, offset)
	}
	return sum
}

func dotPair32(w *room, x act32, offset bool) (first, next float32) {
	for b := range x.scale {
		p, xq := (*[32]int64)(w.pair[b*32:]), (*[32]int8)(x.q[b*32:])
		n, m := unpacked(dotPair16((*[16]int64)(p[:16]), (*[16]int8)(xq[:16])) + dotPair16((*[16]int64)(p[16:]), (*[16]int8)(xq[16:])))
		first = w.first.fold32(first, x, b, n, offset)
		next = w.next.fold32(next, x, b, m, offset)
	}
	return first, next
}

// fold32 adds block b, whose integer dot is n, to sum.
func (s *strip) fold32(sum float32, x act32, b int, n int32, offset bool) float32 {
	sum += float32(float32(s.scale[b]*x.scale[b]) * float32(n))
	if offset {
		sum += float32(s.offset[b] * x.sum[b])
	}
	return sum
}

func dot256(s *strip, x act256, offset bool) float32 {
	var sum float32
	for b := range x.scale {
		var n int32
		for g := b * 16; g < b*16+16; g++ {
			n += s.sub[g] * dot16((*[16]int8)(s.q[g*16:]), (*[16]int8)(x.q[g*16:]))
		}
		sum = s.fold256(sum, x, b, n, offset)
	}
	return sum
}

func dotPair256(w *room, x act256, offset bool) (first, next float32) {
	for b := range x.scale {
		var n, m int32
		for g := b * 16; g < b*16+16; g++ {
			lower, upper := unpacked(dotPair16((*[16]int64)(w.pair[g*16:]), (*[16]int8)(x.q[g*16:])))
			n += w.first.sub[g] * lower
			m += w.next.sub[g] * upper
		}
		first = w.first.fold256(first, x, b, n, offset)
		next = w.next.fold256(next, x, b, m, offset)
	}
	return first, next
}

func (s *strip) fold256(sum float32, x act256, b int, n int32, offset bool) float32 {
	sum += float32(float32(s.scale[b]*x.scale[b]) * float32(n))
	if offset {
		var m int32
		for g := b * 16; g < b*16+16; g++ {
			m += s.less[g] * int32(x.sums[g])
		}
		sum -= float32(float32(s.offset[b]*x.scale[b]) * float32(m))
	}
	return sum
}

func dot16(a, b *[16]int8) int32 {
	return int32(a[0])*int32(b[0]) + int32(a[1])*int32(b[1]) + int32(a[2])*int32(b[2]) + int32(a[3])*int32(b[3]) +
		int32(a[4])*int32(b[4]) + int32(a[5])*int32(b[5]) + int32(a[6])*int32(b[6]) + int32(a[7])*int32(b[7]) +
		int32(a[8])*int32(b[8]) + int32(a[9])*int32(b[9]) + int32(a[10])*int32(b[10]) + int32(a[11])*int32(b[11]) +
		int32(a[12])*int32(b[12]) + int32(a[13])*int32(b[13]) + int32(a[14])*int32(b[14]) + int32(a[15])*int32(b[15])
}

func dotPair16(p *[16]int64, b *[16]int8) int64 {
	return p[0]*int64(b[0]) + p[1]*int64(b[1]) + p[2]*int64(b[2]) + p[3]*int64(b[3]) +
		p[4]*int64(b[4]) + p[5]*int64(b[5]) + p[6]*int64(b[6]) + p[7]*int64(b[7]) +
		p[8]*int64(b[8]) + p[9]*int64(b[9]) + p[10]*int64(b[10]) + p[11]*int64(b[11]) +
		p[12]*int64(b[12]) + p[13]*int64(b[13]) + p[14]*int64(b[14]) + p[15]*int64(b[15])
}
