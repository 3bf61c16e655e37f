// Command neon writes kernels' arm64 assembly.
package main

import (
	"flag"
	"log"
	"os"

	"github.com/nrt-go/nrt/asm/internal/arm64"
)

func main() {
	out := flag.String("out", "", "the assembly `file`")
	stubs := flag.String("stubs", "", "the Go `file` that declares its functions")
	pkg := flag.String("pkg", "", "the Go file's `package`")
	flag.Parse()
	a := arm64.New()
	arm64.Kernels(a)
	for path, data := range map[string][]byte{*out: a.Text(), *stubs: a.Stubs(*pkg)} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
