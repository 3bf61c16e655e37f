package grammar

import (
	"encoding/json"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// walk writes a random text under a constraint: any allowed token is as likely as another, as at an endless
// temperature, but for the end, which is taken half the times it may come.
func walk(t *testing.T, c *Constraint, rng *rand.Rand) string {
	t.Helper()
	var out []byte
	for st := c.Start(); len(out) < 1<<16; {
		if st.Over() || st.Complete() && rng.IntN(2) == 0 {
			return string(out)
		}
		id := pick(st.Mask(), rng)
		if id < 0 || !st.Allows(id) {
			t.Fatalf("behind %q token %d is picked from the mask and may not come", out, id)
		}
		if id == end {
			return string(out)
		}
		out = append(out, c.vocab.pieces[id]...)
		if err := st.Accept(id); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("no end behind %d bytes: %.100q", len(out), out)
	return ""
}

// pick draws one of the bits that are set. Closing signs get more than their share, so that walks end.
func pick(mask []uint64, rng *rand.Rand) int32 {
	for _, b := range []int32{'"', ']', '}'} {
		if mask[b/64]>>(b%64)&1 != 0 && rng.IntN(4) == 0 {
			return b
		}
	}
	n := 0
	for _, w := range mask {
		n += bits.OnesCount64(w)
	}
	if n == 0 {
		return -1
	}
	k := rng.IntN(n)
	for i, w := range mask {
		for ; w != 0; w &= w - 1 {
			if k == 0 {
				return int32(64*i + bits.TrailingZeros64(w))
			}
			k--
		}
	}
	return -1
}

func TestJSONSchema(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		yes, no      []string
	}{
		{"anything", `{}`, []string{`1`, `"a"`, `{"a":[null,true]}`, `[]`}, []string{``, `{`, `01`, `"`, `{"a"}`}},
		{"true", `true`, []string{`null`}, []string{`x`}},
		{"object", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a","b"],"additionalProperties":false}`,
			[]string{`{"a":1,"b":"x"}`, `{ "a": 1, "b": "x" }`, "{\n  \"a\": 1,\n  \"b\": \"x\"\n}"},
			[]string{`{"b":"x","a":1}`, `{"a":1}`, `{"a":1,"b":"x","c":0}`, `{"a":1.5,"b":"x"}`, `{}`}},
		{"optional members", `{"properties":{"a":{"type":"null"},"b":{"type":"null"},"c":{"type":"null"}},"required":["b"]}`,
			[]string{`{"b":null}`, `{"a":null,"b":null}`, `{"b":null,"c":null}`, `{"a":null,"b":null,"c":null}`},
			[]string{`{}`, `{"a":null}`, `{"a":null,"c":null}`, `{,"b":null}`, `{"b":null,}`}},
		{"all optional", `{"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}}}`,
			[]string{`{}`, `{"a":null}`, `{"b":null}`, `{"a":null,"b":null}`}, []string{`{"b":null,"a":null}`, `{"c":null}`}},
		{"other members", `{"type":"object","properties":{"ab":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}`,
			[]string{`{}`, `{"ab":1}`, `{"ab":1,"x":true}`, `{"a":true,"abc":false,"":true}`, `{"ü\"":true}`},
			[]string{`{"ab":true}`, `{"x":1}`, `{"x":true,"ab":1}`}},
		{"required but not described", `{"type":"object","required":["x"]}`, []string{`{"x":1}`, `{"x":[],"y":2}`}, []string{`{}`, `{"y":2}`}},
		{"any object", `{"type":"object"}`, []string{`{}`, `{"a":{"b":1}}`}, []string{`[]`, `{"a":1`}},
		{"string", `{"type":"string"}`, []string{`""`, `"a\n\u00e9\"ü🙂"`}, []string{`"`, "\"\n\"", `"\ud800"`, `"\x"`, "\"\xff\""}},
		{"length", `{"type":"string","minLength":1,"maxLength":3}`, []string{`"a"`, `"ü\n🙂"`}, []string{`""`, `"abcd"`}},
		{"pattern", `{"type":"string","pattern":"^[a-c]+$"}`, []string{`"abc"`}, []string{`""`, `"abd"`}},
		{"pattern within", `{"type":"string","pattern":"b\"|^x"}`, []string{`"ab\"c"`, `"x"`, `"b\""`}, []string{`"ab"`, `"ax"`}},
		{"format", `{"type":"string","format":"date"}`, []string{`"2024-02-28"`, `"1999-12-31"`}, []string{`"2024-02-30"`, `"2024-13-01"`, `"24-01-01"`}},
		{"date-time", `{"type":"string","format":"date-time"}`, []string{`"2024-02-28T23:59:59Z"`, `"2024-02-28T00:00:00.5+01:00"`}, []string{`"2024-02-28"`}},
		{"integer", `{"type":"integer"}`, []string{`0`, `-7`, `123`}, []string{`1.0`, `00`, `-`, `+1`, `1e3`}},
		{"bounds", `{"type":"integer","minimum":-12,"exclusiveMaximum":105}`,
			[]string{`-12`, `-9`, `-1`, `0`, `9`, `10`, `99`, `104`}, []string{`-13`, `-20`, `105`, `110`, `-0`, `1000`}},
		{"large bounds", `{"type":"integer","minimum":98765}`, []string{`98765`, `99999`, `100000`, `123456789`}, []string{`98764`, `0`, `-1`, `1234`}},
		{"number", `{"type":"number"}`, []string{`0`, `-1.5`, `2e10`, `3.25E-2`}, []string{`.5`, `1.`, `1e`}},
		{"not negative", `{"type":"number","minimum":0}`, []string{`0`, `1.5`}, []string{`-1`}},
		{"types", `{"type":["string","null"]}`, []string{`"a"`, `null`}, []string{`1`}},
		{"enum", `{"enum":["a b",1,null,{"x":[1,"y"]}]}`, []string{`"a b"`, `1`, `null`, `{"x":[1,"y"]}`}, []string{`"a"`, `2`}},
		{"const", `{"type":"string","const":"q\"\n"}`, []string{`"q\"\n"`}, []string{`"q"`}},
		{"list", `{"type":"array","items":{"type":"integer"}}`, []string{`[]`, `[1]`, `[1, 2,3]`}, []string{`[1,]`, `["a"]`, `[,1]`}},
		{"list of a length", `{"type":"array","items":{"type":"null"},"minItems":2,"maxItems":3}`, []string{`[null,null]`, `[null,null,null]`}, []string{`[]`, `[null]`, `[null,null,null,null]`}},
		{"empty list", `{"type":"array","maxItems":0}`, []string{`[]`, `[ ]`}, []string{`[1]`}},
		{"tuple", `{"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"null"},"minItems":1}`,
			[]string{`[1]`, `[1,"a"]`, `[1,"a",null,null]`}, []string{`[]`, `["a"]`, `[1,null]`, `[1,"a",2]`}},
		{"closed tuple", `{"prefixItems":[{"type":"integer"},{"type":"string"}],"items":false,"minItems":2}`, []string{`[1,"a"]`}, []string{`[1]`, `[1,"a",2]`}},
		{"either", `{"anyOf":[{"type":"integer"},{"type":"object","properties":{"a":{"const":1}},"required":["a"]}]}`, []string{`5`, `{"a":1}`}, []string{`{}`, `"a"`}},
		{"one of", `{"oneOf":[{"properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind","n"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`,
			[]string{`{"kind":"a","n":1}`, `{"kind":"b"}`}, []string{`{"kind":"a"}`, `{"kind":"c"}`}},
		{"references", `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"v":{"type":"integer"},"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["v","next"]}}}`,
			[]string{`{"v":1,"next":null}`, `{"v":1,"next":{"v":2,"next":null}}`}, []string{`{"v":1}`, `null`}},
		{"itself", `{"type":"array","items":{"$ref":"#"}}`, []string{`[]`, `[[],[[]]]`}, []string{`[1]`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := JSONSchema([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.yes {
				if whole, _ := matches(t, g, s); !whole {
					t.Errorf("%s is refused", s)
				}
			}
			for _, s := range c.no {
				if whole, _ := matches(t, g, s); whole {
					t.Errorf("%s is taken", s)
				}
			}
			constraint, err := bytesVocab(`": `, `{"`, "null", "true,", "12", "ab", "\xc3", "],").Compile(g)
			if err != nil {
				t.Fatal(err)
			}
			if c.name == "pattern within" {
				return // a random text would hardly ever come upon it
			}
			rng := rand.New(rand.NewPCG(7, uint64(len(c.schema))))
			for range 50 {
				if s := walk(t, constraint, rng); !json.Valid([]byte(s)) {
					t.Errorf("a random text is no JSON: %s", s)
				} else if whole, _ := matches(t, g, s); !whole {
					t.Errorf("a random text is not in the grammar: %s", s)
				}
			}
		})
	}
}

func TestJSONSchemaErrors(t *testing.T) {
	for schema, want := range map[string]string{
		`{`:                                 `the schema is no JSON`,
		`{} {}`:                             `something follows the schema`,
		`{"type":"x"}`:                      `#/type: found "x", want one of object, array`,
		`{"type":3}`:                        `#/type: found 3, want the name of a type`,
		`{"type":[]}`:                       `an empty list of types`,
		`{"a":1,"a":2}`:                     `member "a" is there twice`,
		`{"not":{}}`:                        `#: keyword "not" cannot be honoured without a type`,
		`{"type":"integer","multipleOf":3}`: `keyword "multipleOf" cannot be honoured in a schema of type integer`,
		`{"type":"object","properties":{"a":{"type":"array","uniqueItems":true}}}`: `#/properties/a: keyword "uniqueItems" cannot be honoured`,
		`{"type":"object","patternProperties":{}}`:                                 `keyword "patternProperties"`,
		`{"enum":[]}`:                 `#/enum: want a list of at least one value`,
		`{"type":"string","const":1}`: `#/const: 1 is of none of the types string`,
		`{"$ref":"other.json"}`:       `#/$ref: found "other.json", want a reference such as`,
		`{"$ref":"#/$defs/x"}`:        `want a reference such as`,
		`{"$ref":"#"}`:                `begins with itself`,
		`{"oneOf":[{"type":"integer"},{"type":"number"}]}`: `#/oneOf: a value may be of both schema 0 and schema 1`,
		`{"allOf":[{},{}]}`:                             `only a list of one schema`,
		`{"anyOf":[]}`:                                  `want a list of at least one schema`,
		`{"anyOf":[{}],"minimum":1}`:                    `keyword "minimum" cannot be honoured beside anyOf`,
		`{"type":"string","minLength":3,"maxLength":2}`: `minLength is 3 and maxLength is 2`,
		`{"type":"string","minLength":-1}`:              `want a whole number from 0`,
		`{"type":"string","pattern":"a","maxLength":2}`: `only one of pattern, format and a length`,
		`{"type":"string","pattern":"("}`:               `#/pattern: error parsing regexp`,
		`{"type":"string","format":"hostname"}`:         `#/format: "hostname" cannot be honoured; there are date, date-time`,
		`{"type":"integer","minimum":2,"maximum":1}`:    `no whole number is between the bounds`,
		`{"type":"integer","minimum":0.5}`:              `want a whole number of at most 18 digits`,
		`{"type":"number","minimum":1}`:                 `only 0 can, or any for an integer`,
		`{"type":"object","properties":{},"required":["a"],"additionalProperties":false}`: `member "a" is required`,
		`{"type":"object","minProperties":2,"properties":{"a":{}}}`:                       `#/minProperties: 2 cannot be honoured with 0 required members`,
		`{"items":[{}]}`: `#/items: a schema is an object or a boolean`,
		`{"type":"array","items":false,"minItems":1}`: `minItems is 1, and there are no more than 0`,
		`false`:                   `the schema false takes nothing`,
		strings.Repeat("[", 5000): `more than 200 levels`,
	} {
		_, err := JSONSchema([]byte(schema))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: got %v, want %s", schema, err, want)
		}
	}
}

// JSON objects of any kind, and that deep ones end.
func TestJSON(t *testing.T) {
	c, err := bytesVocab(`{"`, `":`, "}}", "[[").Compile(JSON())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		if s := walk(t, c, rng); !json.Valid([]byte(s)) || s[0] != '{' {
			t.Errorf("no JSON object: %s", s)
		}
	}
	st := c.Start()
	for range 3 * maxDepth {
		for _, b := range []byte(`{"":`) {
			if st.Accept(int32(b)) != nil {
				if st.Complete() || slices.Max(st.Mask()) == 0 {
					t.Error("too deep, and no way on")
				}
				return
			}
		}
	}
	t.Error("levels without end")
}
