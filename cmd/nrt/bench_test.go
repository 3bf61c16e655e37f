package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/bench"
	"github.com/nrt-go/nrt/internal/testdata"
)

// Who interrupts gets what is complete, and the shell learns why it ended.
func TestBenchInterrupted(t *testing.T) {
	b := &benchCommand{app: newApp(os.Stdin, os.Stdout, os.Stderr), reps: 1}
	b.models = []string{testdata.Shared(t, "models/stories260K-f32.gguf")}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	records, err := b.measure(ctx, []bench.Test{{Prompt: 1, Parallel: 1, Threads: 1, Batch: 1}})
	if !errors.Is(err, context.Canceled) || len(records) > 0 {
		t.Errorf("measure = %d records, %v", len(records), err)
	}
}

// Another instruction set is measured by a process of its own, which prints its results line by line.
func TestReadKernels(t *testing.T) {
	var got []bench.KernelRecord
	take := func(r bench.KernelRecord) error {
		got = append(got, r)
		return nil
	}
	lines := `{"isa":"avx2","format":"Q4_0","gemv_gb_s":[1,2]}` + "\n" + `{"isa":"avx2","format":"Q8_0"}` + "\n"
	if err := readKernels(strings.NewReader(lines), take); err != nil || len(got) != 2 || got[0].GEMV[1] != 2 || got[1].Format != "Q8_0" {
		t.Errorf("readKernels: %+v, %v", got, err)
	}
	if err := readKernels(strings.NewReader("no JSON\n"), take); err == nil {
		t.Error("a line that is no JSON was read")
	}
}

func TestInstructionSetsOfThisMachine(t *testing.T) {
	b := &benchCommand{app: newApp(os.Stdin, os.Stdout, os.Stderr)}
	all, err := b.wantedISAs()
	if err != nil || len(all) == 0 || all[len(all)-1] != "generic" {
		t.Fatalf("wantedISAs = %q, %v", all, err)
	}
	for _, isa := range all {
		cmd, err := withISA(t.Context(), isa, "version", "--json")
		if err != nil {
			t.Fatal(err)
		}
		cmd.Args[0] = "nrt" // what TestMain takes for nrt
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), `"isa":"`+isa+`"`) {
			t.Errorf("NRT_ISA=%s: %s, %v", isa, out, err)
		}
	}
}

func TestLlamaBenchSpelling(t *testing.T) {
	got := respell([]string{"bench", "-npl", "1,2", "-pg", "64,8", "-fa", "1", "-oe", "csv"})
	want := []string{"bench", "--npl", "1,2", "--pg", "64,8", "--flash-attn", "1", "--output-err", "csv"}
	if !slices.Equal(got, want) {
		t.Errorf("respell = %q, want %q", got, want)
	}
}
