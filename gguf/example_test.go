package gguf_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/quant"
	"github.com/nrt-go/nrt/tensor"
)

func Example() {
	dir, err := os.MkdirTemp("", "gguf")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tiny.gguf")

	w := gguf.NewWriter()
	w.Set("general.architecture", "tiny")
	w.Set("tiny.block_count", uint32(2))
	w.AddTensor("output.weight", quant.F32, []int{4, 2}, func(dst io.Writer) error {
		_, err := dst.Write(make([]byte, 4*2*4))
		return err
	})
	if err := w.WriteFile(path); err != nil {
		log.Fatal(err)
	}

	f, err := gguf.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	blocks, err := f.Uint("tiny.block_count")
	if err != nil {
		log.Fatal(err)
	}
	output, err := f.Tensor("output.weight")
	if err != nil {
		log.Fatal(err)
	}
	row := make([]float32, output.Cols())
	// The weights are mapped: a file that is cut meanwhile is an error here, not the end of the process.
	if err := tensor.Guard(func() error { return output.DecodeRow(row, 1) }); err != nil {
		log.Fatal(err)
	}
	fmt.Println(blocks, output, row)
	// Output: 2 output.weight F32 [4 2] [0 0 0 0]
}
