package tokenizer

import "unicode/utf8"

// Byte-level vocabularies spell every byte as one printable character: the printable ones of Latin-1 as themselves, the
// others as U+0100 and up in their order.
var byteRunes = func() (t [256]rune) {
	next := rune(0x100)
	for b := range rune(256) {
		if '!' <= b && b <= '~' || 0xA1 <= b && b <= 0xAC || 0xAE <= b && b <= 0xFF {
			t[b] = b
		} else {
			t[b] = next
			next++
		}
	}
	return t
}()

// runeBytes inverts byteRunes: -1 for a character that spells no byte.
var runeBytes = func() (t [0x144]int16) {
	for i := range t {
		t[i] = -1
	}
	for b, r := range byteRunes {
		t[r] = int16(b)
	}
	return t
}()

// unspell appends the bytes that a byte-level token's text spells; false when it is not spelled so.
func unspell(dst []byte, text string) ([]byte, bool) {
	for _, r := range text {
		if r == utf8.RuneError || int(r) >= len(runeBytes) || runeBytes[r] < 0 {
			return dst, false
		}
		dst = append(dst, byte(runeBytes[r]))
	}
	return dst, true
}

// byteToken gives the byte that a token such as <0x0A> stands for.
func byteToken(text string) (byte, bool) {
	if len(text) != 6 || text[:3] != "<0x" || text[5] != '>' {
		return 0, false
	}
	hi, ok1 := hexDigit(text[3])
	lo, ok2 := hexDigit(text[4])
	return hi<<4 | lo, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
