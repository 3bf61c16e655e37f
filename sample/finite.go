package sample

import (
	"fmt"
	"math"
)

// NonFiniteError says that no token can be chosen: a logit is NaN, +Inf or absurdly high (the model's numbers broke), or
// none is above -Inf (everything is masked).
type NonFiniteError struct {
	Token      int32   // whose logit it is; -1 when it is all of them
	Value      float32 // what was found; of all of them, the highest
	Vocabulary int     // tokens
}

func (e *NonFiniteError) Error() string {
	if e.Token < 0 {
		return fmt.Sprintf("sample: logits: found %v at most for all %d tokens, wanted one that may be chosen", e.Value, e.Vocabulary)
	}
	return fmt.Sprintf("sample: logit of token %d: found %v, wanted a number below %v or -Inf", e.Token, e.Value, highestSane)
}

// highestSane is above every logit of a sound model and so far below float32's limit that it can be divided by the
// smallest temperature and by the smallest penalty.
const highestSane = 1e25

// checkFinite refuses NaN, +Inf and nothing above -Inf. Comparisons are so written that NaN fails them.
func checkFinite(logits []float32) error {
	none := float32(math.Inf(-1))
	highest := none
	for base := 0; base < len(logits); base += 8 {
		block := logits[base:min(base+8, len(logits))]
		// Past the first few blocks hardly one holds a new highest logit: one branch for eight.
		if len(block) == 8 && block[0] <= highest && block[1] <= highest && block[2] <= highest && block[3] <= highest &&
			block[4] <= highest && block[5] <= highest && block[6] <= highest && block[7] <= highest {
			continue
		}
		for i, x := range block {
			if x <= highest {
				continue
			}
			if !(x < highestSane) {
				return &NonFiniteError{Token: int32(base + i), Value: x, Vocabulary: len(logits)}
			}
			highest = x
		}
	}
	if highest < -highestSane {
		return &NonFiniteError{Token: -1, Value: highest, Vocabulary: len(logits)}
	}
	return nil
}
