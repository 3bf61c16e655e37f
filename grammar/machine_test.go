package grammar

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func compiled(t testing.TB, v *Vocab, g *Grammar, err error) *Constraint {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	c, err := v.Compile(g)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A mask allows what Allows does, token for token, wherever a text has come to.
func TestMaskIsAllows(t *testing.T) {
	v := bytesVocab("a", "ab", "abc", "b,", "\xc3", "\xbc", "ü", `":`, "true", "tr", "\"a\"", "  ")
	for name, source := range map[string]string{
		"ambiguous": `root ::= ("a" | "ab" | "b" | "c")* "," root?`,
		"classes":   `root ::= [a-ü]{1,9} [^x]`,
	} {
		g, err := GBNF(source)
		c := compiled(t, v, g, err)
		checkMasks(t, name, c)
	}
	checkMasks(t, "JSON", compiled(t, v, JSON(), nil))
}

func checkMasks(t *testing.T, name string, c *Constraint) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		st := c.Start()
		for step := range 40 {
			mask := st.Mask()
			for id := range int32(c.vocab.size) {
				if got := mask[id/64]>>(id%64)&1 != 0; got != st.Allows(id) {
					t.Fatalf("%s, step %d: token %d: the mask says %v, Allows %v", name, step, id, got, !got)
				}
			}
			id := pick(mask, rng)
			if id < 0 || id == end {
				break
			}
			if err := st.Accept(id); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Control tokens may never come, ends only where the text may end, and nothing behind an end.
func TestEnds(t *testing.T) {
	g, err := Choices("no", "none")
	st := compiled(t, bytesVocab("none"), g, err).Start()
	if st.Allows(end) || st.Allows(301) || st.Allows(-1) || st.Allows(1<<20) || st.Accept('x') == nil {
		t.Error("at the start something is allowed that is none of the choices")
	}
	for _, b := range []byte("no") {
		if err := st.Accept(int32(b)); err != nil {
			t.Fatal(err)
		}
	}
	if !st.Complete() || st.Over() || !st.Allows(end) || !st.Allows('n') {
		t.Error("behind no: want an end, or what makes it none")
	}
	longer := st.Clone()
	if err := st.Accept(end); err != nil || !st.Over() || st.Allows('n') || slices.Max(st.Mask()) != 0 {
		t.Errorf("behind the end: %v, and something may follow", err)
	}
	for _, b := range []byte("ne") {
		if err := longer.Accept(int32(b)); err != nil {
			t.Fatal(err)
		}
	}
	if !longer.Complete() || !longer.Over() {
		t.Error("behind none nothing but an end may come")
	}
}

func TestForced(t *testing.T) {
	g, err := JSONSchema([]byte(`{"type":"object","properties":{"answer":{"enum":["yes","yesterday"]}},"required":["answer"]}`))
	st := compiled(t, bytesVocab(), g, err).Start()
	accept := func(s string) {
		t.Helper()
		for _, b := range []byte(s) {
			if err := st.Accept(int32(b)); err != nil {
				t.Fatalf("%q of %q: %v", b, s, err)
			}
		}
	}
	for _, c := range []struct{ then, want string }{
		{"", "{"}, {`{"`, `answer":`}, {`answer":"`, "yes"}, {"yest", `erday"`}, {`erday"}`, ""},
	} {
		accept(c.then)
		if got := string(st.Forced(100)); got != c.want {
			t.Errorf("behind %q: forced %q, want %q", c.then, got, c.want)
		}
	}
	if got := compiled(t, bytesVocab(), g, nil).Start().Forced(0); len(got) != 0 {
		t.Errorf("at most none: %q", got)
	}
}

// A text that goes through more states than are remembered goes on, in a machine of its own, and others begin afresh.
func TestManyStates(t *testing.T) {
	g, err := GBNF(`root ::= "a"{9000} "b"`)
	c := compiled(t, bytesVocab(), g, err)
	st := c.Start()
	for i := range 9000 {
		if err := st.Accept('a'); err != nil {
			t.Fatalf("letter %d: %v", i, err)
		}
		if len(st.m.states) > maxStates+2 {
			t.Fatalf("%d states are remembered, want at most %d", len(st.m.states), maxStates)
		}
	}
	if st.Allows('a') || !st.Allows('b') {
		t.Error("behind 9000 letters the count is lost")
	}
	if fresh := c.Start(); len(fresh.m.states) > 2 {
		t.Errorf("a new text begins among %d states", len(fresh.m.states))
	}
}

// A grammar that says the same in ever more ways ends in a refusal, not in ever more work.
func TestAmbiguity(t *testing.T) {
	g, err := GBNF(`root ::= "a" root root | "a"`)
	st := compiled(t, bytesVocab(), g, err).Start()
	for range 3 * maxDepth {
		if st.Accept('a') != nil {
			return
		}
		if n := len(st.m.states[st.at].configs); n > maxConfigs {
			t.Fatalf("%d configurations in a state", n)
		}
	}
}

// Many texts under one constraint at once.
func TestTogether(t *testing.T) {
	c := compiled(t, bytesVocab(`{"`, `":`), JSON(), nil)
	done := make(chan string)
	for i := range 4 {
		go func() { done <- walk(t, c, rand.New(rand.NewPCG(uint64(i), 9))) }()
	}
	for range 4 {
		if s := <-done; !strings.HasPrefix(s, "{") {
			t.Errorf("no JSON object: %s", s)
		}
	}
}

func FuzzGBNF(f *testing.F) {
	for _, s := range []string{`root ::= "a" | [b-c]{2,3} x*` + "\n" + `x ::= ("d" | .)? # c`, `root ::= root`, "root ::= \"\\x41\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) { tryGrammar(t, source, GBNF) })
}

func FuzzRegexp(f *testing.F) {
	for _, s := range []string{`a[^b]{2,9}|(?i)c*$`, `^\p{L}+\d`, `(((a)*)*)*`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) { tryGrammar(t, source, Regexp) })
}

func FuzzJSONSchema(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"type":["integer","null"],"minimum":-5}},"required":["b"],"additionalProperties":true}`,
		`{"prefixItems":[{"enum":[1,"x"]}],"items":{"pattern":"a+$"},"maxItems":3}`, `{"oneOf":[{"const":1},{"const":2}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		tryGrammar(t, source, func(s string) (*Grammar, error) { return JSONSchema([]byte(s)) })
	})
}

// tryGrammar writes a few bytes under a grammar, if it is one.
func tryGrammar(t *testing.T, source string, read func(string) (*Grammar, error)) {
	g, err := read(source)
	if err != nil {
		return
	}
	c, err := bytesVocab("ab", `":`).Compile(g)
	if err != nil {
		return
	}
	rng := rand.New(rand.NewPCG(1, 1))
	st := c.Start()
	for range 20 {
		id := pick(st.Mask(), rng)
		if id < 0 {
			return
		}
		if err := st.Accept(id); err != nil {
			t.Fatalf("the mask allows token %d: %v", id, err)
		}
	}
}

func Example() {
	v := NewVocab(256, func(id int32) []byte { return []byte{byte(id)} }, []int32{0})
	g, err := JSONSchema([]byte(`{"type": "boolean"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := v.Compile(g)
	if err != nil {
		fmt.Println(err)
		return
	}
	st := c.Start()
	fmt.Println(st.Allows('t'), st.Allows('x'))
	fmt.Println(st.Accept('t'), string(st.Forced(10)))
	// Output:
	// true false
	// <nil> rue
}
