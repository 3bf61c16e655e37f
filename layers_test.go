package nrt_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers is the tree from top to bottom. A package imports only what stands below it. README's map says what each is for.
var layers = []string{
	"conformance/armcycles",
	"cmd/nrt",
	"cmd/nrt/internal/conversation",
	"cmd/nrt/internal/params",
	"cmd/nrt/internal/timing",
	"cmd/nrt/internal/plain",
	"cmd/nrt/internal/lineedit",
	"", // package nrt
	"bench",
	"engine",
	"requant",
	"sched",
	"sample",
	"grammar",
	"packed",
	"models",
	"kv",
	"tokenizer",
	"jinja",
	"kernels",
	"internal/alphabet",
	"gguf",
	"internal/mapping",
	"tensor",
	"quant",
	"hub",
	"chat",
	"internal/testdata",
}

// leaves import nothing of ours (internal/testdata in tests aside).
var leaves = []string{"sched", "sample", "grammar", "jinja", "quant", "hub", "chat", "internal/testdata"}

const module = "github.com/nrt-go/nrt"

type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// ours is the path below the module, and whether the package is ours at all.
func ours(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range packages(t) {
		name, _ := ours(p.ImportPath)
		rank := slices.Index(layers, name)
		if rank < 0 {
			t.Errorf("package %q has no place in the tree: add it to layers and to README's map", name)
			continue
		}
		for _, imp := range p.Imports {
			dep, is := ours(imp)
			if !is {
				continue
			}
			if slices.Index(layers, dep) <= rank {
				t.Errorf("%q imports %q, which does not stand below it", name, dep)
			}
			if slices.Contains(leaves, name) {
				t.Errorf("%q is a leaf and imports %q", name, dep)
			}
		}
	}
}

// TestNoCgo holds the promise of the first line of README: no package of ours or of our dependencies needs cgo.
func TestNoCgo(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if and .CgoFiles (not .Standard)}}{{.ImportPath}}{{end}}", "./cmd/nrt").Output()
	if err != nil {
		t.Fatal(err)
	}
	if found := strings.TrimSpace(string(out)); found != "" {
		t.Errorf("these packages use cgo: %s", found)
	}
}
