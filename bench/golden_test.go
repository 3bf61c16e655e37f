package bench_test

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/nrt-go/nrt"
	"github.com/nrt-go/nrt/internal/testdata"
)

// golden is what llama.cpp says about a text: conformance/llamacpp/golden.py writes it and explains it.
type golden struct {
	Tokens   []int32
	Target   []float64   // [positions] log-probability of the true next token
	IDs      [][]int32   // [positions][top] the likeliest tokens
	Logprobs [][]float64 // [positions][top]
	Baseline struct {    // llama.cpp with 8-bit activations against itself without
		KL      float64
		SameTop float64 `json:"same_top"`
	}
}

func readGolden(t *testing.T, path string) golden {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.NewDecoder(zip).Decode(&g); err != nil {
		t.Fatal(err)
	}
	if n := len(g.Tokens) - 1; n < 256 || len(g.Target) != n || len(g.IDs) != n || len(g.Logprobs) != n {
		t.Fatalf("%s: %d tokens, %d targets, %d and %d rows", path, len(g.Tokens), len(g.Target), len(g.IDs), len(g.Logprobs))
	}
	return g
}

// TestSmolLM2StandsWhereLlamaCppStands holds our quantized run against llama.cpp's exact one (float32 weights and
// activations). Rounding activations to 8 bits costs any engine something: ours may cost little more than llama.cpp's.
func TestSmolLM2StandsWhereLlamaCppStands(t *testing.T) {
	if testing.Short() {
		t.Skip("256 tokens of a 135M model take too long for -short")
	}
	model, err := nrt.Open(testdata.SmolLM2(t), nrt.Context(512))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	g := readGolden(t, "testdata/smollm2-llamacpp.json.gz")
	n := len(g.Target)
	var kl, ours, theirs float64
	same := 0
	err = model.Score(t.Context(), g.Tokens[:n], func(pos int, logits []float32) error {
		norm := logSumExp(logits)
		logq := func(id int32) float64 { return float64(logits[id]) - norm }
		kl += coarseKL(g.IDs[pos], g.Logprobs[pos], logq)
		ours -= logq(g.Tokens[pos+1])
		theirs -= g.Target[pos]
		if likeliest(logits) == g.IDs[pos][0] {
			same++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	kl, ours, theirs = kl/float64(n), ours/float64(n), theirs/float64(n)
	share := float64(same) / float64(n)
	t.Logf("%d positions: KL %.5f (llama.cpp %.5f), same likeliest token %.3f (%.3f), perplexity %.3f (exact %.3f)",
		n, kl, g.Baseline.KL, share, g.Baseline.SameTop, math.Exp(ours), math.Exp(theirs))
	if !(kl <= 1.2*g.Baseline.KL) {
		t.Errorf("mean KL from the exact run is %.5f, want at most 1.2 times llama.cpp's %.5f", kl, g.Baseline.KL)
	}
	if share < g.Baseline.SameTop-0.02 {
		t.Errorf("the likeliest token is the exact run's at %.3f of positions, want at least llama.cpp's %.3f less 0.02", share, g.Baseline.SameTop)
	}
	if !(math.Abs(ours-theirs) <= 0.02) {
		t.Errorf("the text costs %.4f nats a token, want %.4f ± 0.02 as the exact run", ours, theirs)
	}
}

// coarseKL is the divergence over the reference's likeliest tokens and one class for all others; it never exceeds the
// divergence over all tokens.
func coarseKL(ids []int32, logp []float64, logq func(int32) float64) float64 {
	kl, restP, restQ := 0.0, 1.0, 1.0
	for i, id := range ids {
		p, q := math.Exp(logp[i]), logq(id)
		kl += p * (logp[i] - q)
		restP -= p
		restQ -= math.Exp(q)
	}
	if restP > 1e-9 { // below that, the five decimals of the golden are all that is left of it
		kl += restP * math.Log(restP/max(restQ, 1e-12))
	}
	return kl
}

func logSumExp(logits []float32) float64 {
	top, sum := float64(logits[likeliest(logits)]), 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum)
}

func likeliest(logits []float32) int32 {
	best := 0
	for id, v := range logits {
		if v > logits[best] {
			best = id
		}
	}
	return int32(best)
}
