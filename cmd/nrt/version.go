package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/nrt-go/nrt/kernels"
)

// version is set by the linker in released builds.
var version = ""

// build says which program this is and what it computes with.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	ISA      string `json:"isa"`
}

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which nrt this is and which instruction set it uses",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b, err := thisBuild()
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(b)
			}
			_, err = fmt.Fprintln(a.out, b)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func thisBuild() (build, error) {
	isa, err := kernels.ISA()
	b := build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, ISA: isa}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b, err
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b, err
}

func (b build) String() string {
	commit := b.Commit
	if commit != "" {
		commit = ", commit " + commit[:min(12, len(commit))]
		if b.Modified {
			commit += " with changes"
		}
	}
	return fmt.Sprintf("nrt %s (%s, %s%s), instruction set %s", b.Version, b.Go, b.Platform, commit, b.ISA)
}
