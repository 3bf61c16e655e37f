package conversation

// Nearest is the name that takes the fewest typing errors to become word, or "" where none is near.
func Nearest(word string, names []string) string {
	best, bound := "", len(word)/3+2 // from here on it is another word
	for _, name := range names {
		if d := distance(word, name); d < bound {
			best, bound = name, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes, row by row.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
