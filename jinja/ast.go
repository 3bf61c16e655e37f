package jinja

// expr is a node that has a value.
type expr interface {
	at() int // byte offset of what the node does: its operator, name or bracket
	eval(r *run, s *scope) Value
}

// stmt is a node that prints or changes its scope.
type stmt interface {
	at() int
	exec(r *run, s *scope) signal
}

// signal says how a statement ended.
type signal uint8

const (
	goOn signal = iota
	breakLoop
	continueLoop
)

type place int

func (p place) at() int { return int(p) }

// Expressions.
type (
	literal struct {
		place
		value Value
	}
	name struct {
		place
		id string
	}
	listExpr struct {
		place
		items []expr
		tuple bool
	}
	dictExpr struct {
		place
		keys, values []expr
	}
	unaryExpr struct {
		place
		op string // "-" or "+"
		x  expr
	}
	notExpr struct {
		place
		x expr
	}
	binaryExpr struct {
		place
		op   string
		x, y expr
	}
	logicExpr struct {
		place
		or   bool
		x, y expr
	}
	concatExpr struct {
		place
		parts []expr
	}
	compareExpr struct {
		place
		x    expr
		ops  []string
		rest []expr
	}
	condExpr struct {
		place
		test, x, y expr // y is nil where there is no else
	}
	attrExpr struct {
		place
		x  expr
		id string
	}
	itemExpr struct {
		place
		x, key expr
	}
	sliceExpr struct {
		place
		x                 expr
		start, stop, step expr // nil where left out
	}
	callExpr struct {
		place
		x    expr
		args callArgs
	}
	filterExpr struct {
		place
		x    expr // nil for the text of the block that is filtered
		id   string
		args callArgs
	}
	testExpr struct {
		place
		x    expr
		id   string
		args callArgs
	}
)

// callArgs are the arguments of a call as they are written.
type callArgs struct {
	positional []expr
	names      []string // of keywords
	values     []expr
	star       expr // *args, or nil
	starStar   expr // **kwargs, or nil
}

// Statements.
type (
	textStmt struct {
		place
		text string
	}
	printStmt struct {
		place
		x expr
	}
	doStmt struct {
		place
		x expr
	}
	setStmt struct {
		place
		target target
		value  expr
	}
	setBlock struct {
		place
		target target
		filter expr // nil where there is none
		body   []stmt
	}
	ifStmt struct {
		place
		arms []ifArm
		rest []stmt
	}
	forStmt struct {
		place
		target    target
		items     expr
		filter    expr // nil where there is none
		recursive bool
		body      []stmt
		otherwise []stmt
	}
	withStmt struct {
		place
		targets []target
		values  []expr
		body    []stmt
	}
	macroStmt struct {
		place
		def *macroDef
	}
	callStmt struct {
		place
		call *callExpr
		def  *macroDef // the block, as the macro that caller() calls
	}
	filterBlock struct {
		place
		filter expr
		body   []stmt
	}
	scopeStmt struct { // block, and generation
		place
		body     []stmt
		fromRoot bool // whether only top-level variables are seen
	}
	jumpStmt struct {
		place
		signal signal
	}
)

type ifArm struct {
	test expr
	body []stmt
}

// target is what an assignment assigns to: a name, an attribute of a namespace, or several of these.
type target struct {
	place
	id    string
	attr  string   // "" for a plain name
	items []target // of a tuple
	tuple bool
}

// macroDef is the definition of a macro.
type macroDef struct {
	name     string
	params   []string
	defaults []expr // of the last params
	body     []stmt
	varargs  bool // whether the body names varargs, kwargs, caller
	kwargs   bool
	caller   bool
}
