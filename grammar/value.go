package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// object is a JSON object with its members in the order of the text, which is the order in which a model writes them.
type object struct {
	keys   []string
	values map[string]any
}

// parseJSON reads a JSON text: objects become *object, numbers json.Number, and the rest what encoding/json makes of it.
func parseJSON(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	v, err := readValue(dec, 0)
	if err != nil {
		return nil, fmt.Errorf("grammar: the schema is no JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("grammar: something follows the schema")
	}
	return v, nil
}

func readValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("more than %d levels", maxNesting)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return readObject(dec, depth)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := readValue(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err
	}
	return token, nil
}

func readObject(dec *json.Decoder, depth int) (*object, error) {
	o := &object{values: map[string]any{}}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string) // the decoder lets nothing else stand there
		if _, twice := o.values[name]; twice {
			return nil, fmt.Errorf("member %q is there twice", name)
		}
		if o.values[name], err = readValue(dec, depth+1); err != nil {
			return nil, err
		}
		o.keys = append(o.keys, name)
	}
	_, err := dec.Token()
	return o, err
}

// writeJSON is the one way in which a constant is written.
func writeJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case *object:
		dst = append(dst, '{')
		for i, key := range v.keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(writeJSON(dst, key), ':')
			dst = writeJSON(dst, v.values[key])
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = writeJSON(dst, item)
		}
		return append(dst, ']')
	case string:
		return append(append(append(dst, '"'), escaped(v)...), '"')
	case json.Number:
		return append(dst, v...)
	case bool:
		return fmt.Appendf(dst, "%v", v)
	}
	return append(dst, "null"...)
}

// escaped is a string as it is written between quotes.
func escaped(s string) []byte {
	var out []byte
	for _, c := range s {
		out = append(out, escape(c)...)
	}
	return out
}

// escape is one character between quotes, in the shortest form that JSON has.
func escape(c rune) []byte {
	switch c {
	case '"':
		return []byte(`\"`)
	case '\\':
		return []byte(`\\`)
	case '\n':
		return []byte(`\n`)
	case '\r':
		return []byte(`\r`)
	case '\t':
		return []byte(`\t`)
	}
	if c < 0x20 {
		return fmt.Appendf(nil, `\u%04x`, c)
	}
	return []byte(string(c))
}
