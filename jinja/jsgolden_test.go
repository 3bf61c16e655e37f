package jinja

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nrt-go/nrt/internal/testdata"
)

// TestAgainstJavaScript compares with what @huggingface/jinja, another engine, made of one conversation.
func TestAgainstJavaScript(t *testing.T) {
	var golden struct {
		Messages            json.RawMessage
		BOS                 string `json:"bos_token"`
		EOS                 string `json:"eos_token"`
		AddGenerationPrompt bool   `json:"add_generation_prompt"`
		Renders             map[string]string
	}
	readJSON(t, testdata.Shared(t, "golden/jinja_renders.json"), &golden)
	if len(golden.Renders) < 40 {
		t.Errorf("found %d goldens, want at least 40", len(golden.Renders))
	}
	messages, err := FromJSON(golden.Messages)
	if err != nil {
		t.Fatal(err)
	}
	vars := NewDict().Set("messages", messages).Set("bos_token", String(golden.BOS)).Set("eos_token", String(golden.EOS)).
		Set("add_generation_prompt", Bool(golden.AddGenerationPrompt))
	for file, want := range golden.Renders {
		src, err := os.ReadFile(filepath.Join(testdata.Shared(t, "templates"), file))
		if err != nil {
			t.Fatal(err)
		}
		tmpl, err := Parse(file, string(src))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got, err := tmpl.Render(context.Background(), vars, Options{Now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)})
		if err != nil || got != want {
			t.Errorf("%s:\nfound %q, %v\nwant  %q", file, got, err, want)
		}
	}
}
