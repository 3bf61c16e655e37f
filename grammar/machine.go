package grammar

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
)

// machine is the lazy automaton of a program: states are made when a text first leads to them. It is shared by all
// texts under the same grammar.
type machine struct {
	prog *program

	mu     sync.Mutex
	frames []frame
	known  map[frame]int32
	states []*state
	masks  int // states that have one
	byKey  map[string]int32
	key    []byte // scratch
}

// frame is a return on a stack: where to go on, the frame below it, and how many there are. Equal stacks have equal
// frames, so that states are found again.
type frame struct {
	to, below, depth int32
}

const bottom = int32(-1) // below the first frame

// config is a place in the program that reads a byte next, and its stack.
type config struct{ pc, frame int32 }

// state is a set of configurations: all that a text may be in the middle of.
type state struct {
	configs []config
	final   bool       // the text may end here
	next    [256]int32 // where bytes lead: unknown, dead or a state
	mask    []uint64   // the tokens that may come next, once somebody asked
}

const (
	unknown int32 = iota - 2
	dead
)

func newMachine(p *program) *machine {
	m := &machine{prog: p, known: map[frame]int32{}, byKey: map[string]int32{}}
	c := closure{m: m, seen: map[config]bool{}}
	c.follow(0, bottom)
	m.add(&c) // state 0: the start
	return m
}

// closure gathers what is reached without reading a byte.
type closure struct {
	m       *machine
	seen    map[config]bool
	configs []config
	final   bool
	full    bool // more configurations or a deeper stack than there may be
}

func (c *closure) follow(pc, stack int32) {
	at := config{pc, stack}
	if c.seen[at] || c.full {
		return
	}
	c.seen[at] = true
	switch i := c.m.prog.code[pc]; i.op {
	case opSet:
		c.configs = append(c.configs, at)
		c.full = len(c.configs) > maxConfigs
	case opSplit:
		c.follow(i.x, stack)
		c.follow(i.y, stack)
	case opJump:
		c.follow(i.x, stack)
	case opCall:
		c.follow(i.x, c.push(i.y, stack))
	case opReturn:
		f := c.m.frames[stack]
		c.follow(f.to, f.below)
	case opMatch:
		c.final = true
	}
}

// push is the stack with a return to the instruction to. A call that is the last thing its rule does needs none: so
// lists written as rules that end with themselves stay as flat as repetitions.
func (c *closure) push(to, stack int32) int32 {
	for c.m.prog.code[to].op == opJump {
		to = c.m.prog.code[to].x
	}
	if c.m.prog.code[to].op == opReturn {
		return stack
	}
	f := frame{to: to, below: stack, depth: 1}
	if stack != bottom {
		f.depth += c.m.frames[stack].depth
	}
	if f.depth > maxDepth {
		c.full = true
		return stack
	}
	n, ok := c.m.known[f]
	if !ok {
		n = int32(len(c.m.frames))
		c.m.frames = append(c.m.frames, f)
		c.m.known[f] = n
	}
	return n
}

// add finds or makes the state of a closure; dead where there is nothing in it.
func (m *machine) add(c *closure) int32 {
	if c.full || len(c.configs) == 0 && !c.final {
		return dead
	}
	slices.SortFunc(c.configs, func(a, b config) int { return cmp.Or(cmp.Compare(a.pc, b.pc), cmp.Compare(a.frame, b.frame)) })
	m.key = m.key[:0]
	for _, at := range c.configs {
		m.key = binary.LittleEndian.AppendUint32(m.key, uint32(at.pc))
		m.key = binary.LittleEndian.AppendUint32(m.key, uint32(at.frame))
	}
	if c.final {
		m.key = append(m.key, 1)
	}
	if n, ok := m.byKey[string(m.key)]; ok {
		return n
	}
	s := &state{configs: c.configs, final: c.final}
	for b := range s.next {
		s.next[b] = unknown
	}
	n := int32(len(m.states))
	m.states = append(m.states, s)
	m.byKey[string(m.key)] = n
	return n
}

// step is where a byte leads from a state: another one, or dead.
func (m *machine) step(from int32, b byte) int32 {
	s := m.states[from]
	if s.next[b] == unknown {
		c := closure{m: m, seen: map[config]bool{}}
		for _, at := range s.configs {
			if i := m.prog.code[at.pc]; m.prog.sets[i.set].has(b) {
				c.follow(i.x, at.frame)
			}
		}
		s.next[b] = m.add(&c)
	}
	return s.next[b]
}

// full tells whether so much is remembered that a text does better to go on in a machine of its own.
func (m *machine) full() bool { return len(m.states) > maxStates || m.masks > maxMasks }

// adopt makes the state that another machine of the same program is in.
func (m *machine) adopt(other *machine, from int32) int32 {
	s := other.states[from]
	c := closure{m: m, configs: make([]config, len(s.configs)), final: s.final}
	for i, at := range s.configs {
		c.configs[i] = config{at.pc, m.stack(other, at.frame)}
	}
	return m.add(&c)
}

// stack copies a stack of another machine.
func (m *machine) stack(other *machine, n int32) int32 {
	if n == bottom {
		return bottom
	}
	f := other.frames[n]
	c := closure{m: m}
	return c.push(f.to, m.stack(other, f.below))
}
