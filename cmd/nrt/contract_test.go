package main

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/nrt-go/nrt/internal/testdata"
)

// The contract with scripts: nrt run --raw --temp 0 -n N --json prints one object with these fields, and its numbers
// are those of the reference forward.
func TestRunContract(t *testing.T) {
	model := testdata.Shared(t, "models/stories260K-f32.gguf")
	var golden struct {
		Cases []struct {
			Prompt    string
			PromptIDs []int32 `json:"prompt_ids"`
			GreedyIDs []int32 `json:"greedy_ids"`
			Text      string
		}
	}
	readJSON(t, testdata.Shared(t, "golden/stories260K-f32.golden.json"), &golden)
	for _, tt := range golden.Cases {
		t.Run(tt.Prompt, func(t *testing.T) {
			n := min(24, len(tt.GreedyIDs))
			out, err := output(t, "run", "-m", model, "--raw", "--temp", "0", "-n", strconv.Itoa(n), "--json", tt.Prompt)
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				PromptTokens []int32 `json:"prompt_tokens"`
				Tokens       []int32
				Text         string
				FinishReason string `json:"finish_reason"`
				Timings      map[string]float64
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("stdout is not one JSON object: %v\n%s", err, out)
			}
			if !slices.Equal(got.PromptTokens, tt.PromptIDs) {
				t.Errorf("prompt_tokens = %v, want %v", got.PromptTokens, tt.PromptIDs)
			}
			if !slices.Equal(got.Tokens, tt.GreedyIDs[:n]) {
				t.Errorf("tokens = %v, want %v", got.Tokens, tt.GreedyIDs[:n])
			}
			if got.FinishReason != "length" || got.Text == "" || got.Timings["decode_ms"] <= 0 {
				t.Errorf("finish_reason %q, text %q, timings %v", got.FinishReason, got.Text, got.Timings)
			}
			raw, err := output(t, "run", "-m", model, "--raw", "--temp", "0", "-n", strconv.Itoa(n), tt.Prompt)
			if err != nil || string(raw) != got.Text {
				t.Errorf("without --json stdout = %q, %v, want %q byte for byte", raw, err, got.Text)
			}
		})
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
