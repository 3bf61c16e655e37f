package grammar

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// JSON is the grammar of any JSON object, as response_format json_object asks for.
func JSON() *Grammar {
	s := newSchemaReader(nil)
	s.g.rules["root"] = rule("object")
	return s.g
}

// JSONSchema is the grammar of the JSON texts that a schema describes. Objects have their members in the order of the
// schema. Where a schema leaves a choice the grammar may take less than all of it, never more: members that a schema
// with properties does not name are written only where additionalProperties asks for them, and constants in one form.
// A keyword that cannot be honoured is an error that names it and where it stands.
func JSONSchema(schema []byte) (*Grammar, error) {
	v, err := parseJSON(schema)
	if err != nil {
		return nil, err
	}
	s := newSchemaReader(v)
	root, err := s.schema(v, "#")
	if err != nil {
		return nil, err
	}
	s.g.rules["root"] = root
	return s.g, s.g.check()
}

// schemaReader turns schemas into rules.
type schemaReader struct {
	g     *Grammar
	whole any // what references point into
	made  int // rules for parts, numbered
}

func newSchemaReader(whole any) *schemaReader {
	return &schemaReader{g: &Grammar{rules: jsonRules(), root: "root"}, whole: whole}
}

// annotations say nothing about what is valid.
var annotations = []string{"title", "description", "default", "examples", "$schema", "$id", "$comment", "$defs", "definitions",
	"deprecated", "readOnly", "writeOnly", "$anchor", "strict", "name"}

// allowed are the keywords that each kind of schema honours beside the annotations.
var allowed = map[string][]string{
	"object":  {"type", "properties", "required", "additionalProperties", "minProperties", "maxProperties"},
	"array":   {"type", "items", "prefixItems", "minItems", "maxItems"},
	"string":  {"type", "minLength", "maxLength", "pattern", "format"},
	"integer": {"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
	"number":  {"type", "minimum"},
	"boolean": {"type"},
	"null":    {"type"},
}

// only refuses keywords that are not in any of the lists.
func (o *object) only(where, what string, lists ...[]string) error {
	for _, key := range o.keys {
		known := func(list []string) bool { return slices.Contains(list, key) }
		if !known(annotations) && !slices.ContainsFunc(lists, known) {
			return fmt.Errorf("grammar: %s: keyword %q cannot be honoured %s", where, key, what)
		}
	}
	return nil
}

// schema is the grammar of one schema; where is its place, for errors.
func (s *schemaReader) schema(v any, where string) (*expr, error) {
	switch v := v.(type) {
	case bool:
		if v {
			return rule("value"), nil
		}
		return nil, fmt.Errorf("grammar: %s: the schema false takes nothing", where)
	case *object:
		return s.object(v, where)
	}
	return nil, fmt.Errorf("grammar: %s: a schema is an object or a boolean", where)
}

// form is a keyword that says by itself what a schema takes.
type form struct {
	key  string
	read func(s *schemaReader, v any, where string) (*expr, error)
}

func forms() []form {
	return []form{
		{"$ref", (*schemaReader).reference},
		{"const", func(_ *schemaReader, v any, _ string) (*expr, error) { return text(string(writeJSON(nil, v))), nil }},
		{"enum", (*schemaReader).enum},
		{"anyOf", (*schemaReader).anyOf},
		{"oneOf", (*schemaReader).oneOf},
		{"allOf", (*schemaReader).allOf},
	}
}

func (s *schemaReader) object(o *object, where string) (*expr, error) {
	for _, form := range forms() {
		v, ok := o.values[form.key]
		if !ok {
			continue
		}
		// A type beside a constant only repeats what the constant says.
		beside := []string{form.key}
		if form.key == "const" || form.key == "enum" {
			beside = append(beside, "type")
			if err := o.typesFit(form.key, where); err != nil {
				return nil, err
			}
		}
		if err := o.only(where, "beside "+form.key, beside); err != nil {
			return nil, err
		}
		return form.read(s, v, where+"/"+form.key)
	}
	types, err := o.types(where)
	if err != nil {
		return nil, err
	}
	out := alt()
	var lists [][]string
	for _, t := range types {
		lists = append(lists, allowed[t])
		e, err := s.typed(t, o, where)
		if err != nil {
			return nil, err
		}
		out.subs = append(out.subs, e)
	}
	if len(types) == 0 {
		if err := o.only(where, "without a type"); err != nil {
			return nil, err
		}
		return rule("value"), nil
	}
	return out, o.only(where, "in a schema of type "+strings.Join(types, ", "), lists...)
}

// types are the schema's types: those it names, or the one that its other keywords belong to.
func (o *object) types(where string) ([]string, error) {
	switch t := o.values["type"].(type) {
	case string:
		return []string{t}, checkTypes(where, t)
	case []any:
		var all []string
		for _, item := range t {
			name, _ := item.(string)
			all = append(all, name)
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("grammar: %s/type: an empty list of types", where)
		}
		return all, checkTypes(where, all...)
	case nil:
		for _, name := range []string{"object", "array", "string", "integer"} {
			if slices.ContainsFunc(o.keys, func(key string) bool { return slices.Contains(allowed[name], key) }) {
				return []string{name}, nil
			}
		}
		return nil, nil
	}
	return nil, fmt.Errorf("grammar: %s/type: found %s, want the name of a type or a list of names", where, writeJSON(nil, o.values["type"]))
}

func checkTypes(where string, names ...string) error {
	for _, name := range names {
		if allowed[name] == nil {
			return fmt.Errorf("grammar: %s/type: found %q, want one of object, array, string, number, integer, boolean, null", where, name)
		}
	}
	return nil
}

func (s *schemaReader) typed(t string, o *object, where string) (*expr, error) {
	switch t {
	case "object":
		return s.members(o, where)
	case "array":
		return s.items(o, where)
	case "string":
		return s.text(o, where)
	case "integer":
		return integer(o, where)
	case "number":
		return number(o, where)
	}
	return rule(t), nil // boolean, null
}

func (s *schemaReader) enum(v any, where string) (*expr, error) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, fmt.Errorf("grammar: %s: want a list of at least one value", where)
	}
	out := alt()
	for _, item := range list {
		out.subs = append(out.subs, text(string(writeJSON(nil, item))))
	}
	return out, nil
}

// typesFit holds constants against the types beside them.
func (o *object) typesFit(key, where string) error {
	types, err := o.types(where)
	if err != nil || o.values["type"] == nil {
		return err
	}
	values, ok := o.values[key].([]any)
	if key == "const" || !ok {
		values = []any{o.values[key]}
	}
	for _, v := range values {
		name := typeOf(v)
		if !slices.Contains(types, name) && !(name == "integer" && slices.Contains(types, "number")) {
			return fmt.Errorf("grammar: %s/%s: %s is of none of the types %s", where, key, writeJSON(nil, v), strings.Join(types, ", "))
		}
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case *object:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			return "number"
		}
		return "integer"
	}
	return "null"
}

func (s *schemaReader) anyOf(v any, where string) (*expr, error) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, fmt.Errorf("grammar: %s: want a list of at least one schema", where)
	}
	out := alt()
	for i, item := range list {
		e, err := s.schema(item, fmt.Sprintf("%s/%d", where, i))
		if err != nil {
			return nil, err
		}
		out.subs = append(out.subs, e)
	}
	return out, nil
}

// oneOf is honoured where nothing can be of two of the schemas at once, since their types or constants differ.
func (s *schemaReader) oneOf(v any, where string) (*expr, error) {
	list, _ := v.([]any)
	for i, a := range list {
		for j, b := range list[:i] {
			if !s.disjoint(a, b) {
				return nil, fmt.Errorf("grammar: %s: a value may be of both schema %d and schema %d, and exactly one cannot be honoured; write anyOf, or give them types or constants that differ", where, j, i)
			}
		}
	}
	return s.anyOf(v, where)
}

// disjoint tells whether it is plain that no value is of both schemas.
func (s *schemaReader) disjoint(a, b any) bool {
	x, y := s.resolved(a), s.resolved(b)
	if x == nil || y == nil {
		return false
	}
	if xs, ys := constants(x), constants(y); xs != nil && ys != nil {
		return !slices.ContainsFunc(xs, func(v string) bool { return slices.Contains(ys, v) })
	}
	xt, xerr := x.types("")
	yt, yerr := y.types("")
	if xerr != nil || yerr != nil || len(xt) == 0 || len(yt) == 0 {
		return false
	}
	same := slices.ContainsFunc(xt, func(t string) bool {
		return slices.Contains(yt, t) || t == "integer" && slices.Contains(yt, "number") || t == "number" && slices.Contains(yt, "integer")
	})
	return !same || slices.Equal(xt, []string{"object"}) && slices.Equal(yt, xt) && s.toldApart(x, y)
}

// toldApart tells whether two schemas of objects require one member with constants that differ.
func (s *schemaReader) toldApart(x, y *object) bool {
	for _, key := range x.required() {
		px, py := x.property(key), y.property(key)
		if px != nil && py != nil && slices.Contains(y.required(), key) && constants(px) != nil && constants(py) != nil && s.disjoint(px, py) {
			return true
		}
	}
	return false
}

// constants are the only values of a schema, written out, or nil.
func constants(o *object) []string {
	if v, ok := o.values["const"]; ok {
		return []string{string(writeJSON(nil, v))}
	}
	var all []string
	list, _ := o.values["enum"].([]any)
	for _, v := range list {
		all = append(all, string(writeJSON(nil, v)))
	}
	return all
}

// allOf is honoured for one schema; several would have to be merged.
func (s *schemaReader) allOf(v any, where string) (*expr, error) {
	list, ok := v.([]any)
	if !ok || len(list) != 1 {
		return nil, fmt.Errorf("grammar: %s: only a list of one schema can be honoured", where)
	}
	return s.schema(list[0], where+"/0")
}

// reference is a rule for what a $ref points to within the same text; it may point to where it stands.
func (s *schemaReader) reference(v any, where string) (*expr, error) {
	ref, _ := v.(string)
	name := "ref " + ref
	if s.g.rules[name] == nil {
		target, ok := s.find(ref)
		if !ok {
			return nil, fmt.Errorf("grammar: %s: found %s, want a reference such as #/$defs/name to a part of the same schema", where, writeJSON(nil, v))
		}
		s.g.rules[name] = seq() // so that a reference within finds the rule
		e, err := s.schema(target, ref)
		if err != nil {
			return nil, err
		}
		s.g.rules[name] = e
	}
	return rule(name), nil
}

// find follows a JSON pointer behind #.
func (s *schemaReader) find(ref string) (any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || path != "" && path[0] != '/' {
		return nil, false
	}
	at := s.whole
	for path != "" {
		var part string
		part, path, _ = strings.Cut(path[1:], "/")
		if path != "" {
			path = "/" + path
		}
		o, ok := at.(*object)
		if !ok {
			return nil, false
		}
		if at, ok = o.values[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]; !ok {
			return nil, false
		}
	}
	return at, true
}

// resolved is a schema behind its references, or nil.
func (s *schemaReader) resolved(v any) *object {
	for range maxNesting {
		o, ok := v.(*object)
		if !ok {
			return nil
		}
		ref, ok := o.values["$ref"].(string)
		if !ok {
			return o
		}
		if v, ok = s.find(ref); !ok {
			return nil
		}
	}
	return nil
}

// newRule names a part of a schema, so that it is compiled once however often it is used.
func (s *schemaReader) newRule(e *expr) *expr {
	s.made++
	name := fmt.Sprintf("part %d", s.made)
	s.g.rules[name] = e
	return rule(name)
}
