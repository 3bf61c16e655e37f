package quant

import "math"

// What the simple formats look at in a block before they round it.

// magnitude is the largest absolute value of a block.
func magnitude(x []float32) float32 {
	largest := float32(0)
	for _, v := range x {
		if a := abs(v); a > largest {
			largest = a
		}
	}
	return largest
}

// extreme is the value of largest magnitude with its sign, the first of equals.
func extreme(x []float32) float32 {
	largest, value := float32(0), float32(0)
	for _, v := range x {
		if a := abs(v); a > largest {
			largest, value = a, v
		}
	}
	return value
}

// extent is the smallest and the largest value.
func extent(x []float32) (lowest, highest float32) {
	lowest, highest = math.MaxFloat32, -math.MaxFloat32
	for _, v := range x {
		if v < lowest {
			lowest = v
		}
		if v > highest {
			highest = v
		}
	}
	return lowest, highest
}

// inverse is 1/d, or 0 where the block is nothing but zeros or so close to it that 1/d overflows.
func inverse(d float32) float32 {
	id := 1 / d
	if abs(id) > math.MaxFloat32 {
		return 0
	}
	return id
}

// roundAway rounds to the nearest integer, ties away from zero. Adding the half in float64 is exact enough: in float32
// the largest number below 0.5 would round up.
func roundAway(x float32) int32 { return int32(float64(x) + math.Copysign(0.5, float64(x))) }

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
