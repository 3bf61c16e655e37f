package jinja

import (
	"slices"
	"strconv"
	"strings"
)

func listFilter(r *run, v Value, a arguments) Value {
	r.bind("list", a)
	return r.list(r.iterate(v))
}

func itemsFilter(r *run, v Value, a arguments) Value {
	r.bind("items", a)
	if is[*undefined](v) {
		return generator(nil)
	}
	d, ok := v.(*Dict)
	if !ok {
		r.fail("can only get item pairs from a mapping, found '%s'", v.pyType())
	}
	return generator(r.pairs(d))
}

func generator(items []Value) Value { return &iterator{"generator", items} }

// folded is what strings are ordered by where case does not count.
func (r *run) folded(v Value) Value {
	s, ok := text(v)
	if !ok {
		return v
	}
	r.grow(len(s))
	return String(strings.ToLower(s))
}

func asIs(v Value) Value { return v }

// folding is how a filter with the argument case_sensitive looks at its items.
func (r *run) folding(caseSensitive Value) func(Value) Value {
	if caseSensitive != nil && truth(caseSensitive) {
		return asIs
	}
	return r.folded
}

func dictsortFilter(r *run, v Value, a arguments) Value {
	args := r.bind("dictsort", a, "case_sensitive", "by", "reverse")
	d, ok := v.(*Dict)
	if !ok {
		r.fail("dictsort wants a mapping, found '%s'", v.pyType())
	}
	at := 0
	if args[1] != nil {
		if at = slices.Index([]string{"key", "value"}, r.str(args[1])); at < 0 {
			r.fail("you can only sort by either 'key' or 'value'")
		}
	}
	fold := r.folding(args[0])
	pairs := r.pairs(d)
	r.sort(pairs, args[2], func(pair Value) Value { return fold(pair.(*tuple).items[at]) })
	return &List{pairs}
}

// sort orders items in place by their keys, which it computes once each. Equal ones keep their order.
func (r *run) sort(items []Value, reverse Value, key func(Value) Value) {
	type keyed struct{ key, item Value }
	r.growTimes(32, len(items))
	all := make([]keyed, len(items))
	for i, item := range items {
		all[i] = keyed{key(item), item}
	}
	flip := 1
	if reverse != nil && truth(reverse) {
		flip = -1
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		if r.less(a.key, b.key, "<") {
			return -flip
		}
		if r.less(b.key, a.key, "<") {
			return flip
		}
		return 0
	})
	for i := range all {
		items[i] = all[i].item
	}
}

// getter is what an attribute argument picks out of an item: "a.b.0" goes down three levels, nil is the item itself.
// Where fallback is given it stands for what is undefined.
func (r *run) getter(attribute, fallback Value) func(Value) Value {
	if attribute == nil || is[None](attribute) {
		return asIs
	}
	steps := []Value{attribute}
	if s, ok := text(attribute); ok {
		steps = nil
		for _, part := range strings.Split(s, ".") {
			if n, err := strconv.ParseInt(part, 10, 64); err == nil && strings.Trim(part, "0123456789") == "" {
				steps = append(steps, Int(n))
			} else {
				steps = append(steps, String(part))
			}
		}
	}
	return func(v Value) Value {
		for _, step := range steps {
			r.charge(1)
			if v = r.item(v, step); fallback != nil && is[*undefined](v) {
				v = fallback
			}
		}
		return v
	}
}

func sortFilter(r *run, v Value, a arguments) Value {
	args := r.bind("sort", a, "reverse", "case_sensitive", "attribute")
	items := slices.Clone(r.iterate(v))
	r.growTimes(16, len(items))
	fold := r.folding(args[1])
	var gets []func(Value) Value
	if s, ok := text(either(args[2], None{})); ok {
		for _, attribute := range strings.Split(s, ",") {
			gets = append(gets, r.getter(String(attribute), nil))
		}
	} else {
		gets = append(gets, r.getter(args[2], nil))
	}
	r.sort(items, args[0], func(v Value) Value {
		keys := &List{} // even for one key: so items without it are equal rather than without an order
		for _, get := range gets {
			keys.items = append(keys.items, fold(get(v)))
		}
		return keys
	})
	return &List{items}
}

func uniqueFilter(r *run, v Value, a arguments) Value {
	args := r.bind("unique", a, "case_sensitive", "attribute")
	fold, get := r.folding(args[0]), r.getter(args[1], nil)
	seen := NewDict()
	var items []Value
	for _, item := range r.iterate(v) {
		r.grow(96)
		key := fold(get(item))
		k := r.key(key)
		if _, ok := seen.lookup(k); !ok {
			seen.put(key, k, None{})
			items = append(items, item)
		}
	}
	return generator(items)
}

func groupbyFilter(r *run, v Value, a arguments) Value {
	args := r.bind("groupby", a, "*attribute", "default", "case_sensitive")
	fold, get := r.folding(args[2]), r.getter(args[0], args[1])
	items := slices.Clone(r.iterate(v))
	r.growTimes(128, len(items))
	key := func(v Value) Value { return fold(get(v)) }
	r.sort(items, nil, key)
	groups := &List{}
	for i, from := 0, 0; i < len(items); i++ {
		if i+1 < len(items) && r.equal(key(items[i]), key(items[i+1])) {
			continue
		}
		members := items[from : i+1]
		groups.items = append(groups.items, &tuple{
			items: []Value{get(members[0]), &List{members}},
			names: []string{"grouper", "list"},
		})
		from = i + 1
	}
	return groups
}

// extreme is min or max: the first item beyond all others in the direction.
func extreme(callee string, direction int) func(r *run, v Value, a arguments) Value {
	return func(r *run, v Value, a arguments) Value {
		args := r.bind(callee, a, "case_sensitive", "attribute")
		items := r.iterate(v)
		if len(items) == 0 {
			return &undefined{message: "no aggregated item, sequence was empty"}
		}
		fold, get := r.folding(args[0]), r.getter(args[1], nil)
		best := items[0]
		for _, item := range items[1:] {
			if r.order(fold(get(item)), fold(get(best)), "<", 0) == direction {
				best = item
			}
		}
		return best
	}
}

func firstFilter(r *run, v Value, a arguments) Value {
	r.bind("first", a)
	if s, ok := text(v); ok && s != "" {
		return like(v, s[:runeLen(s)])
	}
	if it, ok := v.(*iterator); ok && len(it.items) > 0 {
		item := it.items[0]
		it.items = it.items[1:]
		return item
	}
	if items := r.iterate(v); len(items) > 0 {
		return items[0]
	}
	return &undefined{message: "no first item, sequence was empty"}
}

func lastFilter(r *run, v Value, a arguments) Value {
	r.bind("last", a)
	r.reversible(v)
	if items := r.iterate(v); len(items) > 0 {
		return items[len(items)-1]
	}
	return &undefined{message: "no last item, sequence was empty"}
}

func (r *run) reversible(v Value) {
	if is[*iterator](v) {
		r.fail("'%s' object is not reversible", v.pyType())
	}
}

func reverseFilter(r *run, v Value, a arguments) Value {
	r.bind("reverse", a)
	if s, ok := text(v); ok {
		return like(v, r.sliceString(s, nil, nil, -1))
	}
	items := slices.Clone(r.iterate(v))
	r.growTimes(16, len(items))
	slices.Reverse(items)
	if is[*iterator](v) {
		return &List{items}
	}
	return &iterator{"reversed", items}
}

func batchFilter(r *run, v Value, a arguments) Value {
	args := r.bind("batch", a, "*linecount", "fill_with")
	size := r.intArg("batch", args[0], 0)
	items := r.iterate(v)
	r.growTimes(48, len(items))
	var batches []Value
	for len(items) > 0 {
		n := min(max(size, 1), len(items))
		row := slices.Clone(items[:n])
		items = items[n:]
		if n < size && args[1] != nil && !is[None](args[1]) {
			r.growTimes(16, size-n)
			row = append(row, slices.Repeat([]Value{args[1]}, size-n)...)
		}
		batches = append(batches, &List{row})
	}
	return generator(batches)
}

func sliceFilter(r *run, v Value, a arguments) Value {
	args := r.bind("slice", a, "*slices", "fill_with")
	n := r.intArg("slice", args[0], 0)
	items := r.iterate(v)
	if n == 0 {
		r.fail("division by zero")
	}
	r.growTimes(48, n)
	var columns []Value
	for i, from := 0, 0; i < n; i++ {
		size := len(items) / n
		if i < len(items)%n {
			size++
		}
		column := slices.Clone(items[from : from+size])
		if from += size; args[1] != nil && !is[None](args[1]) && i >= len(items)%n {
			column = append(column, args[1])
		}
		columns = append(columns, &List{column})
	}
	return generator(columns)
}

// mapFilter is map(attribute=name) or map(filter, its arguments).
func mapFilter(r *run, v Value, a arguments) Value {
	if !truth(v) { // so for None as well
		return generator(nil)
	}
	f := r.mapping(a)
	items := slices.Clone(r.iterate(v))
	r.growTimes(16, len(items))
	for i, item := range items {
		r.charge(1)
		items[i] = f(item)
	}
	return generator(items)
}

func (r *run) mapping(a arguments) func(Value) Value {
	if len(a.positional) == 0 {
		args := r.bind("map", a, "*attribute", "default")
		return r.getter(args[0], args[1])
	}
	id := r.textArg("map", a.positional[0])
	a.positional = a.positional[1:]
	return func(v Value) Value { return r.filter(id, v, a) }
}

// selection is select, reject, selectattr or rejectattr: it keeps the items whose test has the wanted result.
func selection(callee string, attribute, keep bool) func(r *run, v Value, a arguments) Value {
	return func(r *run, v Value, a arguments) Value {
		if !truth(v) { // so for None as well
			return generator(nil)
		}
		get := asIs
		if attribute {
			if len(a.positional) == 0 {
				r.fail("%s wants an attribute", callee)
			}
			get = r.getter(a.positional[0], nil)
			a.positional = a.positional[1:]
		}
		holds := truth
		if len(a.positional) > 0 {
			id := r.textArg(callee, a.positional[0])
			a.positional = slices.Clone(a.positional[1:])
			holds = func(v Value) bool { return r.test(id, v, a) }
		}
		items := r.iterate(v)
		r.growTimes(16, len(items))
		var kept []Value
		for _, item := range items {
			r.charge(1)
			if holds(get(item)) == keep {
				kept = append(kept, item)
			}
		}
		return generator(kept)
	}
}

func joinFilter(r *run, v Value, a arguments) Value {
	args := r.bind("join", a, "d", "attribute")
	get := r.getter(args[1], nil)
	items := r.iterate(v)
	r.growTimes(16, len(items))
	parts := make([]string, len(items))
	separator := r.str(either(args[0], String("")))
	n := len(separator) * max(0, len(items)-1)
	for i, item := range items {
		parts[i] = r.str(get(item))
		n += len(parts[i])
	}
	r.grow(n)
	return String(strings.Join(parts, separator))
}
