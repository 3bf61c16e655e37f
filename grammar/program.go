package grammar

import "fmt"

// inst is an instruction of a compiled grammar.
type inst struct {
	op   op
	x, y int32 // where to go on; of a call x is the rule's start and y where it returns to
	set  int32 // of opSet: index into sets
}

type op uint8

const (
	opSet    op = iota // a byte of the set, then x
	opSplit            // x or y
	opJump             // x
	opCall             // the rule at x, then y
	opReturn           // from a rule
	opMatch            // the text may end here
)

// program is a compiled grammar. It starts with the instruction 0, a call of the root rule.
type program struct {
	code []inst
	sets []set
}

// compiler writes a program.
type compiler struct {
	program
	g       *Grammar
	starts  map[string]int32
	pending []string // rules whose code is not written yet
	calls   map[string][]int32
	known   map[set]int32
}

func compile(g *Grammar) (*program, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	c := &compiler{g: g, starts: map[string]int32{}, calls: map[string][]int32{}, known: map[set]int32{}}
	c.code = []inst{{op: opCall, y: 1}, {op: opMatch}}
	c.call(g.root, 0)
	for len(c.pending) > 0 {
		name := c.pending[0]
		c.pending = c.pending[1:]
		c.starts[name] = int32(len(c.code))
		if err := c.write(g.rules[name]); err != nil {
			return nil, err
		}
		c.code = append(c.code, inst{op: opReturn})
	}
	for name, places := range c.calls {
		for _, at := range places {
			c.code[at].x = c.starts[name]
		}
	}
	return &c.program, nil
}

// call notes that the instruction at calls a rule.
func (c *compiler) call(name string, at int32) {
	if c.calls[name] == nil {
		c.pending = append(c.pending, name)
	}
	c.calls[name] = append(c.calls[name], at)
}

// emit appends an instruction and returns its place.
func (c *compiler) emit(i inst) int32 {
	c.code = append(c.code, i)
	return int32(len(c.code)) - 1
}

func (c *compiler) here() int32 { return int32(len(c.code)) }

// write appends the code of e, which goes on behind itself.
func (c *compiler) write(e *expr) error {
	if len(c.code) > maxProgram {
		return fmt.Errorf("grammar: more than %d instructions; repetitions such as {0,1000} count as often as they are repeated", maxProgram)
	}
	switch e.kind {
	case isSet:
		at := c.emit(inst{op: opSet, set: c.setNumber(e.set)})
		c.code[at].x = c.here()
	case isSeq:
		for _, sub := range e.subs {
			if err := c.write(sub); err != nil {
				return err
			}
		}
	case isAlt:
		return c.writeAlt(e.subs)
	case isRepeat:
		return c.writeRepeat(e)
	case isRule:
		at := c.emit(inst{op: opCall})
		c.code[at].y = c.here()
		c.call(e.name, at)
	}
	return nil
}

func (c *compiler) writeAlt(subs []*expr) error {
	var ends []int32
	for i, sub := range subs {
		split := int32(-1)
		if i < len(subs)-1 {
			split = c.emit(inst{op: opSplit})
			c.code[split].x = c.here()
		}
		if err := c.write(sub); err != nil {
			return err
		}
		if split >= 0 {
			ends = append(ends, c.emit(inst{op: opJump}))
			c.code[split].y = c.here()
		}
	}
	for _, at := range ends {
		c.code[at].x = c.here()
	}
	return nil
}

func (c *compiler) writeRepeat(e *expr) error {
	for range e.min {
		if err := c.write(e.subs[0]); err != nil {
			return err
		}
	}
	if e.max < 0 {
		split := c.emit(inst{op: opSplit})
		c.code[split].x = c.here()
		if err := c.write(e.subs[0]); err != nil {
			return err
		}
		c.emit(inst{op: opJump, x: split})
		c.code[split].y = c.here()
		return nil
	}
	var splits []int32
	for range e.max - e.min {
		split := c.emit(inst{op: opSplit})
		c.code[split].x = c.here()
		splits = append(splits, split)
		if err := c.write(e.subs[0]); err != nil {
			return err
		}
	}
	for _, at := range splits {
		c.code[at].y = c.here()
	}
	return nil
}

func (c *compiler) setNumber(s set) int32 {
	n, ok := c.known[s]
	if !ok {
		n = int32(len(c.sets))
		c.sets = append(c.sets, s)
		c.known[s] = n
	}
	return n
}
