package params

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/nrt-go/nrt/sample"
)

// Unset is the value that unsets a parameter.
const Unset = "default"

// What was wanted; Set names what was found.
var (
	errNumber   = errors.New("a number")
	errInteger  = errors.New("a whole number")
	errSeed     = errors.New("a whole number, or -1 for a new one each time")
	errSamplers = fmt.Errorf("some of %s", strings.Join(sample.Names(), ", "))
	errBias     = errors.New("TOKEN+BIAS, TOKEN-BIAS or TOKEN-inf, such as 15043-1.5")
)

func scalar[T any](field **T, value string, wanted error, parse func(string) (T, error)) error {
	value = strings.TrimSpace(value)
	if value == Unset {
		*field = nil
		return nil
	}
	v, err := parse(value)
	if err != nil {
		return wanted
	}
	*field = &v
	return nil
}

func shown[T any](field *T, format func(T) string) (string, bool) {
	if field == nil {
		return "", false
	}
	return format(*field), true
}

// parseFinite refuses the words for NaN and infinity, which are no settings and have no JSON.
func parseFinite(value string) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = errNumber
	}
	return v, err
}

// list adds one text with each Set; backslash escapes are read, so that a newline can be given in a shell.
func list(name, help string, field func(*Settings) *[]string, also ...string) Param {
	return Param{Name: name, Also: also, Arg: "TEXT", Help: help,
		set: func(s *Settings, value string) error {
			if value == Unset || value == "" {
				*field(s) = nil
				return nil
			}
			// A copy: the settings of an earlier request may still hold the old list.
			*field(s) = append(slices.Clone(*field(s)), unescaped(value))
			return nil
		},
		get: func(s *Settings) (string, bool) {
			var quoted []string
			for _, text := range *field(s) {
				quoted = append(quoted, strconv.Quote(text))
			}
			return strings.Join(quoted, " "), len(quoted) > 0
		},
	}
}

func unescaped(s string) string {
	if text, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`); err == nil {
		return text
	}
	return s
}

var seed = Param{Name: "seed", Short: "s", Arg: "N", Help: "seed of the random numbers; -1 is a new one each time",
	set: func(s *Settings, value string) error {
		if strings.TrimSpace(value) == "-1" { // llama.cpp's word for "draw one"
			value = Unset
		}
		return scalar(&s.Seed, value, errSeed, func(v string) (uint64, error) { return strconv.ParseUint(v, 10, 64) })
	},
	get: func(s *Settings) (string, bool) {
		return shown(s.Seed, func(v uint64) string { return strconv.FormatUint(v, 10) })
	},
}

var samplers = Param{Name: "samplers", Arg: "LIST", Help: "the samplers in order, with ; or , between",
	set: func(s *Settings, value string) error {
		names := strings.FieldsFunc(value, func(r rune) bool { return r == ';' || r == ',' || unicode.IsSpace(r) })
		switch {
		case len(names) == 0:
			return errSamplers
		case names[0] == Unset:
			names = nil
		}
		s.Samplers = names
		return nil
	},
	get: func(s *Settings) (string, bool) { return strings.Join(s.Samplers, ";"), s.Samplers != nil },
}

var bias = Param{Name: "logit-bias", Short: "l", Arg: "TOKEN+BIAS", Help: "add to a token's logit (15043+1); TOKEN-inf bans it",
	set: func(s *Settings, value string) error {
		if value == Unset {
			s.LogitBias = nil
			return nil
		}
		id, amount, err := parseBias(value)
		if err != nil {
			return err
		}
		biases := maps.Clone(s.LogitBias)
		if biases == nil {
			biases = map[int32]float32{}
		}
		biases[id] = amount
		s.LogitBias = biases
		return nil
	},
	get: func(s *Settings) (string, bool) {
		var parts []string
		for _, id := range slices.Sorted(maps.Keys(s.LogitBias)) {
			parts = append(parts, fmt.Sprintf("%d%+g", id, s.LogitBias[id]))
		}
		return strings.Join(parts, " "), len(parts) > 0
	},
}

// banned rules a token out: its probability is exactly 0. It is not -Inf, because JSON has no word for that.
const banned = -1e6

func parseBias(value string) (id int32, amount float32, err error) {
	value = strings.TrimSpace(value)
	sign := strings.IndexAny(value, "+-")
	if sign < 1 {
		return 0, 0, errBias
	}
	n, err := strconv.ParseInt(value[:sign], 10, 32)
	if err != nil {
		return 0, 0, errBias
	}
	f, err := strconv.ParseFloat(value[sign:], 32)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 1) {
		return 0, 0, errBias
	}
	return int32(n), float32(max(f, banned)), nil
}
