package tokenizer

// deepseekCased are the letters that deepseek-llm's expression lists: those with case, as of an older Unicode and with
// gaps of its own.
var deepseekCased = &set{ranges: []rune{
	0x41, 0x5A, 0x61, 0x7A, 0xB5, 0xB5, 0xC0, 0xD6, 0xD8, 0xF6, 0xF8, 0x1BA, 0x1BC, 0x1BF, 0x1C4, 0x293,
	0x295, 0x2AF, 0x370, 0x373, 0x376, 0x376, 0x377, 0x377, 0x37B, 0x37D, 0x37F, 0x37F, 0x386, 0x386,
	0x388, 0x38A, 0x38C, 0x38C, 0x38E, 0x3A1, 0x3A3, 0x3F5, 0x3F7, 0x481, 0x48A, 0x52F, 0x531, 0x556,
	0x10A0, 0x10C5, 0x13A0, 0x13F5, 0x13F8, 0x13FD, 0x1C90, 0x1CBA, 0x1CBD, 0x1CBF, 0x1D00, 0x1D2B,
	0x1D6B, 0x1D77, 0x1D79, 0x1D9A, 0x1E00, 0x1F15, 0x1F18, 0x1F1D, 0x1F20, 0x1F45, 0x1F48, 0x1F4D,
	0x1F50, 0x1F57, 0x1F59, 0x1F59, 0x1F5B, 0x1F5B, 0x1F5D, 0x1F5D, 0x1F5F, 0x1F7D, 0x1F80, 0x1FB4,
	0x1FB6, 0x1FBC, 0x1FBE, 0x1FBE, 0x1FC2, 0x1FC4, 0x1FC6, 0x1FCC, 0x1FD0, 0x1FD3, 0x1FD6, 0x1FDB,
	0x1FE0, 0x1FEC, 0x1FF2, 0x1FF4, 0x1FF6, 0x1FFC, 0x2102, 0x2102, 0x2107, 0x2107, 0x210A, 0x2113,
	0x2115, 0x2115, 0x2119, 0x211D, 0x2124, 0x2124, 0x2126, 0x2126, 0x2128, 0x2128, 0x212A, 0x212D,
	0x212F, 0x2134, 0x2139, 0x2139, 0x213C, 0x213F, 0x2145, 0x2149, 0x214E, 0x214E, 0x2183, 0x2183,
	0x2184, 0x2184, 0x2C00, 0x2C7B, 0x2C7E, 0x2CE4, 0x2CEB, 0x2CEE, 0x2CF2, 0x2CF2, 0x2CF3, 0x2CF3,
	0xA640, 0xA66D, 0xA680, 0xA69B, 0xA722, 0xA76F, 0xA771, 0xA787, 0xA78B, 0xA78E, 0xAB70, 0xABBF,
	0xFB00, 0xFB06, 0xFB13, 0xFB17, 0xFF21, 0xFF3A, 0xFF41, 0xFF5A, 0x10400, 0x1044F, 0x104B0, 0x104D3,
	0x104D8, 0x104FB, 0x10C80, 0x10CB2, 0x10CC0, 0x10CF2, 0x118A0, 0x118DF, 0x1E900, 0x1E943,
}}

// deepseekPunct is [!-/:-~！-／：-～‘-‟　-。]; its second range holds the ASCII letters, which are cut off before.
var deepseekPunct = &set{ranges: []rune{'!', '/', ':', '~', 0x2018, 0x201F, 0x3000, 0x3002, 0xFF01, 0xFF0F, 0xFF1A, 0xFF5E}}

var (
	deepseekLetters   = &set{mask: letter}
	deepseekAnyPunct  = &set{mask: punct}
	deepseekAsian     = &set{ranges: []rune{0x0800, 0x9FA5, 0xAC00, 0xD7FF}}                 // [一-龥ࠀ-一가-퟿]
	deepseekV3Asian   = &set{ranges: []rune{0x3040, 0x309F, 0x30A0, 0x30FF, 0x4E00, 0x9FA5}} // [一-龥぀-ゟ゠-ヿ]
	bloomWordStoppers = &set{mask: space, ascii: "(|.,!?)", ranges: []rune{
		0x060C, 0x060C, 0x06D4, 0x06D4, 0x0964, 0x0964, 0x2026, 0x2026, 0x3001, 0x3002, 0xFF0C, 0xFF0C}}
	falconPunct  = &set{mask: punct, ascii: "$+<=>^~|`"}
	defaultPunct = &set{mask: punct, ascii: "$+<=>^~|"}
)

// deepseekV3 is
//
//	[!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ .
func deepseekV3(s string) int {
	c, n := classAt(s, 0)
	if len(s) > 1 && s[0] < 0x80 && c&(punct|symbol) != 0 && isASCIILetter(s[1]) {
		end := 2
		for end < len(s) && isASCIILetter(s[end]) {
			end++
		}
		return end
	}
	const word = letter | mark
	if c&word != 0 {
		return run(s, n, word)
	}
	if n < len(s) && c&(punct|symbol) == 0 && lineBreak(s) == 0 {
		if next, m := classAt(s, n); next&word != 0 {
			return run(s, n+m, word)
		}
	}
	if end := spacedRun(s, punct|symbol, "\r\n"); end > 0 {
		return end
	}
	if end := newlines(s); end > 0 {
		return end
	}
	if c&space != 0 {
		return whitespace(s)
	}
	return 0
}

// bloomWord is " ?[^(\s|.,!?…。，、।۔،)]+".
func bloomWord(s string) int {
	start := 0
	if s[0] == ' ' {
		start = 1
	}
	for i, r := range s[start:] {
		if bloomWordStoppers.has(r) {
			if i == 0 {
				return 0
			}
			return start + i
		}
	}
	if start == len(s) {
		return 0
	}
	return len(s)
}

// sentinel is <sentinel:[0-9]+>.
func sentinel(s string) int {
	const head = "<sentinel:"
	if len(s) < len(head) || s[:len(head)] != head {
		return 0
	}
	i := len(head)
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == len(head) || i == len(s) || s[i] != '>' {
		return 0
	}
	return i + 1
}

// imageToken is (IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z.
func imageToken(s string) int {
	const head = "IMGIMG"
	if len(s) < len(head) || s[:len(head)] != head {
		return 0
	}
	i := len(head)
	for i < len(s) && i < len(head)+4 && 'A' <= s[i] && s[i] <= 'I' {
		i++
	}
	if i == len(head) || i == len(s) || s[i] != 'Z' {
		return 0
	}
	return i + 1
}

// indent is ([\t\n]|    |  ).
func indent(s string) int {
	switch {
	case s[0] == '\t' || s[0] == '\n':
		return 1
	case len(s) >= 4 && s[:4] == "    ":
		return 4
	case len(s) >= 2 && s[:2] == "  ":
		return 2
	}
	return 0
}
