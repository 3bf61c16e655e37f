package requant

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/quant"
)

var letters = map[rune]quant.Type{
	'f': quant.F32, 'h': quant.F16, 'b': quant.BF16, 'p': quant.Q4_0, 'q': quant.Q4_1, 'r': quant.Q5_0, 's': quant.Q5_1, '8': quant.Q8_0,
	'2': quant.Q2_K, '3': quant.Q3_K, '4': quant.Q4_K, '5': quant.Q5_K, '6': quant.Q6_K, 't': quant.TQ1_0, 'u': quant.TQ2_0,
}

// TestPlanAsLlama holds every choice to llama.cpp's.
func TestPlanAsLlama(t *testing.T) {
	golden, err := os.Open("testdata/llama.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer golden.Close()
	plans := map[string][]Choice{} // by model and mixture
	for name, m := range models {
		f := m.synthetic(t, wave)
		for _, mixture := range Mixtures() {
			if plans[name+" "+mixture], err = Plan(f, mixture); err != nil {
				t.Fatal(err)
			}
		}
	}
	seen := map[string]bool{}
	lines := bufio.NewScanner(golden)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if words[0] == "#" {
			continue
		}
		seen[words[1]] = true
		checkLine(t, plans[words[0]+" "+words[1]], words)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, mixture := range Mixtures() {
		if !seen[mixture] {
			t.Errorf("no choice of mixture %s was compared", mixture)
		}
	}
}

// checkLine compares the choices for the tensors of one name, in layer order, with a line's letters.
func checkLine(t *testing.T, plan []Choice, words []string) {
	var got []Choice
	for _, c := range plan {
		if c.Name == words[2] || strings.HasPrefix(c.Name, "blk.") && strings.HasSuffix(c.Name, "."+words[2]) {
			got = append(got, c)
		}
	}
	if len(got) != len(words[3]) {
		t.Errorf("%s: %d choices for %d letters", strings.Join(words[:3], " "), len(got), len(words[3]))
		return
	}
	for i, letter := range words[3] {
		if want := letters[letter]; got[i].To != want {
			t.Errorf("%s %s: %s becomes %s, want %s", words[0], words[1], got[i].Name, got[i].To, want)
		}
	}
}

// TestPlanSmall2K: without an importance matrix llama.cpp refuses Q2_K_S, so its rules are checked by themselves.
func TestPlanSmall2K(t *testing.T) {
	for name, want := range map[string]string{"dense": "2222", "grouped": "4444"} {
		plan, err := Plan(models[name].synthetic(t, wave), "q2_k_s")
		if err != nil {
			t.Fatal(err)
		}
		checkLine(t, plan, []string{name, "Q2_K_S", "attn_v.weight", strings.Repeat(want[:1], models[name].layers)})
		checkLine(t, plan, []string{name, "Q2_K_S", "ffn_down.weight", "44" + strings.Repeat("2", models[name].layers-2)})
	}
}

// TestPlanSmolLM2: rows of 576 weights, which K formats cannot hold, beside rows of 1536.
func TestPlanSmolLM2(t *testing.T) {
	plan, err := Plan(open(t, testdata.SmolLM2(t)), "Q4_K")
	if err != nil {
		t.Fatal(err)
	}
	got := map[quant.Type]int{}
	for _, c := range plan {
		got[c.To]++
		if c.Wanted != c.To && c.Name == "blk.0.attn_v.weight" && (c.Wanted != quant.Q6_K || c.To != quant.Q8_0) {
			t.Errorf("%s: wanted %s and became %s, want Q6_K and Q8_0", c.Name, c.Wanted, c.To)
		}
	}
	want := map[quant.Type]int{quant.F32: 61, quant.Q4_K: 16, quant.Q5_0: 166, quant.Q6_K: 14, quant.Q8_0: 15}
	for typ, n := range want {
		if got[typ] != n {
			t.Errorf("%d tensors become %s, want %d; all: %v", got[typ], typ, n, got)
		}
	}
}

func TestMixtureNames(t *testing.T) {
	fileTypes := map[uint32]string{}
	for i := range mixtures {
		m := &mixtures[i]
		if twin, ok := fileTypes[m.fileType]; ok {
			t.Errorf("%s and %s share file type %d", m.name, twin, m.fileType)
		}
		fileTypes[m.fileType] = m.name
		for _, name := range []string{m.name, strings.ToLower(m.name), m.alias} {
			if found, err := find(name); name != "" && (err != nil || found != m) {
				t.Errorf("find(%q): %v, %v", name, found, err)
			}
		}
		format, err := quant.Lookup(m.base)
		if err != nil || format.Encode == nil {
			t.Errorf("%s: base %s cannot be encoded", m.name, m.base)
		}
		for _, rules := range m.rules {
			for _, r := range rules {
				if f, err := quant.Lookup(r.to); err != nil || f.Encode == nil {
					t.Errorf("%s: %s cannot be encoded", m.name, r.to)
				}
			}
		}
	}
	want := `requant: mixture "Q9" is unknown; known: F32, F16, BF16, Q4_0,`
	if _, err := find("Q9"); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("find(Q9): %v, want %s…", err, want)
	}
	if _, err := find(""); err == nil {
		t.Error("an empty name is a mixture")
	}
}
