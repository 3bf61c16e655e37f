package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
	"github.com/nrt-go/nrt/hub"
)

// listed is one line of nrt list: a file of the store, or a name that can be pulled into it.
type listed struct {
	Name        string `json:"name"`
	File        string `json:"file"`
	Path        string `json:"path,omitempty"`
	Bytes       int64  `json:"bytes"`
	Downloaded  bool   `json:"downloaded"`
	Packed      int64  `json:"packed_bytes,omitempty"` // what its packed weights take
	Description string `json:"description,omitempty"`
	License     string `json:"license,omitempty"`
}

func newList(a *app) *cobra.Command {
	var asJSON, downloaded bool
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the models of the store and those that can be pulled",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rows, err := inventory(downloaded)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(append([]listed{}, rows...))
			}
			return a.writeList(rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVarP(&downloaded, "downloaded", "d", false, "only what is in the store")
	return cmd
}

// inventory lists the store's files, then what the catalog has beyond them.
func inventory(downloaded bool) (rows []listed, err error) {
	store, err := hub.Open("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	infos, err := store.List()
	if err != nil {
		return nil, err
	}
	panels, err := packedBytes()
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, info := range infos {
		row := listed{Name: info.Name, File: info.File, Path: info.Path, Bytes: info.Size, Downloaded: true, Packed: panels[info.Path]}
		if info.Model != nil {
			row.Description, row.License = info.Model.Description, info.Model.License
		}
		have[info.File] = true
		rows = append(rows, row)
	}
	for _, m := range hub.Catalog() {
		if !have[m.File] && !downloaded {
			rows = append(rows, listed{Name: m.Alias, File: m.File, Bytes: m.Size, Description: m.Description, License: m.License})
		}
	}
	return rows, nil
}

// packedBytes is the size of the packed weights of each model file that has some.
func packedBytes() (map[string]int64, error) {
	cache, err := packCache()
	if err != nil || cache == nil {
		return nil, err
	}
	files, err := cache.List()
	if err != nil {
		return nil, err
	}
	bytes := map[string]int64{}
	for _, f := range files {
		bytes[f.Source] += f.Bytes
	}
	return bytes, nil
}

func (a *app) writeList(rows []listed) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSIZE\tSTATUS\tFILE") // the error stays in w until Flush
	for _, row := range rows {
		status := "can be pulled"
		if row.Downloaded {
			status = "here"
			if row.Packed > 0 {
				status = "here, packed " + size(row.Packed)
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", plain.Line(row.Name), size(row.Bytes), status, plain.Line(row.File))
	}
	return w.Flush()
}
