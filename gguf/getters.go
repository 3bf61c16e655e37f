package gguf

import "math"

// Keys is every metadata key in file order. The slice is the File's own.
func (f *File) Keys() []string { return f.keys }

// Has says whether the file has a key.
func (f *File) Has(key string) bool {
	_, ok := f.values[key]
	return ok
}

// Value is the value of a key, of whatever kind.
func (f *File) Value(key string) (Value, bool) {
	v, ok := f.values[key]
	return v, ok
}

// String is the string at key. Every getter's error names key, found and wanted kind; that of a missing key satisfies
// errors.Is(err, ErrMissing).
func (f *File) String(key string) (string, error) {
	return get(f, key, "a string", func(v Value) (string, bool) { s, ok := v.data.(string); return s, ok })
}

// Bool is the bool at key.
func (f *File) Bool(key string) (bool, error) {
	return get(f, key, "a bool", func(v Value) (bool, bool) { b, ok := v.data.(bool); return b, ok })
}

// Uint is the integer at key, of any width, not negative.
func (f *File) Uint(key string) (uint64, error) {
	return get(f, key, "an integer from 0 up", Value.unsigned)
}

// Int is the integer at key, of any width, at most 2^63-1.
func (f *File) Int(key string) (int64, error) {
	return get(f, key, "an integer that fits int64", Value.integer)
}

// Float is the float32 or float64 at key.
func (f *File) Float(key string) (float64, error) {
	return get(f, key, "a float", func(v Value) (float64, bool) {
		switch x := v.data.(type) {
		case float32:
			return float64(x), true
		case float64:
			return x, true
		}
		return 0, false
	})
}

// Strings is the array of strings at key; the slice is the File's own.
func (f *File) Strings(key string) ([]string, error) {
	return get(f, key, "an array of strings", func(v Value) ([]string, bool) { s, ok := v.data.([]string); return s, ok })
}

// Bools is the array of bools at key; the slice is the File's own.
func (f *File) Bools(key string) ([]bool, error) {
	return get(f, key, "an array of bools", func(v Value) ([]bool, bool) { s, ok := v.data.([]bool); return s, ok })
}

// Ints is the array of integers at key, of any width.
func (f *File) Ints(key string) ([]int64, error) {
	return get(f, key, "an array of integers that fit int64", Value.integers)
}

// Floats is the array of float32 at key, or one of float64 rounded to it.
func (f *File) Floats(key string) ([]float32, error) {
	return get(f, key, "an array of floats", func(v Value) ([]float32, bool) {
		switch s := v.data.(type) {
		case []float32:
			return s, true
		case []float64:
			return converted[float32](s), true
		}
		return nil, false
	})
}

func get[T any](f *File, key, want string, as func(Value) (T, bool)) (T, error) {
	v, ok := f.values[key]
	if ok {
		if x, ok := as(v); ok {
			return x, nil
		}
	}
	e := &Error{Path: f.path, Field: "key " + quoted(key), Offset: -1, Want: want}
	if ok {
		e.Found = found(v)
	} else {
		e.Found, e.Err = "nothing", ErrMissing
	}
	var zero T
	return zero, e
}

// found is a value's kind and, of a number, the number.
func found(v Value) string {
	if v.kind == KindArray || v.kind == KindString {
		return v.Type()
	}
	return v.Type() + " " + v.String()
}

// unsigned is the value as an integer that is not negative.
func (v Value) unsigned() (uint64, bool) {
	if x, ok := v.data.(uint64); ok {
		return x, true
	}
	n, ok := v.integer()
	return uint64(n), ok && n >= 0
}

// integer is the value as an integer, whatever its width.
func (v Value) integer() (int64, bool) {
	switch x := v.data.(type) {
	case uint8:
		return int64(x), true
	case int8:
		return int64(x), true
	case uint16:
		return int64(x), true
	case int16:
		return int64(x), true
	case uint32:
		return int64(x), true
	case int32:
		return int64(x), true
	case uint64:
		return int64(x), x <= math.MaxInt64
	case int64:
		return x, true
	}
	return 0, false
}

func (v Value) integers() ([]int64, bool) {
	switch s := v.data.(type) {
	case []uint8:
		return converted[int64](s), true
	case []int8:
		return converted[int64](s), true
	case []uint16:
		return converted[int64](s), true
	case []int16:
		return converted[int64](s), true
	case []uint32:
		return converted[int64](s), true
	case []int32:
		return converted[int64](s), true
	case []int64:
		return s, true
	case []uint64:
		for _, x := range s {
			if x > math.MaxInt64 {
				return nil, false
			}
		}
		return converted[int64](s), true
	}
	return nil, false
}

type number interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 | ~float32 | ~float64
}

func converted[To, From number](s []From) []To {
	out := make([]To, len(s))
	for i, x := range s {
		out[i] = To(x)
	}
	return out
}
