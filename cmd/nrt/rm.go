package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/hub"
)

func newRm(*app) *cobra.Command {
	return &cobra.Command{
		Use:               "rm NAME...",
		Short:             "Delete models from the store",
		Long:              "Delete models, by name or file, from the store, with what was downloaded of them so far\nand their packed weights.",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeStore,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			store, err := hub.Open("")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
			for _, name := range args {
				if err := remove(store, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// remove deletes a model and its packed weights.
func remove(store *hub.Store, name string) error {
	path, err := store.Path(name) // of a model that is here, and not only the beginning of one
	if gone := store.Remove(name); gone != nil || err != nil {
		return gone
	}
	cache, err := packCache()
	if err != nil || cache == nil {
		return err
	}
	return cache.Remove(path)
}

// completeStore completes the names of models that are here.
func completeStore(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	rows, err := inventory(true)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
