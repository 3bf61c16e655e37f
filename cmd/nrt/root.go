package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nrt-go/nrt/cmd/nrt/internal/params"
)

// verbs is the table of commands: one file each, in the order of the help.
var verbs = []func(*app) *cobra.Command{
	newChat,
	newRun,
	newShow,
	newTokenize,
	newTemplate,
	newEmbed,
	newEval,
	newBench,
	newQuantize,
	newPull,
	newPack,
	newList,
	newRm,
	newVersion,
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "nrt",
		Short:         "Run language models in pure Go",
		Long:          "nrt runs language models from GGUF files: a chat in the terminal, answers for scripts, and tools for the files.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return usagef("unknown command %q; did you mean %s?", args[0], strings.Join(near, " or "))
		}
		return usagef("unknown command %q; nrt --help lists them", args[0])
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.SuggestionsMinimumDistance = 2
	root.PersistentFlags().BoolVar(&a.noColor, "no-color", false, "no colour (also with NO_COLOR set)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; %s --help lists the flags", err, cmd.CommandPath())
	})
	root.SetGlobalNormalizationFunc(spelling)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cobra.EnableCommandSorting = false // the table's order is the help's
	for _, verb := range verbs {
		cmd := verb(a)
		cmd.Flags().SortFlags = false
		if args := cmd.Args; args != nil {
			cmd.Args = func(cmd *cobra.Command, given []string) error {
				if err := args(cmd, given); err != nil {
					return usagef("%s: %w", cmd.CommandPath(), err)
				}
				return nil
			}
		}
		root.AddCommand(cmd)
	}
	return root
}

// otherSpellings are words of llama.cpp and ollama for flags of ours that are no parameters.
var otherSpellings = map[string]string{
	"num-ctx": "ctx-size", "n-ctx": "ctx-size", "ctx": "ctx-size",
	"num-thread": "threads", "n-threads": "threads",
	"system-prompt": "system", "sys": "system",
	"cache-type-k": "kv", "cache-type-v": "kv",
	"nohistory": "no-history", "nommap": "no-mmap",
}

// spelling lets users keep the words in their fingers; _ and - are the same.
func spelling(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	name = params.Spelling(name)
	if ours, ok := otherSpellings[name]; ok {
		name = ours
	}
	return pflag.NormalizedName(name)
}
