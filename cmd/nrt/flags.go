package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt"
	"github.com/nrt-go/nrt/cmd/nrt/internal/params"
	"github.com/nrt-go/nrt/hub"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/kv"
)

// modelFlags say which model and how to open it.
type modelFlags struct {
	path         string
	threads      int
	context      int
	kv           string
	activations  string
	noMap        bool
	noPacked     bool
	notice       func(string) // hears of packed weights; may be nil
	templateFile string
	template     string // what open read from templateFile
}

// fileFlag is the part for commands that read the file but do not run the model.
func (f *modelFlags) fileFlag(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.path, "model", "m", "", "the model: a GGUF `file` (of a split model any part), or a name of the store")
	must(cmd.RegisterFlagCompletionFunc("model", completeGGUF))
}

func (f *modelFlags) register(cmd *cobra.Command) {
	f.fileFlag(cmd)
	flags := cmd.Flags()
	flags.IntVarP(&f.threads, "threads", "t", 0, "worker threads, `N` (default: one for each physical core)")
	flags.IntVarP(&f.context, "ctx-size", "c", 0, "context in `tokens` (default: the model's own, at most 8192)")
	flags.StringVar(&f.kv, "kv", "", "element `type` of the KV cache: f16, f32 or q8_0 (default: f32 where weights or activations are, else f16)")
	activationsFlag(cmd, &f.activations)
	flags.BoolVar(&f.noMap, "no-mmap", false, "read the file into memory instead of mapping it")
	flags.BoolVar(&f.noPacked, "no-pack-cache", false, "neither use nor keep packed weights, see nrt pack (also NRT_PACKED=off)")
	flags.StringVar(&f.templateFile, "chat-template-file", "", "use the chat template in this `file` instead of the model's own")
	must(cmd.RegisterFlagCompletionFunc("kv", cobra.FixedCompletions(kv.ElemNames(), cobra.ShellCompDirectiveNoFileComp)))
}

func activationsFlag(cmd *cobra.Command, form *string) {
	cmd.Flags().StringVar(form, "activations", kernels.Int8.String(), "how activations meet quantised weights: int8, or the slow and exact f32")
	must(cmd.RegisterFlagCompletionFunc("activations", cobra.FixedCompletions(kernels.ActivationNames(), cobra.ShellCompDirectiveNoFileComp)))
}

// take lets the first argument name the model where -m does not, as in "nrt run FILE PROMPT"; it returns the others.
func (f *modelFlags) take(args []string) ([]string, error) {
	if f.path == "" && len(args) > 0 {
		f.path, args = args[0], args[1:]
	}
	if f.path == "" {
		return nil, usagef("no model: give one with -m FILE")
	}
	return args, f.locate()
}

// only is take for commands that take nothing but the model.
func (f *modelFlags) only(args []string) error {
	rest, err := f.take(args)
	if err == nil && len(rest) > 0 {
		return usagef("unexpected argument %q", rest[0])
	}
	return err
}

// locate turns what the user gave into the path of a file, and says what a user needs to hear where there is none. A
// path never needs the store, nor the network.
func (f *modelFlags) locate() error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.fromStore()
	case err != nil:
		return fmt.Errorf("model: %w", err)
	case info.IsDir():
		return fmt.Errorf("model %s: found a directory, wanted a GGUF file", f.path)
	}
	return nil
}

// fromStore takes what is no file as the name of a model in the store. Names are taken exactly: R-011's original guessed.
func (f *modelFlags) fromStore() (err error) {
	if strings.ContainsAny(f.path, `/\`) {
		return fmt.Errorf("model %s: no such file", f.path)
	}
	store, err := hub.Open("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	path, err := store.Path(f.path)
	switch {
	case errors.Is(err, hub.ErrNotFound) && slices.ContainsFunc(hub.Catalog(), func(m hub.Model) bool { return m.Alias == f.path }):
		return fmt.Errorf("model %s is not in the store; nrt pull %s gets it", f.path, f.path)
	case errors.Is(err, hub.ErrNotFound):
		return fmt.Errorf("model %s: no such file, and no model of that name in the store", f.path)
	case err != nil:
		return err
	}
	f.path = path
	return nil
}

// open opens the model and says how long that took.
func (f *modelFlags) open(a *app) (*nrt.Model, time.Duration, error) {
	opts := []nrt.Option{nrt.Threads(f.threads), nrt.Context(f.context), nrt.KVType(f.kv), nrt.Activations(f.activations)}
	if f.noMap {
		opts = append(opts, nrt.NoMap())
	}
	cache, err := packCache()
	if err != nil {
		return nil, 0, err
	}
	if cache != nil && !f.noPacked {
		opts = append(opts, nrt.Packed(cache.Dir, cache.Limit, f.notice))
	}
	if f.templateFile != "" {
		if f.template, err = readTextFile(f.templateFile); err != nil {
			return nil, 0, fmt.Errorf("chat template: %w", err)
		}
		opts = append(opts, nrt.Template(f.template))
	}
	defer a.waiting("loading " + f.path + " …")()
	started := time.Now()
	m, err := nrt.Open(f.path, opts...)
	return m, time.Since(started), err
}

// with opens the model, calls use until it returns or Ctrl-C, and closes the model.
func (f *modelFlags) with(ctx context.Context, a *app, use func(ctx context.Context, m *nrt.Model, load time.Duration) error) (err error) {
	ctx, stop := interruptible(ctx)
	defer stop()
	m, load, err := f.open(a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return use(ctx, m, load)
}

// answerFlags are the parameters of package params as flags, and the system prompt.
type answerFlags struct {
	params.Settings
	system string
}

func (f *answerFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.system, "system", "", "system prompt, a `text` (also -sys)")
	for i := range params.Table {
		p := &params.Table[i]
		cmd.Flags().VarP(&paramFlag{p, &f.Settings}, p.Name, p.Short, p.Help)
		cmd.Flags().Lookup(p.Name).DefValue = p.Default() // what help shows
	}
}

// paramFlag is one parameter as pflag wants it.
type paramFlag struct {
	*params.Param
	settings *params.Settings
}

func (f *paramFlag) Set(value string) error { return f.Param.Set(f.settings, value) }

func (f *paramFlag) String() string {
	if f.Param == nil { // pflag asks a zero value too
		return ""
	}
	value, _ := f.Get(f.settings)
	return value
}

func (f *paramFlag) Type() string { return f.Arg }

func completeGGUF(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"gguf"}, cobra.ShellCompDirectiveFilterFileExt
}

// must is for errors that only a wrong program makes, such as a completion for a flag that is not there.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
