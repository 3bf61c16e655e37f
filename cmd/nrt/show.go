package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
	"github.com/nrt-go/nrt/gguf"
)

// showCommand is nrt show.
type showCommand struct {
	*app
	model   modelFlags
	json    bool
	tensors bool
	key     string
}

func newShow(a *app) *cobra.Command {
	s := &showCommand{app: a}
	cmd := &cobra.Command{
		Use:     "show FILE",
		Aliases: []string{"info"},
		Short:   "Say what is in a model file and what running it takes",
		Long: `Say what is in a model file: shape, number formats, vocabulary, metadata, and the
memory that running it takes. Files that nrt cannot run are shown too.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeGGUF,
		RunE:              func(_ *cobra.Command, args []string) error { return s.run(args) },
	}
	s.model.fileFlag(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&s.json, "json", false, "print JSON")
	flags.BoolVar(&s.tensors, "tensors", false, "list every tensor")
	flags.StringVar(&s.key, "metadata", "", "print the whole value of this `key` and nothing else")
	return cmd
}

func (s *showCommand) run(args []string) error {
	if err := s.model.only(args); err != nil {
		return err
	}
	f, err := gguf.Open(s.model.path)
	if err != nil {
		return err
	}
	defer f.Close()
	switch {
	case s.key != "":
		return s.value(f)
	case s.json:
		return s.printJSON(s.document(f))
	}
	out := &table{w: s.out}
	gather(f).write(out)
	writeMetadata(out, f)
	if s.tensors {
		writeTensors(out, f)
	}
	return out.flush()
}

func (s *showCommand) value(f *gguf.File) error {
	v, ok := f.Value(s.key)
	if !ok {
		return fmt.Errorf("%s: no metadata key %q", f.Path(), s.key)
	}
	if s.json {
		return s.printJSON(v)
	}
	_, err := fmt.Fprintln(s.text(), v.String())
	return err
}

// document is facts, metadata with long arrays cut, and the tensors where they were asked for.
func (s *showCommand) document(f *gguf.File) any {
	doc := struct {
		facts
		Metadata map[string]any `json:"metadata"`
		Tensors  []tensorFacts  `json:"tensors,omitempty"`
	}{facts: gather(f), Metadata: map[string]any{}}
	for _, key := range f.Keys() {
		v, _ := f.Value(key)
		doc.Metadata[key] = brief(v)
	}
	if s.tensors {
		for _, t := range f.Tensors() {
			doc.Tensors = append(doc.Tensors, tensorFacts{t.Name, t.Type.String(), t.Shape, len(t.Data)})
		}
	}
	return doc
}

type tensorFacts struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape []int  `json:"shape"` // row length first
	Bytes int    `json:"bytes"`
}

// shortArray is the longest array that is shown whole.
const shortArray = 16

// brief is a value as JSON shows it: an array that is long as its type, since --metadata gives all of it.
func brief(v gguf.Value) any {
	if v.Len() > shortArray {
		return v.Type()
	}
	if _, err := v.MarshalJSON(); err != nil { // NaN and infinity have no JSON
		return v.String()
	}
	return v
}

func writeMetadata(out *table, f *gguf.File) {
	out.head("metadata")
	for _, key := range f.Keys() {
		v, _ := f.Value(key)
		text := v.Type()
		if v.Len() <= shortArray {
			text = plain.Cut(v.String(), 80)
		}
		out.row(plain.Line(key), text)
	}
}

func writeTensors(out *table, f *gguf.File) {
	out.head("tensors")
	for _, t := range f.Tensors() {
		out.row(plain.Line(t.Name), fmt.Sprintf("%-7s %-10s %v", t.Type, size(int64(len(t.Data))), t.Shape))
	}
}

// write prints the facts as sections.
func (f facts) write(out *table) {
	out.head("model")
	out.row("file", fmt.Sprintf("%s (%s, GGUF v%d)", plain.Line(f.Path), size(f.Bytes), f.Version))
	out.row("name", plain.Cut(f.Name, 80))
	out.row("architecture", plain.Line(f.Architecture))
	out.row("licence", plain.Cut(f.License, 80))
	if f.Parameters > 0 {
		out.row("parameters", fmt.Sprintf("%d (%s)", f.Parameters, count(f.Parameters)))
	}
	out.row("runs", f.verdict())
	f.Shape.write(out)
	f.Vocabulary.write(out)
	out.row("chat template", yes(f.Template))
	writeTypes(out, f.Types)
	f.Memory.write(out)
}

func writeTypes(out *table, types []typeFacts) {
	if len(types) == 0 {
		return
	}
	out.head("weights")
	for _, t := range types {
		out.row(t.Type, fmt.Sprintf("%4d tensors %12s parameters %10s", t.Tensors, count(t.Parameters), size(t.Bytes)))
	}
}

func (f facts) verdict() string {
	if f.Runs {
		return "yes"
	}
	return "no: " + plain.Line(strings.ReplaceAll(f.WhyNot, "\n", "; "))
}

func (s shapeFacts) write(out *table) {
	out.head("shape")
	out.number("context length", s.Context)
	out.number("embedding length", s.Embedding)
	out.number("layers", s.Layers)
	out.number("feed forward", s.FFN)
	if s.Heads > 0 {
		out.row("heads", fmt.Sprintf("%d, %d for keys and values", s.Heads, s.KVHeads))
	}
	out.number("head dimension", uint64(s.HeadDim))
	if s.RopeDim > 0 {
		out.row("rope", fmt.Sprintf("%d dimensions, base %g, scaling %s", s.RopeDim, s.RopeBase, s.RopeScale))
	}
}

func (v vocabFacts) write(out *table) {
	out.head("vocabulary")
	if v.Problem != "" {
		out.row("problem", plain.Line(v.Problem))
	}
	out.number("tokens", uint64(v.Size))
	out.row("tokenizer", plain.Line(v.Model))
	out.row("pre-tokenizer", plain.Line(v.Pre))
	out.row("adds BOS, EOS", yes(v.AddsBOS)+", "+yes(v.AddsEOS))
	for _, warning := range v.Warnings {
		out.row("warning", plain.Line(warning))
	}
}

func (m *memory) write(out *table) {
	if m == nil {
		return
	}
	out.head("memory needed")
	out.row("weights", size(m.Weights))
	out.row("KV cache (f16)", fmt.Sprintf("%s for 1000 tokens, %s for the default context of %d", size(1000*m.KVPerToken),
		size(m.KVAtDefault), m.DefaultContext))
	out.row("scratch", size(m.Scratch))
	out.row("together", size(m.Total)+" with a full context")
}

// table prints sections of names and values; values that are empty are left out.
type table struct {
	w    io.Writer
	rows *tabwriter.Writer
	err  error
}

func (t *table) head(title string) {
	if err := t.flush(); err != nil {
		return
	}
	if t.rows != nil {
		_, t.err = fmt.Fprintln(t.w)
	}
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.w, title)
	}
	t.rows = tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
}

func (t *table) row(name, value string) {
	if value != "" && t.err == nil {
		_, t.err = fmt.Fprintf(t.rows, "  %s\t%s\n", name, value)
	}
}

func (t *table) number(name string, n uint64) {
	if n > 0 {
		t.row(name, fmt.Sprint(n))
	}
}

func (t *table) flush() error {
	if t.err == nil && t.rows != nil {
		t.err = t.rows.Flush()
	}
	return t.err
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// count writes a number of parameters as model names do: 135M, 7.2B.
func count(n int64) string {
	for _, unit := range []struct {
		size   float64
		letter string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}} {
		if float64(n) >= unit.size {
			return fmt.Sprintf("%.3g%s", float64(n)/unit.size, unit.letter)
		}
	}
	return fmt.Sprint(n)
}
