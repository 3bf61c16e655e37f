package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt"
	"github.com/nrt-go/nrt/bench"
	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/requant"
)

// quantizeCommand is nrt quantize.
type quantizeCommand struct {
	*app
	mixture string
	eval    string
	model   modelFlags // for the evaluations
	force   bool
	json    bool
}

const defaultMixture = "Q4_K_M"

func newQuantize(a *app) *cobra.Command {
	q := &quantizeCommand{app: a}
	cmd := &cobra.Command{
		Use:     "quantize IN [OUT] [--type TYPE]",
		Aliases: []string{"quant"},
		Short:   "Write a model in another number format and report what that costs",
		Long: `Write a model in another number format. The report gives every tensor's error
against the source, and with --eval the perplexity of source and result.

Types: ` + strings.Join(requant.Mixtures(), ", "),
		Example: `  nrt quantize model-f16.gguf model-q4.gguf --type Q4_K_M --eval wiki.txt`,
		Args:    cobra.RangeArgs(1, 3),
		RunE:    func(cmd *cobra.Command, args []string) error { return q.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&q.mixture, "type", "q", defaultMixture, "number `format` of the result")
	flags.StringVar(&q.eval, "eval", "", "measure the perplexity of source and result on this text `file`")
	flags.IntVarP(&q.model.threads, "threads", "t", 0, "worker threads, `N` (default: one for each physical core)")
	flags.BoolVarP(&q.force, "force", "f", false, "replace OUT where it exists")
	flags.BoolVar(&q.json, "json", false, "print the report as JSON")
	must(cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(requant.Mixtures(), cobra.ShellCompDirectiveNoFileComp)))
	cmd.ValidArgsFunction = completeGGUF
	return cmd
}

func (q *quantizeCommand) run(cmd *cobra.Command, args []string) error {
	in, out := args[0], ""
	if len(args) > 1 {
		out = args[1]
	}
	if len(args) > 2 { // llama.cpp's order: IN OUT TYPE
		if cmd.Flags().Changed("type") {
			return usagef("the type is given twice: %s and %s", q.mixture, args[2])
		}
		q.mixture = args[2]
	}
	if out == "" { // beside the input
		out = strings.TrimSuffix(in, filepath.Ext(in)) + "-" + strings.ToLower(q.mixture) + ".gguf"
	}
	if _, err := os.Stat(out); err == nil && !q.force {
		return fmt.Errorf("%s exists; --force replaces it", out)
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	report, err := q.convert(ctx, in, out)
	if err != nil {
		return err
	}
	doc := quantizeReport{Report: report}
	if q.eval != "" {
		if doc.Eval, err = q.compare(ctx, in, out); err != nil {
			return err
		}
	}
	if q.json {
		return q.printJSON(doc)
	}
	return q.write(&doc)
}

// quantizeReport is what --json prints.
type quantizeReport struct {
	requant.Report
	Eval *evalReport `json:"eval,omitempty"`
}

type evalReport struct {
	Text   string      `json:"text"`
	Source qualityJSON `json:"source"`
	Result qualityJSON `json:"result"`
}

func (q *quantizeCommand) convert(ctx context.Context, in, out string) (report requant.Report, err error) {
	f, err := gguf.Open(in)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	bar := q.bar(f.Size(), "quantizing", progressbar.OptionShowBytes(true))
	defer func() { _ = bar.Exit(); _ = bar.Clear() }()
	return requant.Run(ctx, f, out, requant.Options{
		Mixture: q.mixture, Threads: q.model.threads,
		Progress: func(done, total int64, _ string) {
			bar.ChangeMax64(total)
			_ = bar.Set64(done) // a bar that cannot be drawn stops nothing
		},
	})
}

func (q *quantizeCommand) compare(ctx context.Context, in, out string) (*evalReport, error) {
	source, err := q.measure(ctx, in)
	if err != nil {
		return nil, err
	}
	result, err := q.measure(ctx, out)
	if err != nil {
		return nil, err
	}
	return &evalReport{q.eval, qualityOf(source), qualityOf(result)}, nil
}

func (q *quantizeCommand) measure(ctx context.Context, path string) (quality bench.Quality, err error) {
	model := q.model
	model.path = path
	err = model.with(ctx, q.app, func(ctx context.Context, m *nrt.Model, _ time.Duration) error {
		quality, err = q.perplexity(ctx, m, q.eval, defaultWindow)
		return err
	})
	return quality, err
}

// write prints the report; every figure was measured on the file that was written (R-3.W.2).
func (q *quantizeCommand) write(doc *quantizeReport) error {
	t := &table{w: q.out}
	t.head("tensors")
	for _, row := range doc.Tensors {
		if row.From == row.To {
			continue
		}
		t.row(plain.Line(row.Name), fmt.Sprintf("%s → %s\trelative error %.5f\tlargest %.3g", row.From, row.To, row.Error.Relative, row.Error.Max))
	}
	t.head("result")
	t.row("file", plain.Line(doc.Target))
	t.row("format", doc.Mixture)
	t.row("weights", fmt.Sprintf("%s → %s (%.1f %%), %.2f bits each", size(doc.BytesBefore), size(doc.BytesAfter),
		100*float64(doc.BytesAfter)/float64(max(doc.BytesBefore, 1)), 8*float64(doc.BytesAfter)/float64(max(doc.Weights, 1))))
	t.row("relative error", fmt.Sprintf("%.5f", doc.Error.Relative))
	if doc.Eval != nil {
		before, after := doc.Eval.Source, doc.Eval.Result
		t.row("perplexity", fmt.Sprintf("%.4f ± %.4f → %.4f ± %.4f (%+.2f %%)", before.Perplexity, before.StdErr,
			after.Perplexity, after.StdErr, 100*(after.Perplexity/before.Perplexity-1)))
	}
	for _, note := range doc.Notes() {
		t.row("note", plain.Line(note))
	}
	return t.flush()
}
