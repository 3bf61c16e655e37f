package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
	"github.com/nrt-go/nrt/hub"
)

func newPull(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "pull NAME",
		Aliases: []string{"download", "dl"},
		Short:   "Get a model into the store and print its path",
		Long: `Get a model into the store, unless it is there, and print its path. A download
that was cut goes on where it stopped. nrt list shows the names.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeCatalog,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := a.pull(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(map[string]string{"name": args[0], "path": path})
			}
			_, err = fmt.Fprintln(a.out, path)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: name, path")
	return cmd
}

func (a *app) pull(ctx context.Context, name string) (path string, err error) {
	ctx, stop := interruptible(ctx)
	defer stop()
	store, err := hub.Open("")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	bar := a.bar(-1, name, progressbar.OptionShowBytes(true))
	defer func() { _ = bar.Exit(); _ = bar.Clear() }()
	return store.Get(ctx, name, func(p hub.Progress) {
		bar.Describe(plain.Line(p.Message))
		if p.Total > 0 {
			bar.ChangeMax64(p.Total)
			_ = bar.Set64(p.Done) // a bar that cannot be drawn stops nothing
		}
	})
}

func completeCatalog(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, m := range hub.Catalog() {
		names = append(names, cobra.CompletionWithDesc(m.Alias, m.Description))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
