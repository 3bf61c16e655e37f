package gguf

import (
	"fmt"
	"regexp"
	"strconv"
)

// partName is how the parts of a split model are called: prefix-00001-of-00003.gguf.
var partName = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

func nameOfPart(prefix string, no, count int) string {
	return fmt.Sprintf("%s-%05d-of-%05d.gguf", prefix, no+1, count)
}

// openParts opens the file at f.path and, where it is one part of many, the others: f.parts is all, in order.
func (f *File) openParts() error {
	first, err := openPart(f.path)
	if err != nil {
		return err
	}
	f.parts = []*part{first}
	count, err := first.split(keySplitCount, 1, maxSplits)
	if err != nil || count == 1 {
		return err
	}
	no, err := first.split(keySplitNo, 0, count-1)
	if err != nil {
		return err
	}
	prefix, err := f.prefix(no, count)
	if err != nil {
		return err
	}
	parts := make([]*part, count)
	parts[no] = first
	for i := range parts {
		if i != no {
			if parts[i], err = openPart(nameOfPart(prefix, i, count)); err != nil {
				return err
			}
			f.parts = append(f.parts, parts[i]) // already in Close's reach
		}
	}
	f.parts = parts
	return f.checkSplit()
}

// prefix is what the names of all parts begin with; the opened one has to be called by its number.
func (f *File) prefix(no, count int) (string, error) {
	m := partName.FindStringSubmatch(f.path)
	if m == nil || m[2] != fmt.Sprintf("%05d", no+1) || m[3] != fmt.Sprintf("%05d", count) {
		return "", &Error{Path: f.path, Field: "file name", Offset: -1,
			Found: fmt.Sprintf("part %d of a model in %d parts", no+1, count), Want: "a name that ends in " + nameOfPart("", no, count)}
	}
	return m[1], nil
}

// checkSplit compares the parts' own numbers.
func (f *File) checkSplit() error {
	tensors := 0
	for _, p := range f.parts {
		tensors += len(p.head.tensors)
	}
	if tensors > maxTensors {
		return &Error{Path: f.path, Field: "tensor count of all parts", Offset: -1, Found: fmt.Sprint(tensors), Want: "at most " + strconv.Itoa(maxTensors)}
	}
	for i, p := range f.parts {
		for _, want := range []struct {
			key   string
			value int
		}{{keySplitNo, i}, {keySplitCount, len(f.parts)}, {keySplitTensors, tensors}} {
			if _, err := p.split(want.key, want.value, want.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// split reads one of the part's split keys, from lo to hi. A file without any is a model in one part.
func (p *part) split(key string, lo, hi int) (int, error) {
	v, ok := p.head.values[key]
	if !ok && key == keySplitCount && p.head.alone() {
		return 1, nil
	}
	n, isInt := v.integer()
	want := fmt.Sprintf("%d to %d", lo, hi)
	if lo == hi {
		want = strconv.Itoa(lo)
	}
	e := &Error{Path: p.path, Field: fmt.Sprintf("key %q", key), Offset: -1, Want: want}
	switch {
	case !ok:
		e.Found, e.Err = "nothing", ErrMissing
	case !isInt:
		e.Found = v.Type()
	case n < int64(lo) || n > int64(hi):
		e.Found = strconv.FormatInt(n, 10)
	default:
		return int(n), nil
	}
	return 0, e
}

// alone says that the header has no word of other parts.
func (h *header) alone() bool {
	for _, key := range []string{keySplitNo, keySplitCount, keySplitTensors} {
		if _, ok := h.values[key]; ok {
			return false
		}
	}
	return true
}
