package jinja

import "context"

// Limits bounds one rendering. A zero field means its default.
type Limits struct {
	Steps  int // evaluated nodes, and work inside filters and comparisons
	Output int // bytes of rendered text
	Memory int // bytes allocated over the whole rendering, so at least what it holds at any time
	Depth  int // nested evaluations: macros inside macros, loops inside loops
}

// Defaults for the fields of Limits that are zero.
const (
	DefaultSteps  = 10_000_000
	DefaultOutput = 16 << 20
	DefaultMemory = 64 << 20
	DefaultDepth  = 5000
)

const (
	maxSource  = 1 << 20 // bytes of template text
	maxNesting = 200     // nested expressions and statements in the text
	maxChain   = 500     // operators, subscripts or filters in a row
	maxRange   = 100_000 // items of range(), as in jinja2's sandbox
	maxDeep    = 500     // nested lists and dicts in a value
	maxDigits  = 4300    // digits of an integer, as in Python
)

func (l Limits) withDefaults() Limits {
	for _, field := range []struct {
		value    *int
		fallback int
	}{{&l.Steps, DefaultSteps}, {&l.Output, DefaultOutput}, {&l.Memory, DefaultMemory}, {&l.Depth, DefaultDepth}} {
		if *field.value <= 0 {
			*field.value = field.fallback
		}
	}
	return l
}

// budget counts what a rendering has used. Each method fails the rendering when its limit is passed.
type budget struct {
	ctx    context.Context
	limits Limits
	steps  int
	memory int
	depth  int
	polled int // steps at the last look at ctx
}

const pollEvery = 2048 // steps between two looks at the context

// charge accounts for n units of work.
func (r *run) charge(n int) {
	r.steps += n
	if r.steps > r.limits.Steps || r.steps < 0 {
		r.exceed("took more than %d steps", r.limits.Steps)
	}
	if r.steps-r.polled >= pollEvery {
		r.polled = r.steps
		if err := r.ctx.Err(); err != nil {
			panic(&Error{Name: r.tmpl.name, Message: "stopped: " + context.Cause(r.ctx).Error(), src: r.tmpl.src, pos: r.pos, cause: err})
		}
	}
}

// scan accounts for reading n bytes of a string.
func (r *run) scan(n int) { r.charge(1 + n/64) }

// grow accounts for n bytes of memory, and for the work of filling them. It is called before the bytes are allocated.
func (r *run) grow(n int) {
	r.charge(n / 64)
	if n > r.limits.Memory-r.memory {
		r.exceed("used more than %d bytes of memory", r.limits.Memory)
	}
	r.memory += n
}

// growTimes is grow(size*count), safe from overflow.
func (r *run) growTimes(size, count int) {
	if count > 0 && size > r.limits.Memory/count {
		r.exceed("used more than %d bytes of memory", r.limits.Memory)
	}
	r.grow(size * max(count, 0))
}

// deeper guards a recursion over nested values.
func (r *run) deeper(level int) {
	r.charge(1)
	if level > maxDeep {
		r.exceed("reached a value nested more than %d deep", maxDeep)
	}
}

func (r *run) exceed(format string, args ...any) {
	e := r.errorf("the template "+format, args...)
	e.cause = ErrLimit
	panic(e)
}
