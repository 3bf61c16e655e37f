package jinja

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nrt-go/nrt/internal/testdata"
)

// goldenNow is the time that testdata/oracle.py shows to strftime_now.
var goldenNow = time.Date(2024, 7, 26, 15, 4, 5, 0, time.UTC)

// outcome is what jinja2 made of a template: a text by length and digest, a refusal, or an error.
type outcome struct {
	Length int    `json:"length"`
	SHA256 string `json:"sha256"`
	Raised string `json:"raised"`
	Error  string `json:"error"`
}

// differs lists renderings that are not jinja2's, with the reason.
var differs = map[string]string{}

func readJSON(t testing.TB, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func variables(t testing.TB, data []byte) *Dict {
	t.Helper()
	v, err := FromJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*Dict)
}

// TestRealTemplates renders the chat templates of real models and compares with jinja2.
func TestRealTemplates(t *testing.T) {
	dir := testdata.Shared(t, "templates")
	var goldens map[string]map[string]outcome
	readJSON(t, "testdata/renders.json", &goldens)
	var scenarios map[string]json.RawMessage
	readJSON(t, "testdata/scenarios.json", &scenarios)
	total, same := 0, 0
	for file, wants := range goldens {
		src, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for scenario, want := range wants {
			total++
			id := file + " " + scenario
			got, text := result(file, string(src), variables(t, scenarios[scenario]))
			if matches(got, want) {
				same++
				if differs[id] != "" {
					t.Errorf("%s: the same as jinja2, but listed as different", id)
				}
			} else if differs[id] == "" {
				t.Errorf("%s: found %+v, want %+v\n%s", id, got, want, text)
			}
		}
	}
	t.Logf("%d of %d renderings are jinja2's", same, total)
	if len(goldens) < 50 || same*100 < total*95 {
		t.Errorf("%d of %d renderings of %d templates are jinja2's, want 95%% of those of 50", same, total, len(goldens))
	}
}

func result(name, src string, vars *Dict) (outcome, string) {
	tmpl, err := Parse(name, src)
	if err != nil {
		return outcome{Error: err.Error()}, ""
	}
	text, err := tmpl.Render(context.Background(), vars, Options{Now: goldenNow})
	var raised *Raised
	if errors.As(err, &raised) {
		return outcome{Raised: raised.Message}, ""
	}
	if err != nil {
		return outcome{Error: err.Error()}, ""
	}
	sum := sha256.Sum256([]byte(text))
	return outcome{Length: len(text), SHA256: hex.EncodeToString(sum[:])}, text
}

// matches compares outcomes; the words of errors are each engine's own.
func matches(got, want outcome) bool {
	if want.Error != "" {
		return got.Error != ""
	}
	return got == want
}
