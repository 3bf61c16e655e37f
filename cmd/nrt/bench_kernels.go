package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nrt-go/nrt/bench"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/quant"
)

// isaNames are the instruction sets of this architecture, best first; runs says whether this machine has one.
func isaNames() (names []string, runs map[string]bool) {
	runs = map[string]bool{}
	for _, s := range kernels.Supported() {
		names, runs[s.Name] = append(names, s.Name), s.Runs()
	}
	return names, runs
}

// runKernels measures every instruction set. One is chosen when a program starts, so each of several has a process.
func (b *benchCommand) runKernels(ctx context.Context) error {
	formats, err := b.formats()
	if err != nil {
		return err
	}
	threads, err := bench.ParseList(b.threadList(), 1)
	if err != nil {
		return usagef("-t: %w", err)
	}
	active, err := kernels.ISA()
	if err != nil {
		return err
	}
	isas, err := b.wantedISAs()
	if err != nil {
		return err
	}
	bar := b.bar(int64(len(isas)*len(threads)*len(formats)), "measuring")
	var records []bench.KernelRecord
	done := func(r bench.KernelRecord) error {
		records = append(records, r)
		_ = bar.Add(1)
		return stream(b, bar, r)
	}
	for _, isa := range isas {
		bar.Describe(isa)
		if isa == active {
			err = b.kernelsHere(ctx, formats, threads, done)
		} else {
			err = b.kernelsOf(ctx, isa, formats, done)
		}
		if err != nil {
			break
		}
	}
	clearBar(bar)
	if len(records) == 0 {
		return err
	}
	b.method(bench.KernelMethod)
	if b.streams() {
		return err
	}
	return errors.Join(err, writeAs(b.text(), b.output, records, bench.WriteKernels))
}

// kernelsHere measures the instruction set of this process.
func (b *benchCommand) kernelsHere(ctx context.Context, formats []*quant.Format, threads []int, done func(bench.KernelRecord) error) error {
	for _, n := range threads {
		run := bench.KernelRun{Threads: n, Reps: b.reps, WorkingSet: bench.DefaultWorkingSet(), Clock: time.Now}
		if err := bench.MeasureKernels(ctx, formats, run, done); err != nil {
			return err
		}
	}
	return nil
}

// wantedISAs are those of --isa, or of the machine.
func (b *benchCommand) wantedISAs() ([]string, error) {
	names, runs := isaNames()
	if len(b.isas) == 0 {
		return slices.DeleteFunc(names, func(isa string) bool { return !runs[isa] }), nil
	}
	for _, isa := range b.isas {
		if !runs[isa] {
			return nil, fmt.Errorf("--isa: this machine and build have no instruction set %q; nrt version --cpu lists them", isa)
		}
	}
	return b.isas, nil
}

// withISA is nrt itself with another instruction set.
func withISA(ctx context.Context, isa string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), "NRT_ISA="+isa)
	return cmd, nil
}

// kernelsOf measures another instruction set: a process prints its results line by line.
func (b *benchCommand) kernelsOf(ctx context.Context, isa string, formats []*quant.Format, done func(bench.KernelRecord) error) error {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	cmd, err := withISA(ctx, isa, "bench", "--kernels", "-o", "jsonl", "-t", b.threadList(), "-r", strconv.Itoa(b.reps),
		"--isa", isa, "--types", strings.Join(names, ","))
	if err != nil {
		return err
	}
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	read := readKernels(out, done)
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("instruction set %s: %w: %s", isa, err, complaint.String())
	}
	return read
}

func readKernels(r io.Reader, done func(bench.KernelRecord) error) error {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var rec bench.KernelRecord
		if err := json.Unmarshal(lines.Bytes(), &rec); err != nil {
			return err
		}
		if err := done(rec); err != nil {
			return err
		}
	}
	return nil
}
