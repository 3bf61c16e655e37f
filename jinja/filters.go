package jinja

import (
	"math"
	"strconv"
	"strings"
)

// filters are what may follow "|". Each gets the value and the rest of the arguments.
var filters map[string]func(r *run, v Value, a arguments) Value

func init() {
	filters = map[string]func(r *run, v Value, a arguments) Value{
		"default": defaultFilter, "d": defaultFilter,
		"length": lengthFilter, "count": lengthFilter,
		"string": stringFilter,
		"attr":   attrFilter,
		"abs":    absFilter,
		"int":    intFilter,
		"float":  floatFilter,
		"round":  roundFilter,
		"sum":    sumFilter,
		"tojson": tojsonFilter,

		"list": listFilter, "items": itemsFilter, "dictsort": dictsortFilter,
		"first": firstFilter, "last": lastFilter, "reverse": reverseFilter,
		"sort": sortFilter, "unique": uniqueFilter, "groupby": groupbyFilter,
		"min": extreme("min", -1), "max": extreme("max", 1),
		"batch": batchFilter, "slice": sliceFilter,
		"map": mapFilter, "join": joinFilter,
		"select": selection("select", false, true), "reject": selection("reject", false, false),
		"selectattr": selection("selectattr", true, true), "rejectattr": selection("rejectattr", true, false),

		"upper": viaString("upper", toUpper), "lower": viaString("lower", strings.ToLower),
		"capitalize": viaString("capitalize", capitalize), "title": viaString("title", titleFilter),
		"trim": trimFilter, "replace": replaceFilter, "indent": indentFilter, "format": formatFilter,
		"center": centerFilter, "truncate": truncateFilter, "wordcount": wordcountFilter,
		"filesizeformat": filesizeFilter,

		"escape": escapeFilter, "e": escapeFilter, "forceescape": forceescapeFilter, "safe": safeFilter,
		"striptags": striptagsFilter, "urlencode": urlencodeFilter, "xmlattr": xmlattrFilter,
	}
}

func (r *run) filter(id string, v Value, a arguments) Value {
	f, ok := filters[id]
	if !ok {
		r.fail("no filter named '%s'", id)
	}
	return f(r, v, a)
}

func defaultFilter(r *run, v Value, a arguments) Value {
	args := r.bind("default", a, "default_value", "boolean")
	if is[*undefined](v) || args[1] != nil && truth(args[1]) && !truth(v) {
		return either(args[0], String(""))
	}
	return v
}

func lengthFilter(r *run, v Value, a arguments) Value {
	r.bind("length", a)
	return Int(r.length(v))
}

func stringFilter(r *run, v Value, a arguments) Value {
	r.bind("string", a)
	if is[markup](v) {
		return v
	}
	return String(r.str(v))
}

func attrFilter(r *run, v Value, a arguments) Value {
	id := r.str(r.bind("attr", a, "*name")[0])
	r.defined(v)
	if found := r.ownAttr(v, id); found != nil {
		return found
	}
	return missing(v, String(id))
}

func absFilter(r *run, v Value, a arguments) Value {
	r.bind("abs", a)
	r.defined(v)
	if !isNumber(v) {
		r.fail("bad operand type for abs(): '%s'", v.pyType())
	}
	if f, ok := v.(Float); ok {
		return Float(math.Abs(float64(f)))
	}
	if r.less(v, Int(0), "<") {
		return r.sign("-", v)
	}
	return r.sign("+", v)
}

func intFilter(r *run, v Value, a arguments) Value {
	args := r.bind("int", a, "default", "base")
	fallback := either(args[0], Int(0))
	base := r.intArg("int", args[1], 10)
	switch v := v.(type) {
	case Float:
		if i, ok := whole(float64(v)); ok {
			return i
		}
		return fallback
	case Int, wide:
		return v
	case Bool:
		return r.sign("+", v)
	case *undefined:
		r.defined(v)
	}
	s, ok := text(v)
	if !ok {
		return fallback
	}
	if i := parseInt(s, base); i != nil {
		return i
	}
	if f, ok := parseFloat(s); ok {
		if i, ok := whole(f); ok {
			return i
		}
	}
	return fallback
}

// parseInt is Python's int(s, base), nil where s is none.
func parseInt(s string, base int) Value {
	s = strings.TrimFunc(s, isSpace)
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || len(digits) > maxDigits || base == 1 || base < 0 || base > 36 {
		return nil
	}
	prefixed := len(digits) > 2 && digits[0] == '0' && map[byte]int{'x': 16, 'o': 8, 'b': 2}[digits[1]|0x20] == base
	if prefixed {
		digits = strings.TrimPrefix(digits[2:], "_")
	}
	if digits == "" || digits[0] == '_' || digits[len(digits)-1] == '_' || strings.Contains(digits, "__") || strings.ContainsAny(digits, "+-") {
		return nil
	}
	if base != 0 {
		digits = strings.ReplaceAll(digits, "_", "")
	}
	return bigInt(s[0] == '-', digits, base)
}

func floatFilter(r *run, v Value, a arguments) Value {
	fallback := either(r.bind("float", a, "default")[0], Float(0))
	r.defined(v)
	if isNumber(v) {
		return Float(float(v))
	}
	if s, ok := text(v); ok {
		if f, ok := parseFloat(s); ok {
			return Float(f)
		}
	}
	return fallback
}

// parseFloat is Python's float(s), false where s is none.
func parseFloat(s string) (float64, bool) {
	s = strings.TrimFunc(s, isSpace)
	if strings.ContainsAny(s, "xXpP") || strings.Contains(s, "__") || strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

func roundFilter(r *run, v Value, a arguments) Value {
	args := r.bind("round", a, "precision", "method")
	precision := r.intArg("round", args[0], 0)
	how := "common"
	if args[1] != nil {
		how = r.textArg("round", args[1])
	}
	r.defined(v)
	if !isNumber(v) {
		r.fail("type %s has no rounding", v.pyType())
	}
	switch how {
	case "common":
		return r.round(v, precision)
	case "ceil", "floor":
		scale := math.Pow10(precision)
		if how == "ceil" {
			return Float(math.Ceil(float(v)*scale) / scale)
		}
		return Float(math.Floor(float(v)*scale) / scale)
	}
	r.fail("round: found method '%s', want common, ceil or floor", how)
	return nil
}

// round is Python's round(v, precision): to the nearest, halves to even.
func (r *run) round(v Value, precision int) Value {
	f, isFloat := v.(Float)
	switch {
	case !isFloat && precision >= 0:
		return r.sign("+", v)
	case !isFloat:
		return r.roundInt(v, precision)
	case precision > 300 || math.IsInf(float64(f), 0) || math.IsNaN(float64(f)):
		return f
	case precision >= 0:
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'f', precision, 64), 64) // its own output parses
		return Float(rounded)
	}
	scale := math.Pow10(-precision)
	return Float(math.RoundToEven(float64(f)/scale) * scale)
}

// roundInt rounds an integer to a power of ten, halves to even.
func (r *run) roundInt(v Value, precision int) Value {
	i, ok := small(v)
	if !ok {
		r.overflow()
	}
	if precision < -18 {
		return Int(0)
	}
	scale := int64(1)
	for range -precision {
		scale *= 10
	}
	lower, _ := small(r.integers("//", i, scale))
	if rest := i - lower*scale; rest > scale/2 || rest == scale/2 && lower%2 != 0 {
		lower++
	}
	return Int(r.multiply(lower, scale))
}

func sumFilter(r *run, v Value, a arguments) Value {
	args := r.bind("sum", a, "attribute", "start")
	total := either(args[1], Int(0))
	get := r.getter(args[0], nil)
	if is[String](total) {
		r.fail("sum() can't sum strings [use join instead]")
	}
	for _, item := range r.iterate(v) {
		total = r.binary("+", total, get(item))
	}
	return total
}
