package params

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/nrt-go/nrt/chat"
)

// One good and one bad value for every row: a new row without them fails.
var values = map[string]struct{ good, shown, bad string }{
	"temp":                 {"0.2", "0.2", "warm"},
	"top-k":                {"40", "40", "4.5"},
	"top-p":                {"0.9", "0.9", "x"},
	"min-p":                {"0.05", "0.05", "x"},
	"typical":              {"1", "1", "x"},
	"top-n-sigma":          {"1.5", "1.5", "x"},
	"dynatemp-range":       {"0.5", "0.5", "x"},
	"dynatemp-exp":         {"1.0", "1", "x"},
	"repeat-penalty":       {"1.1", "1.1", "x"},
	"repeat-last-n":        {"-1", "-1", "x"},
	"presence-penalty":     {"0.3", "0.3", "x"},
	"frequency-penalty":    {"0.3", "0.3", "x"},
	"mirostat":             {"2", "2", "x"},
	"mirostat-ent":         {"5", "5", "x"},
	"mirostat-lr":          {"0.1", "0.1", "x"},
	"dry-multiplier":       {"0.8", "0.8", "x"},
	"dry-base":             {"1.75", "1.75", "x"},
	"dry-allowed-length":   {"2", "2", "x"},
	"dry-penalty-last-n":   {"64", "64", "x"},
	"dry-sequence-breaker": {`\n`, `"\n"`, ""},
	"xtc-probability":      {"0.1", "0.1", "x"},
	"xtc-threshold":        {"0.1", "0.1", "x"},
	"seed":                 {"18446744073709551615", "18446744073709551615", "-2"},
	"logit-bias":           {"15-0.5", "15-0.5", "15"},
	"samplers":             {"top_k;temperature", "top_k;temperature", " ;"},
	"predict":              {"12", "12", "twelve"},
	"stop":                 {"a \"b\"\n", `"a \"b\"\n"`, ""},
}

func TestEveryParam(t *testing.T) {
	for i := range Table {
		p := &Table[i]
		v, ok := values[p.Name]
		if !ok {
			t.Errorf("%s has no values in this test", p.Name)
			continue
		}
		var s Settings
		if _, ok := p.Get(&s); ok {
			t.Errorf("%s is set before it was", p.Name)
		}
		if err := p.Set(&s, v.good); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if got, ok := p.Get(&s); !ok || got != v.shown {
			t.Errorf("%s: Get = %q, %v, want %q", p.Name, got, ok, v.shown)
		}
		checkSaved(t, p, s)
		if err := p.Set(&s, v.bad); v.bad != "" && (err == nil || !strings.HasPrefix(err.Error(), p.Name+": found ")) {
			t.Errorf("%s: Set(%q) = %v, want an error that names it", p.Name, v.bad, err)
		}
		if err := p.Set(&s, Unset); err != nil || !cmp.Equal(s, Settings{}) {
			t.Errorf("%s: Set(default) = %v, left %+v", p.Name, err, s)
		}
	}
}

// checkSaved makes sure that a saved conversation brings the parameter back.
func checkSaved(t *testing.T, p *Param, s Settings) {
	t.Helper()
	doc, err := json.Marshal(s)
	if err != nil {
		t.Errorf("%s: %v", p.Name, err)
		return
	}
	var back Settings
	if err := json.Unmarshal(doc, &back); err != nil || !cmp.Equal(s, back) {
		t.Errorf("%s: %s came back as %+v, %v", p.Name, doc, back, err)
	}
}

func TestSpellings(t *testing.T) {
	for name, want := range map[string]string{
		"temperature": "temp", "top_k": "top-k", "num_predict": "predict", "mirostat_tau": "mirostat-ent",
		"max_tokens": "predict", "repeat_penalty": "repeat-penalty", "no-such": "no-such",
	} {
		if got := Spelling(name); got != want {
			t.Errorf("Spelling(%q) = %q, want %q", name, got, want)
		}
	}
	if Find("no-such") != nil || Find("temperature") != Find("temp") {
		t.Error("Find does not follow Spelling")
	}
}

func TestListsGrow(t *testing.T) {
	var s Settings
	for _, v := range []string{"a", "b"} {
		if err := Find("stop").Set(&s, v); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range []string{"5+1", "7-inf"} {
		if err := Find("logit-bias").Set(&s, v); err != nil {
			t.Fatal(err)
		}
	}
	var req chat.Request
	s.Apply(&req)
	if diff := cmp.Diff(req.Stop, []string{"a", "b"}); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(req.Sampling.LogitBias, map[int32]float32{5: 1, 7: banned}); diff != "" {
		t.Error(diff)
	}
}

func TestApplyMaxTokens(t *testing.T) {
	for value, want := range map[string]int{"7": 7, "-1": 0, "default": 0} {
		var s Settings
		if err := Find("predict").Set(&s, value); err != nil {
			t.Fatal(err)
		}
		req := chat.Request{MaxTokens: 99}
		if s.Apply(&req); req.MaxTokens != want {
			t.Errorf("predict %s: MaxTokens = %d, want %d", value, req.MaxTokens, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	for name, want := range map[string]string{"temp": "0.8", "top-k": "40", "repeat-penalty": "1", "seed": "", "predict": "", "stop": ""} {
		if got := Find(name).Default(); got != want {
			t.Errorf("%s: Default = %q, want %q", name, got, want)
		}
	}
}

func FuzzSet(f *testing.F) {
	for i := range Table {
		f.Add(i, values[Table[i].Name].good)
	}
	f.Fuzz(func(t *testing.T, row int, value string) {
		p := &Table[uint(row)%uint(len(Table))]
		var s Settings
		if err := p.Set(&s, value); err != nil {
			return
		}
		checkUTF8Saved(t, p, s)
	})
}

// checkUTF8Saved is checkSaved for texts that JSON can hold.
func checkUTF8Saved(t *testing.T, p *Param, s Settings) {
	t.Helper()
	for _, text := range append(append(append([]string{}, s.Stop...), s.DryBreakers...), s.Samplers...) {
		if !utf8.ValidString(text) {
			return
		}
	}
	checkSaved(t, p, s)
}
