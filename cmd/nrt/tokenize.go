package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/tokenizer"
)

// tokenizeCommand is nrt tokenize.
type tokenizeCommand struct {
	*app
	model     modelFlags
	json      bool
	ids       bool
	noBOS     bool
	noSpecial bool
}

func newTokenize(a *app) *cobra.Command {
	t := &tokenizeCommand{app: a}
	cmd := &cobra.Command{
		Use:   "tokenize -m FILE [TEXT]",
		Short: "Show the tokens of a text",
		Long: `Show the tokens of a text, from the argument or from stdin. BOS and EOS are added
where the file asks for them; control tokens that the text spells out, such as
<|im_end|>, are read as such. The file needs a vocabulary only.`,
		RunE: func(_ *cobra.Command, args []string) error { return t.run(args) },
	}
	t.model.fileFlag(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&t.json, "json", false, "print JSON: count, ids, pieces")
	flags.BoolVar(&t.ids, "ids", false, "print only the ids, in brackets")
	flags.BoolVar(&t.noBOS, "no-bos", false, "add neither BOS nor EOS")
	flags.BoolVar(&t.noSpecial, "no-parse-special", false, "read control tokens that the text spells out as plain text")
	return cmd
}

func (t *tokenizeCommand) run(args []string) error {
	args, err := t.model.take(args)
	if err != nil {
		return err
	}
	text := strings.Join(args, " ")
	if len(args) == 0 || text == "-" {
		if text, err = readText(t.in, "stdin"); err != nil {
			return err
		}
	}
	f, err := gguf.Open(t.model.path)
	if err != nil {
		return err
	}
	defer f.Close()
	vocab, err := tokenizer.FromGGUF(f)
	if err != nil {
		return err
	}
	ids := vocab.Encode(text, tokenizer.Options{AddSpecial: !t.noBOS, ParseSpecial: !t.noSpecial})
	switch {
	case t.json:
		return t.printJSON(tokensOf(vocab, ids))
	case t.ids:
		_, err = fmt.Fprintln(t.out, joinIDs(ids))
		return err
	}
	return writeTokens(t.out, vocab, ids)
}

// tokenList is the JSON form of tokens. A piece that is not UTF-8 by itself is a list of its bytes.
type tokenList struct {
	Count  int     `json:"count"`
	IDs    []int32 `json:"ids"`
	Pieces []any   `json:"pieces"`
}

func tokensOf(vocab *tokenizer.Tokenizer, ids []int32) tokenList {
	list := tokenList{Count: len(ids), IDs: append([]int32{}, ids...), Pieces: []any{}}
	for _, id := range ids {
		piece := vocab.Piece(id, true)
		if utf8.Valid(piece) {
			list.Pieces = append(list.Pieces, string(piece))
			continue
		}
		numbers := make([]int, len(piece))
		for i, b := range piece {
			numbers[i] = int(b)
		}
		list.Pieces = append(list.Pieces, numbers)
	}
	return list
}

// writeTokens prints one token a line: its id and its text, quoted so that spaces are seen.
func writeTokens(w io.Writer, vocab *tokenizer.Tokenizer, ids []int32) error {
	for _, id := range ids {
		mark := ""
		if vocab.IsSpecial(id) {
			mark = "  special"
		}
		if _, err := fmt.Fprintf(w, "%8d  %s%s\n", id, plain.Line(strconv.Quote(string(vocab.Piece(id, true)))), mark); err != nil {
			return err
		}
	}
	return nil
}

func joinIDs(ids []int32) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.Itoa(int(id))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
