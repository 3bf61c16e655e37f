package sample

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// llamacppCase is one distribution computed by llama.cpp's samplers (llama-cpp-python 0.3.36) on random logits.
type llamacppCase struct {
	Name    string
	Params  json.RawMessage
	Logits  []float32
	History []int32
	Want    [][2]float64 // token, probability
}

// TestAgainstLlamaCpp holds every sampler to the same surviving tokens and the same probabilities as llama.cpp.
// $NRT_SAMPLE_CASES names a larger file of such cases.
func TestAgainstLlamaCpp(t *testing.T) {
	path := "testdata/llamacpp.json"
	if p := os.Getenv("NRT_SAMPLE_CASES"); p != "" {
		path = p
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []llamacppCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	worst := 0.0
	for i, c := range cases {
		seen[c.Name] = true
		p := alone()
		if c.Name == "chain" || c.Name == "default" {
			p = Default()
		}
		if err := json.Unmarshal(c.Params, &p); err != nil {
			t.Fatal(err)
		}
		got := distribution(t, p, c.Logits, c.History...)
		// What llama.cpp's float32 rounds to nothing is not compared.
		for id, p := range got {
			if p < 1e-9 {
				delete(got, id)
			}
		}
		for _, w := range c.Want {
			id, want := int32(w[0]), w[1]
			have, ok := got[id]
			if diff := math.Abs(have - want); diff > 1e-5 || !ok && want > 1e-9 {
				t.Errorf("case %d, %s %s: token %d: probability %v, llama.cpp has %v", i, c.Name, c.Params, id, have, want)
			} else {
				worst = max(worst, diff)
			}
			delete(got, id)
		}
		if len(got) > 0 {
			t.Errorf("case %d, %s %s: tokens left beyond llama.cpp's: %v", i, c.Name, c.Params, got)
		}
	}
	for _, r := range table {
		if !seen[r.name] {
			t.Errorf("no case for %s", r.name)
		}
	}
	t.Logf("%d cases, largest difference %.2g", len(cases), worst)
}
