package tokenizer

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func seedTexts(f *testing.F) {
	for _, s := range []string{"", "hello abc  ab\n", nasty, "<|im_end|><tab><keep></s>", strings.Repeat("a", 300), "▁▁a▁", "\xff\xc3"} {
		f.Add(s)
	}
}

// checkStream pushes the tokens one by one: whatever comes is whole characters, and together the decoded text.
func checkStream(t *testing.T, tok *Tokenizer, ids []int32) {
	s := tok.NewStream(true)
	var out strings.Builder
	for _, id := range ids {
		text := s.Push(id)
		if !utf8.ValidString(text) {
			t.Fatalf("the stream gives half a character: %q", text)
		}
		out.WriteString(text)
	}
	out.WriteString(s.Flush())
	if got, want := out.String(), tok.Decode(ids, true); got != want {
		t.Fatalf("the stream gives %q, Decode %q", got, want)
	}
}

func FuzzBPE(f *testing.F) {
	seedTexts(f)
	tok := tinyBPE(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, special := range []bool{false, true} {
			ids := tok.Encode(text, Options{ParseSpecial: special})
			checkStream(t, tok, ids)
			if got := tok.Decode(ids, true); utf8.ValidString(text) && got != text {
				t.Fatalf("%q comes back as %q", text, got)
			}
		}
	})
}

func FuzzSPM(f *testing.F) {
	seedTexts(f)
	bytes, none := tinySPM(f, true), tinySPM(f, false)
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range []*Tokenizer{bytes, none} {
			checkStream(t, tok, tok.Encode(text, Options{AddSpecial: true, ParseSpecial: true}))
		}
		// A metaspace in the text comes back as a space, and so may spaces before a token of the user's.
		if !utf8.ValidString(text) || strings.ContainsAny(text, "▁<") {
			return
		}
		if got := bytes.Decode(bytes.Encode(text, Options{}), false); got != text {
			t.Fatalf("%q comes back as %q", text, got)
		}
	})
}

func FuzzScanners(f *testing.F) {
	seedTexts(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, row := range preTokenizers {
			if got := strings.Join(cutAll(t, row.stages, text), ""); got != text {
				t.Fatalf("%s loses text: %q, want %q", row.names[0], got, text)
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	tiny, err := json.Marshal(tinyJSON())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(tiny, []byte(`{"bos_token": {"content": "a"}, "add_bos_token": true, "chat_template": [{"name": "x", "template": "y"}]}`))
	f.Add([]byte(`{"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##b": 2}, "unk_token": "[UNK]"},
		"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"}}`), []byte(`{}`))
	f.Add([]byte(`{"model": {"byte_fallback": true, "fuse_unk": true, "unk_token": "u", "vocab": {"u": 0, "▁": 1, "a": 2, "▁a": 3},
		"merges": [["▁", "a"]]}, "added_tokens": [{"id": 0, "content": "u"}],
		"pre_tokenizer": {"type": "Metaspace", "replacement": "▁"}, "decoder": {"type": "Metaspace"}}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, file, config []byte) {
		tok, err := FromJSON(file, config)
		if err != nil {
			return
		}
		ids := tok.Encode(nasty, Options{AddSpecial: true, ParseSpecial: true})
		for _, id := range ids {
			if id < 0 || int(id) >= tok.VocabSize() {
				t.Fatalf("the token %d is not in a vocabulary of %d", id, tok.VocabSize())
			}
		}
		checkStream(t, tok, ids)
	})
}
