package grammar

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// count is a keyword whose value is a number of things; other where it is not there.
func (o *object) count(key string, other int, where string) (int, error) {
	v, ok := o.values[key]
	if !ok {
		return other, nil
	}
	n, err := strconv.Atoi(fmt.Sprint(v))
	if err != nil || n < 0 || n > maxProgram {
		return 0, fmt.Errorf("grammar: %s/%s: found %s, want a whole number from 0 to %d", where, key, writeJSON(nil, v), maxProgram)
	}
	return n, nil
}

// counts are a least and a most; most is negative where there is no bound.
func (o *object) counts(least, most, where string) (low, high int, err error) {
	if low, err = o.count(least, 0, where); err != nil {
		return 0, 0, err
	}
	if high, err = o.count(most, -1, where); err != nil {
		return 0, 0, err
	}
	if high >= 0 && high < low {
		return 0, 0, fmt.Errorf("grammar: %s: %s is %d and %s is %d", where, least, low, most, high)
	}
	return low, high, nil
}

// items is the grammar of a list: the schemas of its first items, then the one of all others.
func (s *schemaReader) items(o *object, where string) (*expr, error) {
	least, most, err := o.counts("minItems", "maxItems", where)
	if err != nil {
		return nil, err
	}
	prefix, ok := o.values["prefixItems"].([]any)
	if !ok && o.values["prefixItems"] != nil {
		return nil, fmt.Errorf("grammar: %s/prefixItems: want a list of schemas", where)
	}
	rest := any(true)
	if v, ok := o.values["items"]; ok {
		rest = v
	}
	if rest == false && (most < 0 || most > len(prefix)) {
		most = len(prefix)
	}
	var parts []*expr
	for i, schema := range prefix {
		if most >= 0 && i >= most {
			break
		}
		e, err := s.schema(schema, fmt.Sprintf("%s/prefixItems/%d", where, i))
		if err != nil {
			return nil, err
		}
		parts = append(parts, s.newRule(e))
	}
	if most < 0 || most > len(parts) {
		e, err := s.schema(rest, where+"/items")
		if err != nil {
			return nil, err
		}
		return braces("[", "]", list(parts, s.newRule(e), least, most)), nil
	}
	if least > most {
		return nil, fmt.Errorf("grammar: %s: minItems is %d, and there are no more than %d items", where, least, most)
	}
	return braces("[", "]", list(parts, nil, least, most)), nil
}

// list is items with commas between them: these parts, then others; least to most in all.
func list(parts []*expr, other *expr, least, most int) *expr {
	comma := seq(text(","), rule("ws"))
	behind := seq()
	if other != nil {
		high := -1
		if most >= 0 {
			high = most - max(len(parts), 1)
		}
		n := len(parts)
		if n == 0 {
			n = 1
			parts = []*expr{other}
		}
		behind = repeat(seq(comma, other), max(least-n, 0), high)
	}
	for i, part := range slices.Backward(parts) {
		e := seq(part, behind)
		if i > 0 {
			e = seq(comma, e)
		}
		if i >= least {
			e = optional(e)
		}
		behind = e
	}
	return behind
}

// text is the grammar of a string.
func (s *schemaReader) text(o *object, where string) (*expr, error) {
	least, most, err := o.counts("minLength", "maxLength", where)
	if err != nil {
		return nil, err
	}
	pattern, hasPattern := o.values["pattern"]
	format, hasFormat := o.values["format"]
	bounded := least > 0 || most >= 0
	switch {
	case hasPattern && (hasFormat || bounded), hasFormat && bounded:
		return nil, fmt.Errorf("grammar: %s: only one of pattern, format and a length can be honoured", where)
	case hasPattern:
		return searched(pattern, where+"/pattern")
	case hasFormat:
		known, ok := formats[fmt.Sprint(format)]
		if !ok {
			return nil, fmt.Errorf("grammar: %s/format: %s cannot be honoured; there are %s", where, writeJSON(nil, format),
				strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
		}
		e, err := regexpExpr(known, chars.quoted)
		return seq(text(`"`), e, text(`"`)), err
	case bounded:
		return seq(text(`"`), repeat(rule("char"), least, most), text(`"`)), nil
	}
	return rule("string"), nil
}

// formats are patterns for the formats of strings; they take less than the formats do, and no day that does not exist.
var formats = map[string]string{
	"date":      datePattern,
	"time":      timePattern,
	"date-time": datePattern + "T" + timePattern,
	"uuid":      `[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`,
	"ipv4":      `((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`,
	"email":     `[a-z0-9_+-]{1,30}(\.[a-z0-9_+-]{1,30}){0,3}@[a-z0-9]{1,30}(-[a-z0-9]{1,30}){0,3}(\.[a-z]{2,12}){1,3}`,
}

const (
	datePattern = `[12]\d{3}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))`
	timePattern = `([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)`
)

// searched is a string that a pattern is found in, which is what JSON Schema means by pattern: only ^ and $ tie it to
// the string's ends.
func searched(v any, where string) (*expr, error) {
	pattern, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("grammar: %s: want a text", where)
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("grammar: %s: %w", where, err)
	}
	branches := []*syntax.Regexp{re}
	if re.Op == syntax.OpAlternate {
		branches = re.Sub
	}
	anything := repeat(must(anyChar.quoted()), 0, -1)
	out := alt()
	for _, branch := range branches {
		e, err := (&regexpReader{chars.quoted}).expr(branch, true, true)
		if err != nil {
			return nil, fmt.Errorf("grammar: %s: %w", where, err)
		}
		if !begins(branch) {
			e = seq(anything, e)
		}
		if !ends(branch) {
			e = seq(e, anything)
		}
		out.subs = append(out.subs, e)
	}
	return seq(text(`"`), out, text(`"`)), nil
}

func begins(re *syntax.Regexp) bool {
	if re.Op == syntax.OpConcat {
		return begins(re.Sub[0])
	}
	return re.Op == syntax.OpBeginText || re.Op == syntax.OpBeginLine
}

func ends(re *syntax.Regexp) bool {
	if re.Op == syntax.OpConcat {
		return ends(re.Sub[len(re.Sub)-1])
	}
	return re.Op == syntax.OpEndText || re.Op == syntax.OpEndLine
}

// number is the grammar of a number; of bounds only "not negative" can be told from its first characters.
func number(o *object, where string) (*expr, error) {
	v, ok := o.values["minimum"]
	if !ok {
		return rule("number"), nil
	}
	if fmt.Sprint(v) != "0" {
		return nil, fmt.Errorf("grammar: %s/minimum: %s cannot be honoured for a number; only 0 can, or any for an integer", where, writeJSON(nil, v))
	}
	digit := oneByte('0', '9')
	return seq(alt(text("0"), seq(oneByte('1', '9'), repeat(digit, 0, 17))), optional(seq(text("."), repeat(digit, 1, 17)))), nil
}

// widest is the largest number of as many digits as an integer may have.
const widest = 999_999_999_999_999_999

// integer is the grammar of the whole numbers between the schema's bounds.
func integer(o *object, where string) (*expr, error) {
	low, high := int64(-widest), int64(widest)
	for _, bound := range []struct {
		key  string
		side *int64
		by   int64
	}{{"minimum", &low, 0}, {"exclusiveMinimum", &low, 1}, {"maximum", &high, 0}, {"exclusiveMaximum", &high, -1}} {
		v, ok := o.values[bound.key]
		if !ok {
			continue
		}
		n, err := wholeNumber(v)
		if err != nil {
			return nil, fmt.Errorf("grammar: %s/%s: found %s, want a whole number of at most 18 digits", where, bound.key, writeJSON(nil, v))
		}
		if n += bound.by; bound.side == &low {
			low = max(low, n)
		} else {
			high = min(high, n)
		}
	}
	if low > high {
		return nil, fmt.Errorf("grammar: %s: no whole number is between the bounds", where)
	}
	out := alt()
	if low < 0 {
		out.subs = append(out.subs, seq(text("-"), digits(max(-high, 1), -low)))
	}
	if high >= 0 {
		out.subs = append(out.subs, digits(max(low, 0), high))
	}
	return out, nil
}

func wholeNumber(v any) (int64, error) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, fmt.Errorf("no number")
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > widest {
		return 0, fmt.Errorf("not whole")
	}
	if exact, err := n.Int64(); err == nil {
		return exact, nil
	}
	return int64(f), nil
}

// digits is the numbers from low to high, without leading zeros; 0 <= low <= high.
func digits(low, high int64) *expr {
	out := alt()
	for length, first := 1, int64(1); length <= 18; length, first = length+1, first*10 {
		from, to := max(low, first), min(high, first*10-1)
		if length == 1 {
			from = low
		}
		if from <= to {
			out.subs = append(out.subs, sameLength(strconv.FormatInt(from, 10), strconv.FormatInt(to, 10)))
		}
	}
	return out
}

// sameLength is the numbers from low to high, which have as many digits as each other.
func sameLength(low, high string) *expr {
	n := len(low) - 1
	if n == 0 {
		return oneByte(low[0], high[0])
	}
	if low[0] == high[0] {
		return seq(oneByte(low[0], low[0]), sameLength(low[1:], high[1:]))
	}
	least, most := strings.Repeat("0", n), strings.Repeat("9", n)
	out := alt()
	from, to := low[0], high[0]
	if low[1:] != least {
		out.subs = append(out.subs, seq(oneByte(from, from), sameLength(low[1:], most)))
		from++
	}
	if high[1:] != most {
		out.subs = append(out.subs, seq(oneByte(to, to), sameLength(least, high[1:])))
		to--
	}
	if from <= to {
		out.subs = append(out.subs, seq(oneByte(from, to), repeat(oneByte('0', '9'), n, n)))
	}
	return out
}
