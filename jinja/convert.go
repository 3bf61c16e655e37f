package jinja

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// FromJSON reads one JSON value. Objects keep the order of their keys, and 1.0 stays apart from 1.
func FromJSON(data []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decode(d, 0)
	if err == nil {
		if _, err = d.Token(); err == nil {
			return nil, errors.New("jinja: more than one JSON value, want one")
		}
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("jinja: JSON value: %w", err)
	}
	if v == nil {
		return nil, errors.New("jinja: JSON value: found nothing, want one value")
	}
	return v, nil
}

func decode(d *json.Decoder, level int) (Value, error) {
	if level > maxDeep {
		return nil, fmt.Errorf("nested more than %d deep", maxDeep)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case nil:
		return None{}, nil
	case bool:
		return Bool(t), nil
	case string:
		return String(t), nil
	case json.Number:
		return number(string(t))
	case json.Delim:
		if t == '[' {
			return decodeList(d, level)
		}
		return decodeDict(d, level)
	}
	return nil, fmt.Errorf("found %v, want a value", t)
}

func decodeList(d *json.Decoder, level int) (Value, error) {
	list := &List{}
	for d.More() {
		item, err := decode(d, level+1)
		if err != nil {
			return nil, unexpectedEnd(err)
		}
		list.items = append(list.items, item)
	}
	_, err := d.Token()
	return list, unexpectedEnd(err)
}

func decodeDict(d *json.Decoder, level int) (Value, error) {
	dict := NewDict()
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, unexpectedEnd(err)
		}
		name, ok := key.(string)
		if !ok {
			return nil, fmt.Errorf("found key %v, want a string", key)
		}
		value, err := decode(d, level+1)
		if err != nil {
			return nil, unexpectedEnd(err)
		}
		dict.Set(name, value)
	}
	_, err := d.Token()
	return dict, unexpectedEnd(err)
}

// unexpectedEnd keeps an end inside a value apart from the proper end behind it.
func unexpectedEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// number is a JSON number as Python reads it: digits alone are an int. JSON numbers have at most maxDigits digits here.
func number(s string) (Value, error) {
	if strings.ContainsAny(s, ".eE") {
		f, _ := strconv.ParseFloat(s, 64) // out of range is ±Inf, as in Python
		return Float(f), nil
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Int(i), nil
	}
	if i, ok := new(big.Int).SetString(s, 10); ok && len(s) <= maxDigits {
		return wide{i}, nil
	}
	return nil, fmt.Errorf("found a number of %d characters, want at most %d digits", len(s), maxDigits)
}

// FromGo converts nil, booleans, numbers, strings, json.RawMessage, json.Number, slices, maps with string keys, pointers to these, and
// Values. Maps have no order in Go, so their keys come sorted; use a Dict where order counts.
func FromGo(v any) (Value, error) { return fromGo(v, 0) }

func fromGo(v any, level int) (Value, error) {
	switch v := v.(type) {
	case nil:
		return None{}, nil
	case Value:
		return v, nil
	case json.RawMessage:
		return FromJSON(v)
	case json.Number:
		return number(string(v))
	}
	if level > maxDeep {
		return nil, fmt.Errorf("jinja: Go value nested more than %d deep", maxDeep)
	}
	return fromReflect(reflect.ValueOf(v), level)
}

func fromReflect(v reflect.Value, level int) (Value, error) {
	switch kind := v.Kind(); {
	case kind == reflect.Bool:
		return Bool(v.Bool()), nil
	case v.CanInt():
		return Int(v.Int()), nil
	case v.CanUint():
		return integer(new(big.Int).SetUint64(v.Uint())), nil
	case v.CanFloat():
		return Float(v.Float()), nil
	case kind == reflect.String:
		return String(strings.ToValidUTF8(v.String(), "\uFFFD")), nil
	case kind == reflect.Pointer && !v.IsNil():
		return fromGo(v.Elem().Interface(), level+1)
	case kind == reflect.Pointer:
		return None{}, nil
	case kind == reflect.Slice || kind == reflect.Array:
		list := &List{}
		for i := range v.Len() {
			item, err := fromGo(v.Index(i).Interface(), level+1)
			if err != nil {
				return nil, err
			}
			list.items = append(list.items, item)
		}
		return list, nil
	case kind == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return fromMap(v, level)
	}
	return nil, fmt.Errorf("jinja: Go value of type %s: want nil, a bool, number, string, slice, map with string keys or jinja.Value", v.Type())
}

func fromMap(v reflect.Value, level int) (Value, error) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	dict := NewDict()
	for _, key := range keys {
		value, err := fromGo(v.MapIndex(key).Interface(), level+1)
		if err != nil {
			return nil, err
		}
		dict.Set(key.String(), value)
	}
	return dict, nil
}

// MapStrings is v with every string in it, keys of dicts included, replaced by what f makes of it.
func MapStrings(v Value, f func(string) string) Value {
	switch v := v.(type) {
	case String:
		return String(f(string(v)))
	case *List:
		items := make([]Value, len(v.items))
		for i, item := range v.items {
			items[i] = MapStrings(item, f)
		}
		return &List{items}
	case *Dict:
		d := NewDict()
		for i, key := range v.Keys() {
			d.Set(f(key), MapStrings(v.values[i], f))
		}
		return d
	}
	return v
}
