package quant

// TQ1_0: 256 ternary weights in 54 bytes, 1.6875 bits a weight. w = d·(t−1), t a base-3 digit.
//
//	byte  0  32 bytes of five digits: byte j has weights j, 32+j, … 128+j
//	byte 32  16 bytes of five digits: byte j has weights 160+j, 176+j, … 224+j
//	byte 48  4 bytes of four digits: byte j has weights 240+j, 244+j, 248+j, 252+j
//	byte 52  d, half
//
// A byte is ⌈256·n/243⌉ for the five-digit number n, first digit highest: multiplying it by 3^k and taking the high
// part of three times the low byte gives digit k without a division.

// tq1Runs are the three parts: where their bytes begin and how many there are, where their weights begin and how many
// digits a byte holds.
var tq1Runs = [3]struct{ at, bytes, weight, digits int }{{0, 32, 0, 5}, {32, 16, 160, 5}, {48, 4, 240, 4}}

func decodeTQ1_0(dst []float32, src []byte) {
	for ; len(dst) >= 256; dst, src = dst[256:], src[54:] {
		d := getF16(src[52:])
		for _, run := range tq1Runs {
			for j, b := range src[run.at : run.at+run.bytes] {
				for k := range run.digits {
					dst[run.weight+k*run.bytes+j] = float32(int(uint16(b)*3>>8)-1) * d
					b *= 3
				}
			}
		}
	}
}

func encodeTQ1_0(dst []byte, src []float32) {
	for ; len(src) >= 256; dst, src = dst[54:], src[256:] {
		d := magnitude(src[:256])
		id := inverse(d)
		for _, run := range tq1Runs {
			for j := range run.bytes {
				n := 0
				for k := range 5 {
					n *= 3
					if k < run.digits {
						n += trit(src[run.weight+k*run.bytes+j] * id)
					}
				}
				dst[run.at+j] = byte((n*256 + 242) / 243)
			}
		}
		putF16(dst[52:], d)
	}
}

// trit rounds a number of −1…1 to a ternary digit.
func trit(x float32) int { return min(2, max(0, int(roundAway(x))+1)) }
