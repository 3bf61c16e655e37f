package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/hub"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/packed"
)

// packLimit is the variable that bounds the packed files.
const packLimit = "NRT_PACKED"

// packCache is where packed weights are kept: the folder "packed" of the store. It is nil where the user wants none.
func packCache() (*packed.Cache, error) {
	limit, err := parseBytes(os.Getenv(packLimit))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", packLimit, err)
	}
	if limit == 0 {
		return nil, nil
	}
	dir, err := hub.DefaultDir()
	if err != nil {
		return nil, nil // a user without a folder for models has none for packed ones either
	}
	return &packed.Cache{Dir: filepath.Join(dir, "packed"), Limit: limit}, nil
}

// parseBytes reads a number of bytes such as 500M or 20GB; "off" is 0, and no text the default.
func parseBytes(text string) (int64, error) {
	if text == "" {
		return packed.DefaultLimit, nil
	}
	if strings.EqualFold(text, "off") {
		return 0, nil
	}
	number, unit := strings.TrimSuffix(strings.ToUpper(text), "B"), int64(1)
	for i, letter := range []string{"K", "M", "G", "T"} {
		if bare, ok := strings.CutSuffix(number, letter); ok {
			number, unit = bare, int64(math.Pow10(3*i+3))
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/unit {
		return 0, fmt.Errorf("found %q, wanted a size such as 20G, or off", text)
	}
	return n * unit, nil
}

func newPack(a *app) *cobra.Command {
	f := &modelFlags{}
	cmd := &cobra.Command{
		Use:   "pack -m FILE",
		Short: "Keep a model's weights as this machine reads them",
		Long: `Write the weights of a model in the order in which this machine reads them, and
print the file's path. A model that has such a file starts at once. The first
answer of a model makes one too, so this is for those who cannot wait.

The files stand in the folder "packed" of the store; nrt rm deletes them with
their model, and those used longest ago go when there are more than 16 GiB.
NRT_PACKED=20G sets another bound, NRT_PACKED=off keeps none.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.only(args); err != nil {
				return err
			}
			return a.pack(cmd.Context(), f)
		},
	}
	f.fileFlag(cmd)
	cmd.Flags().IntVarP(&f.threads, "threads", "t", 0, "worker threads, `N` (default: one for each physical core)")
	return cmd
}

func (a *app) pack(ctx context.Context, f *modelFlags) (err error) {
	ctx, stop := interruptible(ctx)
	defer stop()
	cache, err := packCache()
	if err != nil {
		return err
	}
	if cache == nil {
		return fmt.Errorf("%s is off: no packed weights are kept", packLimit)
	}
	file, err := gguf.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	model, err := models.Load(file)
	if err != nil {
		return err
	}
	defer a.waiting("packing " + f.path + " …")()
	pool := kernels.NewPool(f.threads)
	defer pool.Close()
	panels, err := packed.Prepare(cache, pool, file, model)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, panels.Close()) }()
	path, err := panels.Path()
	if path == "" {
		path, err = panels.Save(ctx) // what was wrong with an earlier file goes with it
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, path)
	return err
}
