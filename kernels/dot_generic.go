package kernels

// Dot is the inner product of a and b, which have the same length: lane i mod 16 adds a[i]*b[i] in ascending order,
// and the sixteen lanes are added as sumLanes does.
func Dot(a, b []float32) float32 { return active.dot(a, b) }

// dotGeneric goes over the lanes in two halves: eight sums stay in registers, sixteen do not.
func dotGeneric(a, b []float32) float32 {
	var lane [16]float32
	b = b[:len(a)]
	whole := len(a) &^ 15
	for half := 0; half < 16; half += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		for i := half; i < whole; i += 16 {
			x, y := (*[8]float32)(a[i:i+8]), (*[8]float32)(b[i:i+8])
			s0 += float32(x[0] * y[0])
			s1 += float32(x[1] * y[1])
			s2 += float32(x[2] * y[2])
			s3 += float32(x[3] * y[3])
			s4 += float32(x[4] * y[4])
			s5 += float32(x[5] * y[5])
			s6 += float32(x[6] * y[6])
			s7 += float32(x[7] * y[7])
		}
		*(*[8]float32)(lane[half:]) = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
	for i := whole; i < len(a); i++ {
		lane[i&15] += float32(a[i] * b[i])
	}
	return sumLanes(&lane)
}

// sumLanes adds lane j+8 to lane j, then j+4, j+2 and j+1: the order in which a register is folded in half.
func sumLanes(lane *[16]float32) float32 {
	for width := 8; width > 0; width /= 2 {
		for j := range width {
			lane[j] += lane[j+width]
		}
	}
	return lane[0]
}

// axpyGeneric adds a times x to y, element by element.
func axpyGeneric(y []float32, a float32, x []float32) {
	x = x[:len(y)]
	for len(y) >= 4 && len(x) >= 4 {
		y[0] += float32(a * x[0])
		y[1] += float32(a * x[1])
		y[2] += float32(a * x[2])
		y[3] += float32(a * x[3])
		y, x = y[4:], x[4:]
	}
	for i := range y {
		y[i] += float32(a * x[i])
	}
}

// Add adds x to y, element by element.
func Add(y, x []float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += x[i]
	}
}
