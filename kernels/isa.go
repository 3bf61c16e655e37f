package kernels

import (
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/nrt-go/nrt/quant"
)

// isa is one row of the table of instruction sets: the inner loops that an instruction set may do better than Go.
type isa struct {
	name string

	dot      func(a, b []float32) float32
	expSum   func(x []float32, max float32) float32
	swiglu   func(gate, up []float32)
	rmsNorm  func(dst, x, weight []float32, eps float32)
	toF32    func(dst []float32, src []uint16)
	toF16    func(dst []uint16, src []float32)
	quant32  func(q []int8, scale, sum, x []float32)
	quant256 func(q []int8, scale []float32, sums []int16, x []float32)

	// rows multiplies rows of weights by every row of an input; a format without an entry is decoded to float32 first.
	// A type with the bit quant.Packed is for weights that Pack has copied into panels.
	rows map[quant.Type]rowKernel

	// floats is what the kernel of formats without an entry in rows consists of; zero in Go.
	floats floatProducts

	attention [blockFormats]attentionKernel
	soften    func(a *Attender, scores []float32) (top, total float32) // may write scores up to their capacity
	blend     func(acc, part []float32, keep, share float32)
	max       func(x []float32) float32

	// record32 and record256 quantise a row of activations to records that are stride bytes apart.
	record32, record256 func(dst []byte, x []float32, stride int)
}

// candidate is an instruction set that a machine may have, and what it puts into a copy of generic.
type candidate struct {
	name  string
	needs []cpuid.FeatureID
	fill  func(row *isa)
	ask   func() error // asks the system for what it gives only to those who ask; nil where there is nothing
}

func (c candidate) isa() *isa {
	row := *generic
	row.name, row.rows = c.name, maps.Clone(generic.rows)
	c.fill(&row)
	return &row
}

// missing names the features that this machine lacks for it.
func (c candidate) missing() []string {
	var names []string
	for _, f := range c.needs {
		if !cpuid.CPU.Supports(f) {
			names = append(names, f.String())
		}
	}
	return names
}

// refused says what the system does not give to a machine that lacks nothing.
func (c candidate) refused() error {
	if c.ask == nil || len(c.missing()) > 0 {
		return nil
	}
	return c.ask()
}

// isas is the table, best first; a row is there only where the machine can run it.
var isas = func() []*isa {
	var rows []*isa
	for _, c := range candidates() {
		if len(c.missing()) == 0 && c.refused() == nil {
			rows = append(rows, c.isa())
		}
	}
	return append(rows, generic)
}()

// active is the row in use; activeErr says why the environment's wish could not be met.
var active, activeErr = choose(os.Getenv("NRT_ISA"))

func choose(wanted string) (*isa, error) {
	if wanted == "" {
		return isas[0], nil
	}
	names := make([]string, len(isas))
	for i, row := range isas {
		if row.name == wanted {
			return row, nil
		}
		names[i] = row.name
	}
	return generic, fmt.Errorf("kernels: NRT_ISA=%s: this machine and build have %s", wanted, strings.Join(names, ", "))
}

// Support says whether this machine can run an instruction set that nrt has kernels for.
type Support struct {
	Name    string   `json:"name"`
	Missing []string `json:"missing,omitempty"` // the processor features it lacks
	Refused string   `json:"refused,omitempty"` // what the operating system does not allow
	InUse   bool     `json:"in_use"`
}

// Runs says whether this machine can run the instruction set.
func (s Support) Runs() bool { return len(s.Missing) == 0 && s.Refused == "" }

// Supported is the instruction sets of this architecture, best first. The best one that runs here is in use, unless
// NRT_ISA names another.
func Supported() []Support {
	var all []Support
	for _, c := range candidates() {
		s := Support{Name: c.name, Missing: c.missing(), InUse: c.name == active.name}
		if err := c.refused(); err != nil {
			s.Refused = err.Error()
		}
		all = append(all, s)
	}
	return append(all, Support{Name: generic.name, InUse: active == generic})
}

// ISA is the name of the instruction set in use. The error says that NRT_ISA asks for one that is not here; programs
// report it before they compute anything.
func ISA() (string, error) { return active.name, activeErr }
