package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/bench"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/requant"
)

// benchCommand is nrt bench.
type benchCommand struct {
	*app
	models                                          []string
	prompt, gen, depth, threads, batch, kv, npl, pg string
	activations, flash                              string
	reps                                            int
	output, outputErr, compare, plot, resultsDir    string
	save                                            bool
	kernels, load, noPacked                         bool
	types, isas                                     []string
	synthesize, mixture                             string
	force                                           bool
	benchstat                                       bool
}

func newBench(a *app) *cobra.Command {
	b := &benchCommand{app: a}
	cmd := &cobra.Command{
		Use:   "bench -m FILE",
		Short: "Measure speed: prefill, decode, loading, kernels",
		Long: `Measure a model's speed, with llama-bench's flags and columns. Lists such as
-t 1,2 -d 0-4096+1024 -p 128-512*2 are measured in all combinations.

With --load, the time to the first token; with --kernels, the products of every
number format on every instruction set of this machine beside its read bandwidth;
with --synthesize, no measurement: a file of random weights in a real model's shape
(` + strings.Join(bench.ShapeNames(), ", ") + `).

Only results go to stdout. Ctrl-C prints those that are complete.`,
		Example: `  nrt bench -m model.gguf -t 1,2 -d 0,1024,4096 --plot depth.svg
  nrt bench -m model.gguf -o jsonl > before.jsonl
  nrt bench -m model.gguf --compare before.jsonl
  nrt bench --synthesize tinyllama-1.1b --type Q4_0 -o tiny.gguf`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd) },
	}
	b.register(cmd)
	return cmd
}

func (b *benchCommand) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVarP(&b.models, "model", "m", nil, "the model: a GGUF `file`, or a name of the store; several with commas or -m again")
	flags.StringVarP(&b.prompt, "n-prompt", "p", "512", "lengths of prompts, a `list`")
	flags.StringVarP(&b.gen, "n-gen", "n", "128", "lengths of generations, a `list`")
	flags.StringVar(&b.pg, "pg", "", "`PROMPT,GEN` measured together; several with semicolons (also -pg)")
	flags.StringVarP(&b.depth, "n-depth", "d", "0", "tokens of context before the clock starts, a `list`")
	flags.StringVarP(&b.threads, "threads", "t", "", "worker threads, a `list` (default: one for each physical core)")
	flags.StringVarP(&b.batch, "batch-size", "b", fmt.Sprint(bench.DefaultBatch), "tokens of prompt in one forward, a `list`")
	flags.StringVar(&b.kv, "kv", "f16", "element types of the KV cache, a `list` of f16, f32 and q8_0 (also -ctk)")
	activationsFlag(cmd, &b.activations)
	flags.StringVar(&b.npl, "npl", "1", "sequences that decode together, a `list` (also -npl)")
	flags.StringVar(&b.flash, "flash-attn", "1", "0 or 1, for llama-bench's sake (also -fa): attention is always in the flash form")
	flags.IntVarP(&b.reps, "repetitions", "r", 5, "timed runs of each test, `N`")
	flags.StringVarP(&b.output, "output", "o", "", "`format` of stdout: "+strings.Join(bench.FormatNames(), ", ")+"; with --synthesize the file to write")
	flags.StringVar(&b.outputErr, "output-err", "", "print the results to stderr too, in this `format`")
	flags.BoolVar(&b.benchstat, "benchstat", false, "the same as -o benchstat: each run as a line of Go's benchmark format")
	flags.StringVar(&b.compare, "compare", "", "print medians beside those of an earlier result, a `file` of JSON (also llama-bench's)")
	flags.StringVar(&b.plot, "plot", "", "draw speed against context depth, an SVG `file`")
	flags.BoolVar(&b.save, "save", false, "keep the results as JSON under --results-dir, by machine, date and commit")
	flags.StringVar(&b.resultsDir, "results-dir", "bench/results", "the `folder` for --save")
	flags.BoolVar(&b.load, "load", false, "measure loading: the time to the first token, and the peak of memory")
	flags.BoolVar(&b.noPacked, "no-pack-cache", false, "with --load, pack the weights at each start")
	flags.BoolVar(&b.kernels, "kernels", false, "measure the kernels; takes -t, -r, --types and --isa")
	flags.StringSliceVar(&b.types, "types", nil, "number `formats` for --kernels (default: all)")
	flags.StringSliceVar(&b.isas, "isa", nil, "instruction `sets` for --kernels (default: all of this machine)")
	flags.StringVar(&b.synthesize, "synthesize", "", "write a model of random weights in this `shape`")
	flags.StringVarP(&b.mixture, "type", "q", defaultMixture, "number `format` for --synthesize, as for nrt quantize")
	flags.BoolVarP(&b.force, "force", "f", false, "with --synthesize, replace the file where it exists")
	complete := func(flag string, words []string) {
		must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
	}
	must(cmd.RegisterFlagCompletionFunc("model", completeGGUF))
	complete("output-err", bench.FormatNames())
	complete("synthesize", bench.ShapeNames())
	complete("type", requant.Mixtures())
	isas, _ := isaNames()
	complete("isa", isas)
}

func (b *benchCommand) run(cmd *cobra.Command) error {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	if b.reps < 1 {
		return usagef("-r %d: want at least 1 run", b.reps)
	}
	if b.flash != "0" && b.flash != "1" {
		return usagef("-fa %s: want 0 or 1", b.flash)
	}
	modes := 0
	for _, on := range []bool{b.load, b.kernels, b.synthesize != ""} {
		if on {
			modes++
		}
	}
	if modes > 1 {
		return usagef("--load, --kernels and --synthesize are three things; take one")
	}
	if b.synthesize != "" {
		return b.runSynthesize(ctx)
	}
	if err := b.outputs(); err != nil {
		return err
	}
	if b.kernels {
		return b.runKernels(ctx)
	}
	if err := b.locate(); err != nil {
		return err
	}
	if b.load {
		return b.runLoad(ctx)
	}
	return b.runGrid(ctx)
}

// outputs checks formats and files before anything is measured.
func (b *benchCommand) outputs() error {
	switch {
	case b.benchstat && b.output != "" && b.output != "benchstat":
		return usagef("--benchstat and -o %s are two formats; take one", b.output)
	case b.benchstat:
		b.output = "benchstat"
	case b.compare != "" && b.output != "" && b.output != "md":
		return usagef("--compare prints a table in place of the results; -o %s prints those", b.output)
	case b.output == "":
		b.output = "md"
	}
	for _, format := range []string{b.output, b.outputErr} {
		if format != "" && !slices.Contains(bench.FormatNames(), format) {
			return usagef("output format %q is unknown; there are %s", format, strings.Join(bench.FormatNames(), ", "))
		}
	}
	if (b.load || b.kernels) && (b.compare != "" || b.plot != "" || b.save || b.outputErr != "" || b.output == "csv" || b.output == "benchstat") {
		return usagef("--load and --kernels print tables or JSON to stdout: -o md, json or jsonl")
	}
	return nil
}

func (b *benchCommand) locate() error {
	if len(b.models) == 0 {
		return usagef("no model: give one with -m FILE")
	}
	for i, name := range b.models {
		f := modelFlags{path: name}
		if err := f.locate(); err != nil {
			return err
		}
		b.models[i] = f.path
	}
	return nil
}

// grid reads the lists.
func (b *benchCommand) grid() (bench.Grid, error) {
	var g bench.Grid
	for _, list := range []struct {
		flag, text string
		least      int
		to         *[]int
	}{
		{"-p", b.prompt, 0, &g.Prompt}, {"-n", b.gen, 0, &g.Gen}, {"-d", b.depth, 0, &g.Depth},
		{"-t", b.threadList(), 1, &g.Threads}, {"-b", b.batch, 1, &g.Batch}, {"--npl", b.npl, 1, &g.Parallel},
	} {
		values, err := bench.ParseList(list.text, list.least)
		if err != nil {
			return g, usagef("%s: %w", list.flag, err)
		}
		*list.to = values
	}
	var err error
	if g.KV, err = bench.ParseKV(b.kv); err != nil {
		return g, usagef("--kv: %w", err)
	}
	if b.pg != "" {
		if g.Pairs, err = bench.ParsePairs(b.pg); err != nil {
			return g, usagef("--pg: %w", err)
		}
	}
	return g, nil
}

func (b *benchCommand) threadList() string {
	if b.threads == "" {
		return fmt.Sprint(kernels.Cores())
	}
	return b.threads
}

func (b *benchCommand) runGrid(ctx context.Context) error {
	g, err := b.grid()
	if err != nil {
		return err
	}
	tests := g.Tests()
	if len(tests) == 0 {
		return usagef("nothing to measure: -p, -n and --pg leave no tokens")
	}
	var earlier []bench.Record
	if b.compare != "" { // read now: a wrong file is no news after an hour
		if earlier, err = readRecords(b.compare); err != nil {
			return err
		}
	}
	records, failed := b.measure(ctx, tests)
	if failed != nil && len(records) == 0 {
		return failed
	}
	b.method(bench.Method)
	if failed != nil {
		fmt.Fprintf(b.err, "stopped after %d of %d tests\n", len(records), len(tests)*len(b.models))
	}
	return errors.Join(failed, b.report(records, earlier))
}

// measure returns what is complete, and why it is not all.
func (b *benchCommand) measure(ctx context.Context, tests []bench.Test) ([]bench.Record, error) {
	bar := b.bar(int64(len(b.models)*len(tests)*(b.reps+1)), "measuring")
	defer clearBar(bar)
	var records []bench.Record
	for _, path := range b.models {
		err := b.measureModel(ctx, path, tests, bar, func(r bench.Record) error {
			records = append(records, r)
			return stream(b, bar, r)
		})
		if err != nil {
			return records, err
		}
	}
	return records, nil
}

func clearBar(bar *progressbar.ProgressBar) {
	_ = bar.Exit() // a bar that cannot be drawn stops nothing
	_ = bar.Clear()
}

func (b *benchCommand) measureModel(ctx context.Context, path string, tests []bench.Test, bar *progressbar.ProgressBar, done func(bench.Record) error) (err error) {
	bar.Describe("loading")
	form, err := kernels.ParseActivations(b.activations)
	if err != nil {
		return err
	}
	m, err := bench.OpenModel(path, form)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for _, t := range tests {
		if err := m.Check(t); err != nil {
			return err
		}
	}
	for _, t := range tests {
		bar.Describe(t.Name())
		r, err := m.Measure(ctx, t, bench.Run{Reps: b.reps, Step: func() { _ = bar.Add(1) }})
		if err != nil {
			return err
		}
		if err := done(r); err != nil {
			return err
		}
	}
	return nil
}

// streams says whether results are printed as they come: who reads lines wants to see it go, and loses none to a kill.
func (b *benchCommand) streams() bool { return b.output == "jsonl" }

func stream[T any](b *benchCommand, bar *progressbar.ProgressBar, result T) error {
	if !b.streams() {
		return nil
	}
	_ = bar.Clear()
	return bench.WriteJSONLines(b.text(), []T{result})
}

// method says on stderr how the figures came about.
func (b *benchCommand) method(how string) {
	if b.flash != "1" {
		fmt.Fprintln(b.err, b.dim(b.err, "attention is always in the flash form; -fa "+b.flash+" changes nothing"))
	}
	fmt.Fprintln(b.err, b.dim(b.err, fmt.Sprintf("%s; %d runs each", how, b.reps)))
	if b.reps < 5 {
		fmt.Fprintln(b.err, b.dim(b.err, "a median of fewer than 5 runs is no figure to quote"))
	}
}

func (b *benchCommand) report(records, earlier []bench.Record) error {
	errs := []error{b.print(records, earlier)}
	if b.outputErr != "" {
		errs = append(errs, bench.Write(b.err, b.outputErr, records))
	}
	if b.plot != "" {
		var chart bytes.Buffer
		err := bench.WriteChart(&chart, records)
		if err == nil {
			err = os.WriteFile(b.plot, chart.Bytes(), 0o644)
		}
		errs = append(errs, err)
	}
	if b.save {
		path, err := bench.Save(b.resultsDir, time.Now(), records)
		if err == nil {
			fmt.Fprintln(b.err, b.dim(b.err, "kept as "+path))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (b *benchCommand) print(records, earlier []bench.Record) error {
	if b.compare != "" {
		return bench.WriteComparison(b.text(), earlier, records)
	}
	if b.streams() {
		return nil
	}
	return bench.Write(b.text(), b.output, records)
}

func readRecords(path string) ([]bench.Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := bench.ReadRecords(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return records, nil
}

func (b *benchCommand) runLoad(ctx context.Context) error {
	threads, err := bench.ParseList(b.threadList(), 1)
	if err != nil {
		return usagef("-t: %w", err)
	}
	records, failed := b.loads(ctx, threads)
	if len(records) == 0 {
		return failed
	}
	b.method(bench.LoadMethod)
	if b.streams() {
		return failed
	}
	return errors.Join(failed, writeAs(b.text(), b.output, records, bench.WriteLoads))
}

// loads returns what is complete, and why it is not all.
func (b *benchCommand) loads(ctx context.Context, threads []int) ([]bench.LoadRecord, error) {
	cache, err := packCache()
	if err != nil {
		return nil, err
	}
	if b.noPacked {
		cache = nil
	}
	bar := b.bar(int64(len(b.models)*len(threads)*(b.reps+1)), "loading")
	defer clearBar(bar)
	var records []bench.LoadRecord
	for _, path := range b.models {
		for _, n := range threads {
			r, err := bench.MeasureLoad(ctx, path, n, cache, bench.Run{Reps: b.reps, Step: func() { _ = bar.Add(1) }})
			if err != nil {
				return records, err
			}
			records = append(records, r)
			if err := stream(b, bar, r); err != nil {
				return records, err
			}
		}
	}
	return records, nil
}

// writeAs writes records that have a table of their own.
func writeAs[T any](w io.Writer, format string, records []T, table func(io.Writer, []T) error) error {
	if format == "json" {
		return bench.WriteJSON(w, records)
	}
	return table(w, records)
}

func (b *benchCommand) runSynthesize(ctx context.Context) error {
	shape, err := bench.FindShape(b.synthesize)
	if err != nil {
		return usagef("--synthesize: %w", err)
	}
	if b.output == "" {
		return usagef("--synthesize: say where to write with -o FILE")
	}
	if _, err := os.Stat(b.output); err == nil && !b.force {
		return fmt.Errorf("%s exists; --force replaces it", b.output)
	}
	bar := b.bar(1, "writing", progressbar.OptionShowBytes(true))
	defer clearBar(bar)
	return bench.Synthesize(ctx, shape, b.mixture, b.output, func(done, total int64) {
		bar.ChangeMax64(total)
		_ = bar.Set64(done)
	})
}

// formats are those of --types, or all that can be multiplied.
func (b *benchCommand) formats() ([]*quant.Format, error) {
	if len(b.types) == 0 {
		return slices.DeleteFunc(quant.Formats(), func(f *quant.Format) bool { return f.Decode == nil }), nil
	}
	var out []*quant.Format
	for _, name := range b.types {
		f, err := quant.ByName(name)
		if err != nil {
			return nil, usagef("--types: %w", err)
		}
		out = append(out, f)
	}
	return out, nil
}
