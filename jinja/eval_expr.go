package jinja

func (n *literal) eval(*run, *scope) Value { return n.value }

func (n *name) eval(r *run, s *scope) Value { return r.resolve(n.id, s) }

func (n *listExpr) eval(r *run, s *scope) Value {
	r.growTimes(16, len(n.items))
	items := make([]Value, len(n.items))
	for i, item := range n.items {
		items[i] = r.eval(item, s)
	}
	if n.tuple {
		return &tuple{items: items}
	}
	return &List{items}
}

func (n *dictExpr) eval(r *run, s *scope) Value {
	r.growTimes(80, len(n.keys))
	d := NewDict()
	for i := range n.keys {
		key := r.eval(n.keys[i], s)
		d.put(key, r.key(key), r.eval(n.values[i], s))
	}
	return d
}

func (n *unaryExpr) eval(r *run, s *scope) Value { return r.sign(n.op, r.eval(n.x, s)) }

func (n *notExpr) eval(r *run, s *scope) Value { return Bool(!truth(r.eval(n.x, s))) }

func (n *binaryExpr) eval(r *run, s *scope) Value {
	x := r.eval(n.x, s)
	return r.binary(n.op, x, r.eval(n.y, s))
}

func (n *logicExpr) eval(r *run, s *scope) Value {
	if x := r.eval(n.x, s); truth(x) == n.or {
		return x
	}
	return r.eval(n.y, s)
}

func (n *concatExpr) eval(r *run, s *scope) Value {
	parts := make([]string, len(n.parts))
	for i, part := range n.parts {
		parts[i] = r.str(r.eval(part, s))
	}
	return String(r.concat(parts...))
}

func (n *compareExpr) eval(r *run, s *scope) Value {
	x := r.eval(n.x, s)
	for i, op := range n.ops {
		y := r.eval(n.rest[i], s)
		if !r.compare(op, x, y) {
			return Bool(false)
		}
		x = y
	}
	return Bool(true)
}

func (n *condExpr) eval(r *run, s *scope) Value {
	if truth(r.eval(n.test, s)) {
		return r.eval(n.x, s)
	}
	if n.y == nil {
		return &undefined{message: "the inline if-expression evaluated to false and no else section was defined"}
	}
	return r.eval(n.y, s)
}

func (n *attrExpr) eval(r *run, s *scope) Value { return r.attr(r.eval(n.x, s), n.id) }

func (n *itemExpr) eval(r *run, s *scope) Value {
	x := r.eval(n.x, s)
	return r.item(x, r.eval(n.key, s))
}

func (n *sliceExpr) eval(r *run, s *scope) Value {
	x := r.eval(n.x, s)
	var bounds [3]Value
	for i, e := range []expr{n.start, n.stop, n.step} {
		if bounds[i] = (None{}); e != nil {
			bounds[i] = r.eval(e, s)
		}
	}
	return r.slice(x, bounds)
}

func (n *callExpr) eval(r *run, s *scope) Value {
	f := r.eval(n.x, s)
	return r.call(f, r.arguments(&n.args, s))
}

func (n *filterExpr) eval(r *run, s *scope) Value {
	var x Value
	if n.x == nil {
		x = r.resolve(blockText, s)
	} else {
		x = r.eval(n.x, s)
	}
	return r.filter(n.id, x, r.arguments(&n.args, s))
}

func (n *testExpr) eval(r *run, s *scope) Value {
	x := r.eval(n.x, s)
	return Bool(r.test(n.id, x, r.arguments(&n.args, s)))
}
