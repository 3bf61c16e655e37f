package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/klauspost/cpuid/v2"
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

	CPU *cpu `json:"cpu,omitempty"`
}

// cpu is the machine and what its processor can run.
type cpu struct {
	Name  string            `json:"name"`
	Cores int               `json:"cores"` // that a pool of workers uses by default
	ISAs  []kernels.Support `json:"isas"`
}

func newVersion(a *app) *cobra.Command {
	var asJSON, withCPU bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which nrt this is and which instruction set it uses",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b, err := thisBuild()
			if err != nil {
				return err
			}
			if withCPU {
				b.CPU = &cpu{Name: cpuid.CPU.BrandName, Cores: kernels.Cores(), ISAs: kernels.Supported()}
			}
			if asJSON {
				return a.printJSON(b)
			}
			_, err = fmt.Fprintln(a.out, b)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&withCPU, "cpu", false, "say which instruction sets there are, which one is in use, and why")
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
	line := fmt.Sprintf("nrt %s (%s, %s%s), instruction set %s", b.Version, b.Go, b.Platform, commit, b.ISA)
	if b.CPU == nil {
		return line
	}
	lines := []string{line, fmt.Sprintf("%s, %d cores", cmp.Or(b.CPU.Name, "unknown processor"), b.CPU.Cores)}
	for _, s := range b.CPU.ISAs {
		lines = append(lines, fmt.Sprintf("%-13s %s", s.Name, isaState(s)))
	}
	return strings.Join(lines, "\n")
}

func isaState(s kernels.Support) string {
	switch {
	case len(s.Missing) > 0:
		return "no: the processor lacks " + strings.Join(s.Missing, ", ")
	case s.Refused != "":
		return "no: " + s.Refused
	case s.InUse && os.Getenv("NRT_ISA") != "":
		return "in use: NRT_ISA asks for it"
	case s.InUse:
		return "in use: the best that the processor has"
	}
	return "there"
}
