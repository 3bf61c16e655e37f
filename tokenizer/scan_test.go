package tokenizer

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// cutAll gives the pieces of text behind the last of the stages.
func cutAll(tb testing.TB, stages []scanner, text string) (pieces []string) {
	if len(stages) == 0 {
		return []string{text}
	}
	for text != "" {
		n := stages[0](text)
		if n < 1 || n > len(text) {
			tb.Fatalf("a scanner cuts %d bytes of %q", n, text)
		}
		pieces = append(pieces, cutAll(tb, stages[1:], text[:n])...)
		text = text[n:]
	}
	return pieces
}

func TestScanners(t *testing.T) {
	// Pieces are shown with a bar between them.
	tests := []struct{ pre, text, want string }{
		{"gpt-2", "Hello world  it's 2024!?\n\n x", "Hello| world| | it|'s| 2024|!?|\n\n| x"},
		{"gpt-2", "a\n b\t\tc   ", "a|\n| b|\t|\t|c|   "},
		{"gpt-2", "I'LL 'lla", "I|'|LL| '|lla"},
		{"llama-bpe", "I'LL 12345 (x)\n\n  y", "I|'LL| |123|45| (|x|)\n\n| | y"},
		{"llama-bpe", "\t\tif x:\n\t\t\treturn\r\n \n", "\t|\tif| x|:\n|\t\t|\treturn|\r\n \n"},
		{"llama-bpe", "d'ſie 'S", "d|'ſ|ie| '|S"},
		{"qwen2", "12 ab12", "1|2| ab|1|2"},
		{"qwen35", "ऌर् x\u0301y", "ऌर्| x\u0301y"},
		{"qwen2", "x\u0301y", "x|\u0301y"},
		{"smollm", "a12 b3", "a|1|2| b|3"},
		{"gpt-4o", "camelCase HTTPServer's DON'T x/\n", "camel|Case| HTTPServer's| DON'T| x|/\n"},
		{"tekken", "camelCase don't 12", "camel|Case| don|'t| |1|2"},
		{"deepseek-v3", "1234 a.b 中文x _foo\n", "123|4| a|.b| |中文|x| _|foo|\n"},
		{"deepseek-coder", "a  b+c 中\n", "a| | b|+|c| |中|\n"},
		{"deepseek-llm", "a, b  12\n中文c ", "a|,| b|  |12|\n|中文|c| "},
		{"falcon", "a`b 12345 !x", "a|`|b| |123|45| |!|x"},
		{"default", "a`b 12345$x", "a|`|b| |123|45|$|x"},
		{"bloom", "ab, cd (e) f", "ab|,| cd| (|e|)| f"},
		{"viking", "a1 2,", "a|1| |2|,"},
		{"chameleon", "a    b<sentinel:12>xIMGIMGABZ!", "a|    |b|<|sentinel|:|1|2|>|x|IMGIMGABZ|!"},
		{"seed-coder", "a!!\nb", "a|!!|\n|b"},
		{"minicpm5", "12345", "123|45"},
		{"ufakzeka", "x'te", "x|'te"},
	}
	for _, test := range tests {
		row, ok := findPreTokenizer(test.pre)
		if !ok {
			t.Fatalf("there is no pre-tokenizer %q", test.pre)
		}
		if got := strings.Join(cutAll(t, row.stages, test.text), "|"); got != test.want {
			t.Errorf("%s cuts %q into\n%q, want\n%q", test.pre, test.text, got, test.want)
		}
	}
}

// nasty is a text of everything that scanners look at.
const nasty = "I'll 'S d'ſie HTTPServer iPhone ǅabc ꙮ 1234½²٣Ⅷ  \u3000\u00a0x \r\n\r\n\t y!?…。$+<=>^`|~_(「中文」)한국어ひらがなカナ e\u0301\u0301 " +
	"👩‍👩‍👧\x00\x7f\u0085\u2028 <sentinel:1><sentinel:> IMGIMGAZ IMGIMGZ \xff\xe4\xb8 мир مرحبا \U000e0001   "

func TestEveryPreTokenizer(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range preTokenizers {
		for _, name := range row.names {
			if seen[name] {
				t.Errorf("%q is in two rows", name)
			}
			seen[name] = true
			for i := range len(nasty) {
				if got := strings.Join(cutAll(t, row.stages, nasty[i:]), ""); got != nasty[i:] {
					t.Errorf("%s loses text: %q, want %q", name, got, nasty[i:])
				}
			}
		}
		for _, p := range row.patterns {
			if len(row.stages) != 1 || patternScanner(p) == nil {
				t.Errorf("the pattern %q is not one scanner", p)
			}
		}
	}
	for p, scan := range patternScanners {
		if got := strings.Join(cutAll(t, []scanner{scan}, nasty), ""); got != nasty {
			t.Errorf("%s loses text: %q", p, got)
		}
	}
}

func TestUnknownPreTokenizerIsDefault(t *testing.T) {
	row, ok := findPreTokenizer("never heard of")
	if ok || !slices.Contains(row.names, defaultPre) {
		t.Errorf("row %v, ok %v", row.names, ok)
	}
}

func TestClasses(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		want := rest
		switch {
		case unicode.Is(unicode.White_Space, r):
			want = space
		case unicode.Is(unicode.Ll, r):
			want = lower
		case unicode.Is(unicode.Lu, r) || unicode.Is(unicode.Lt, r):
			want = upper
		case unicode.Is(unicode.L, r):
			want = otherLetter
		case unicode.Is(unicode.N, r):
			want = number
		case unicode.Is(unicode.M, r):
			want = mark
		case unicode.Is(unicode.P, r):
			want = punct
		case unicode.Is(unicode.S, r):
			want = symbol
		}
		if got := classOf(r); got != want {
			t.Fatalf("class of %U is %d, want %d", r, got, want)
		}
		if r < utf8.RuneSelf && ascii[r] != want {
			t.Fatalf("ASCII class of %U is %d, want %d", r, ascii[r], want)
		}
	}
}

func TestByteSpelling(t *testing.T) {
	for b, r := range byteRunes {
		got, ok := unspell(nil, string(r))
		if !ok || len(got) != 1 || got[0] != byte(b) {
			t.Errorf("byte %#x is spelled %U, which is %x", b, r, got)
		}
	}
	for _, s := range []string{"a b", "\n", "中", "\xff", "\u0144"} {
		if _, ok := unspell(nil, s); ok {
			t.Errorf("%q passes for a byte-level token", s)
		}
	}
}
