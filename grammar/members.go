package grammar

import (
	"fmt"
	"slices"
)

// property is the schema of a member, or nil.
func (o *object) property(name string) *object {
	properties, _ := o.values["properties"].(*object)
	if properties == nil {
		return nil
	}
	p, _ := properties.values[name].(*object)
	return p
}

// required are the members that must be there.
func (o *object) required() []string {
	list, _ := o.values["required"].([]any)
	var names []string
	for _, v := range list {
		if name, ok := v.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// members is the grammar of an object: the members that the schema names in their order, then others where the schema
// asks for them.
func (s *schemaReader) members(o *object, where string) (*expr, error) {
	properties, ok := o.values["properties"].(*object)
	if !ok && o.values["properties"] != nil {
		return nil, fmt.Errorf("grammar: %s/properties: want an object", where)
	}
	if properties == nil {
		properties = &object{}
	}
	more, err := s.others(o, properties, where)
	if err != nil {
		return nil, err
	}
	required := o.required()
	names := slices.Clone(properties.keys)
	for _, name := range required {
		if slices.Contains(names, name) {
			continue
		}
		if more == nil {
			return nil, fmt.Errorf("grammar: %s: member %q is required, and neither a property nor another member is allowed that could be it", where, name)
		}
		names = append(names, name)
	}
	if err := o.countsFit(len(required), len(names), more != nil, where); err != nil {
		return nil, err
	}
	list, err := s.memberList(o, names, required, more, where)
	if err != nil {
		return nil, err
	}
	return braces("{", "}", list), nil
}

// others is the grammar of one member that the schema does not name; nil where there are to be none.
func (s *schemaReader) others(o, properties *object, where string) (*expr, error) {
	schema, ok := o.values["additionalProperties"]
	if !ok && len(properties.keys) > 0 || schema == false {
		return nil, nil
	}
	if !ok {
		schema = true
	}
	value, err := s.schema(schema, where+"/additionalProperties")
	if err != nil {
		return nil, err
	}
	taken := append(slices.Clone(properties.keys), o.required()...)
	return s.newRule(seq(text(`"`), s.restBut(taken, true), text(`":`), rule("ws"), value)), nil
}

// countsFit holds minProperties and maxProperties against what the grammar gives anyway; counting members that may be
// left out is beyond it.
func (o *object) countsFit(least, most int, more bool, where string) error {
	low, err := o.count("minProperties", 0, where)
	if err != nil {
		return err
	}
	high, err := o.count("maxProperties", -1, where)
	switch {
	case err != nil:
		return err
	case low > least:
		return fmt.Errorf("grammar: %s/minProperties: %d cannot be honoured with %d required members", where, low, least)
	case high >= 0 && (more || high < most):
		return fmt.Errorf("grammar: %s/maxProperties: %d cannot be honoured with %d members and others", where, high, most)
	}
	return nil
}

// memberList is the members with commas between them. Each rest of the list is a rule, so that leaving members out
// does not double the grammar with each.
func (s *schemaReader) memberList(o *object, names, required []string, more *expr, where string) (*expr, error) {
	comma := seq(text(","), rule("ws"))
	behind, alone := seq(), seq() // what follows the members so far, where there were some and where there were none
	if more != nil {
		behind = repeat(seq(comma, more), 0, -1)
		alone = optional(seq(more, behind))
	}
	for i, name := range slices.Backward(names) {
		member, err := s.member(o, name, where)
		if err != nil {
			return nil, err
		}
		first := seq(member, behind)
		next := seq(comma, member, behind)
		if slices.Contains(required, name) {
			behind, alone = s.newRule(next), first
		} else {
			behind, alone = s.newRule(alt(next, behind)), alt(first, alone)
		}
		if i > 0 {
			alone = s.newRule(alone)
		}
	}
	return alone, nil
}

func (s *schemaReader) member(o *object, name, where string) (*expr, error) {
	schema, place := any(true), where
	if properties, ok := o.values["properties"].(*object); ok && properties.values[name] != nil {
		schema, place = properties.values[name], where+"/properties/"+name
	} else if other, ok := o.values["additionalProperties"]; ok {
		schema, place = other, where+"/additionalProperties"
	}
	value, err := s.schema(schema, place)
	if err != nil {
		return nil, err
	}
	return s.newRule(seq(text(string(writeJSON(nil, name))+":"), rule("ws"), value)), nil
}

// restBut is the rest of a string that is none of these rests, each character written in one way; empty says whether
// it may be empty where none of them is.
func (s *schemaReader) restBut(rests []string, empty bool) *expr {
	anything := repeat(rule("plain char"), 0, -1)
	if s.g.rules["plain char"] == nil {
		s.g.rules["plain char"] = must(anyChar.quoted())
	}
	if len(rests) == 0 {
		return anything
	}
	behind := map[rune][]string{}
	var heads chars
	for _, rest := range rests {
		if rest == "" {
			empty = false
			continue
		}
		c := []rune(rest)[0]
		if behind[c] == nil {
			heads = append(heads, charRange{c, c})
		}
		behind[c] = append(behind[c], rest[len(string(c)):])
	}
	out := alt(seq(must(heads.not().quoted()), anything))
	for _, h := range heads {
		out.subs = append(out.subs, seq(text(string(escape(h.lo))), s.restBut(behind[h.lo], true)))
	}
	if empty {
		out.subs = append(out.subs, seq())
	}
	return out
}
