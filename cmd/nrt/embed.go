package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt"
	"github.com/nrt-go/nrt/engine"
)

// embedCommand is nrt embed.
type embedCommand struct {
	*app
	model   modelFlags
	pooling string
	json    bool
}

func newEmbed(a *app) *cobra.Command {
	e := &embedCommand{app: a}
	cmd := &cobra.Command{
		Use:   "embed -m FILE [TEXT]",
		Short: "Turn a text into a vector",
		Long:  "Turn a text, from the argument or from stdin, into a vector of length 1: the model's pooled final hidden state.",
		RunE:  func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), args) },
	}
	e.model.register(cmd)
	poolings := []string{string(engine.PoolMean), string(engine.PoolLast), string(engine.PoolCLS)}
	cmd.Flags().StringVar(&e.pooling, "pooling", poolings[0], "over which tokens: "+strings.Join(poolings, ", "))
	cmd.Flags().BoolVar(&e.json, "json", false, "print JSON: embedding, dimensions, pooling")
	must(cmd.RegisterFlagCompletionFunc("pooling", cobra.FixedCompletions(poolings, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (e *embedCommand) run(ctx context.Context, args []string) error {
	args, err := e.model.take(args)
	if err != nil {
		return err
	}
	text := strings.Join(args, " ")
	if len(args) == 0 || text == "-" {
		if text, err = readText(e.in, "stdin"); err != nil {
			return err
		}
	}
	return e.model.with(ctx, e.app, func(ctx context.Context, m *nrt.Model, _ time.Duration) error {
		vector, err := m.Embed(ctx, text, engine.Pooling(e.pooling))
		if err != nil {
			return err
		}
		if !e.json {
			_, err = fmt.Fprintln(e.out, strings.Trim(fmt.Sprint(vector), "[]"))
			return err
		}
		return e.printJSON(struct {
			Model      string    `json:"model"`
			Dimensions int       `json:"dimensions"`
			Pooling    string    `json:"pooling"`
			Embedding  []float32 `json:"embedding"`
		}{e.model.path, len(vector), e.pooling, vector})
	})
}
