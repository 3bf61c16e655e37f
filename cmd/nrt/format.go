package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/chat"
)

// formatFlags say what form an answer must have.
type formatFlags struct {
	chat.Format
	grammarFile, schema, schemaFile string
}

func (f *formatFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.JSON, "json-object", false, "the answer is a JSON object")
	flags.StringVarP(&f.schema, "json-schema", "j", "", "the answer is JSON as this JSON `schema` says")
	flags.StringVar(&f.schemaFile, "json-schema-file", "", "the same from a `file` (also -jf)")
	flags.StringVar(&f.Grammar, "grammar", "", "the answer is a text of this `grammar`, in GBNF")
	flags.StringVar(&f.grammarFile, "grammar-file", "", "the same from a `file`")
	flags.StringVar(&f.Regexp, "regexp", "", "the answer matches this `pattern` from beginning to end")
	flags.StringArrayVar(&f.Choices, "choice", nil, "the answer is this `text` or another --choice")
	names := []string{"json-object", "json-schema", "json-schema-file", "grammar", "grammar-file", "regexp", "choice"}
	cmd.MarkFlagsMutuallyExclusive(names...)
}

// format is what the flags ask for; nil where they ask for nothing.
func (f *formatFlags) format() (*chat.Format, error) {
	var err error
	if f.grammarFile != "" {
		if f.Grammar, err = readTextFile(f.grammarFile); err != nil {
			return nil, fmt.Errorf("grammar: %w", err)
		}
	}
	if f.schemaFile != "" {
		if f.schema, err = readTextFile(f.schemaFile); err != nil {
			return nil, fmt.Errorf("JSON schema: %w", err)
		}
	}
	if f.schema != "" {
		f.Schema = json.RawMessage(f.schema)
	}
	if f.JSON || f.Schema != nil || f.Grammar != "" || f.Regexp != "" || f.Choices != nil {
		return &f.Format, nil
	}
	return nil, nil
}
