package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt"
	"github.com/nrt-go/nrt/bench"
	"github.com/nrt-go/nrt/tokenizer"
)

// evalCommand is nrt eval.
type evalCommand struct {
	*app
	model   modelFlags
	text    string
	window  int
	out     string
	compare string
	json    bool
}

// defaultWindow is llama.cpp's, so that figures compare.
const defaultWindow = 512

func newEval(a *app) *cobra.Command {
	e := &evalCommand{app: a}
	cmd := &cobra.Command{
		Use:   "eval -m FILE --text FILE",
		Short: "Measure a model: perplexity, and distance from a reference",
		Long: `Measure how well a model foretells a text (perplexity, by llama.cpp's method), and
how far it stands from a reference whose logits were written with --logits-out:
Kullback-Leibler divergence and the share of equal top tokens.`,
		Example: `  nrt eval -m model.gguf --text wiki.txt
  nrt eval -m f16.gguf --text wiki.txt --logits-out ref.logits
  nrt eval -m q4.gguf --compare-logits ref.logits --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), args) },
	}
	e.model.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&e.text, "text", "", "the text `file` to measure on")
	flags.IntVar(&e.window, "window", defaultWindow, "`tokens` that are scored at a time")
	flags.StringVar(&e.out, "logits-out", "", "write the text's tokens and the model's logits to this `file`")
	flags.StringVar(&e.compare, "compare-logits", "", "compare with the reference in this `file`, on its text")
	flags.BoolVar(&e.json, "json", false, "print JSON")
	return cmd
}

func (e *evalCommand) run(ctx context.Context, args []string) error {
	if err := e.model.only(args); err != nil {
		return err
	}
	if (e.text == "") == (e.compare == "") {
		return usagef("give either --text FILE or --compare-logits FILE")
	}
	if e.out != "" && e.text == "" {
		return usagef("--logits-out needs --text FILE")
	}
	return e.model.with(ctx, e.app, func(ctx context.Context, m *nrt.Model, _ time.Duration) error {
		switch {
		case e.compare != "":
			return e.diverge(ctx, m)
		case e.out != "":
			return e.writeLogits(ctx, m)
		}
		q, err := e.perplexity(ctx, m, e.text, e.window)
		if err != nil {
			return err
		}
		return e.report(q)
	})
}

// perplexity measures m on a text file.
func (a *app) perplexity(ctx context.Context, m *nrt.Model, path string, window int) (bench.Quality, error) {
	windows, err := windowsOf(m, path, window)
	if err != nil {
		return bench.Quality{}, err
	}
	progress, done := a.tokenBar("perplexity")
	defer done()
	return bench.Perplexity(ctx, m, windows, progress)
}

func windowsOf(m *nrt.Model, path string, window int) ([][]int32, error) {
	text, err := readTextFile(path)
	if err != nil {
		return nil, err
	}
	vocab := m.Tokenizer()
	bos := int32(-1)
	if vocab.AddsBOS() {
		bos = vocab.BOS()
	}
	windows, err := bench.Windows(vocab.Encode(text, tokenizer.Options{AddSpecial: true}), min(window, m.ContextSize()), bos)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return windows, nil
}

// tokenBar draws what a bench.Progress hears.
func (a *app) tokenBar(what string) (progress bench.Progress, done func()) {
	bar := a.bar(1, what)
	return func(done, total int) {
		bar.ChangeMax(total)
		_ = bar.Set(done) // a bar that cannot be drawn stops nothing
	}, func() { _ = bar.Exit(); _ = bar.Clear() }
}

type qualityJSON struct {
	Perplexity float64 `json:"perplexity"`
	StdErr     float64 `json:"perplexity_stderr"`
	NLL        float64 `json:"nll"`
	Positions  int     `json:"positions"`
}

func qualityOf(q bench.Quality) qualityJSON {
	return qualityJSON{q.Perplexity(), q.PerplexityErr(), q.NLL, q.Positions}
}

func (e *evalCommand) report(q bench.Quality) error {
	if e.json {
		return e.printJSON(struct {
			Model string `json:"model"`
			Text  string `json:"text"`
			qualityJSON
		}{e.model.path, e.text, qualityOf(q)})
	}
	_, err := fmt.Fprintf(e.app.out, "perplexity %.4f ± %.4f over %d tokens\n", q.Perplexity(), q.PerplexityErr(), q.Positions)
	return err
}

// writeLogits makes the reference file; one that could not be finished is taken away.
func (e *evalCommand) writeLogits(ctx context.Context, m *nrt.Model) (err error) {
	windows, err := windowsOf(m, e.text, e.window)
	if err != nil {
		return err
	}
	f, err := os.Create(e.out)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(e.out))
		}
	}()
	progress, done := e.tokenBar("logits")
	defer done()
	// The second half of each window, as in perplexity.
	if err := bench.WriteLogits(ctx, m, windows, len(windows[0])/2, f, progress); err != nil {
		return err
	}
	written, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if e.json {
		return e.printJSON(struct {
			Model   string `json:"model"`
			File    string `json:"file"`
			Windows int    `json:"windows"`
			Bytes   int64  `json:"bytes"`
		}{e.model.path, e.out, len(windows), written})
	}
	_, err = fmt.Fprintf(e.app.out, "%s: logits of %d windows, %s\n", e.out, len(windows), size(written))
	return err
}

func (e *evalCommand) diverge(ctx context.Context, m *nrt.Model) error {
	f, err := os.Open(e.compare)
	if err != nil {
		return err
	}
	defer f.Close()
	progress, done := e.tokenBar("divergence")
	d, err := bench.Diverge(ctx, m, f, progress)
	done()
	if err != nil {
		return fmt.Errorf("%s: %w", e.compare, err)
	}
	if e.json {
		return e.printJSON(divergenceOf(e.model.path, e.compare, d))
	}
	_, err = fmt.Fprintf(e.app.out, `positions         %d
mean KL           %.6f ± %.6f nats
median, 99 %%, max %.6f, %.6f, %.6f nats
same top token    %.2f %%
perplexity        %.4f, reference %.4f, ratio %.5f
`, d.Positions, d.MeanKL, d.MeanKLErr, d.MedianKL, d.P99KL, d.MaxKL, 100*d.SameTop,
		d.Ours.Perplexity(), d.Reference.Perplexity(), d.PerplexityRatio())
	return err
}

type divergenceJSON struct {
	Model     string      `json:"model"`
	Reference string      `json:"reference"`
	Positions int         `json:"positions"`
	MeanKL    float64     `json:"mean_kl"`
	MeanKLErr float64     `json:"mean_kl_stderr"`
	MedianKL  float64     `json:"median_kl"`
	P99KL     float64     `json:"p99_kl"`
	MaxKL     float64     `json:"max_kl"`
	SameTop   float64     `json:"same_top"`
	Ours      qualityJSON `json:"quality"`
	Theirs    qualityJSON `json:"reference_quality"`
	Ratio     float64     `json:"perplexity_ratio"`
}

func divergenceOf(model, reference string, d bench.Divergence) divergenceJSON {
	return divergenceJSON{model, reference, d.Positions, d.MeanKL, d.MeanKLErr, d.MedianKL, d.P99KL, d.MaxKL, d.SameTop,
		qualityOf(d.Ours), qualityOf(d.Reference), d.PerplexityRatio()}
}
