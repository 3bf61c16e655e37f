package jinja

import (
	"maps"
	"slices"
)

// method is what a value's attribute does when called.
type method func(r *run, self Value, a arguments) Value

// methodsOf returns the methods of v's type.
func methodsOf(v Value) map[string]method {
	switch v.(type) {
	case String, markup:
		return stringMethods
	case *Dict:
		return dictMethods
	case *List:
		return listMethods
	case *tuple, *span:
		return sequenceMethods
	case Float:
		return floatMethods
	}
	return nil
}

var (
	dictMethods     map[string]method
	sequenceMethods map[string]method
	listMethods     map[string]method
	floatMethods    map[string]method
	stringMethods   map[string]method
)

func init() {
	dictMethods = map[string]method{
		"get": func(r *run, self Value, a arguments) Value {
			args := r.bind("get", positionalOnly(r, "get", a), "*key", "default")
			if v, ok := self.(*Dict).lookup(r.key(args[0])); ok {
				return v
			}
			return either(args[1], None{})
		},
		"items": func(r *run, self Value, a arguments) Value {
			r.bind("items", a)
			return &view{"dict_items", r.pairs(self.(*Dict))}
		},
		"keys": func(r *run, self Value, a arguments) Value {
			r.bind("keys", a)
			return &view{"dict_keys", self.(*Dict).keys}
		},
		"values": func(r *run, self Value, a arguments) Value {
			r.bind("values", a)
			return &view{"dict_values", self.(*Dict).values}
		},
		"copy": copyMethod,
	}
	sequenceMethods = map[string]method{
		"count": func(r *run, self Value, a arguments) Value {
			wanted := r.bind("count", a, "*value")[0]
			n := 0
			for _, item := range r.iterate(self) {
				if r.equal(item, wanted) {
					n++
				}
			}
			return Int(n)
		},
		"index": func(r *run, self Value, a arguments) Value {
			wanted := r.bind("index", a, "*value")[0]
			at := slices.IndexFunc(r.iterate(self), func(item Value) bool { return r.equal(item, wanted) })
			if at < 0 {
				r.fail("%s is not in %s", printable(r.repr(wanted)), self.pyType())
			}
			return Int(at)
		},
	}
	listMethods = maps.Clone(sequenceMethods)
	listMethods["copy"] = copyMethod
	floatMethods = map[string]method{
		"is_integer": func(r *run, self Value, a arguments) Value {
			r.bind("is_integer", a)
			_, ok := exactInt(float(self))
			return Bool(ok)
		},
	}
}

// copyMethod copies nothing: what cannot be changed need not be copied.
func copyMethod(r *run, self Value, a arguments) Value {
	r.bind("copy", a)
	return self
}

// either is v, or the fallback where v was not passed.
func either(v, fallback Value) Value {
	if v == nil {
		return fallback
	}
	return v
}

// positionalOnly refuses keywords, as Python's own methods do.
func positionalOnly(r *run, callee string, a arguments) arguments {
	if len(a.names) > 0 {
		r.fail("%s() takes no keyword arguments", callee)
	}
	return a
}

// textArg is an argument that has to be a string.
func (r *run) textArg(callee string, v Value) string {
	s, ok := text(v)
	if !ok {
		r.fail("%s wants a string, found '%s'", callee, v.pyType())
	}
	return s
}

// intArg is an argument that has to be an integer, or the fallback where it was not passed.
func (r *run) intArg(callee string, v Value, fallback int) int {
	if v == nil {
		return fallback
	}
	r.defined(v)
	i, ok := small(v)
	if !ok {
		r.fail("%s wants an integer, found '%s'", callee, v.pyType())
	}
	return int(max(-1<<31, min(1<<31-1, i)))
}

// optionalText is an argument that may be left out or None, which is then "".
func (r *run) optionalText(callee string, v Value) (string, bool) {
	if v == nil || is[None](v) {
		return "", false
	}
	return r.textArg(callee, v), true
}
