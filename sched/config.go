// Package sched decides what the next step of an engine computes: which requests are admitted, which parts of their
// prompts are computed, who decodes, and who gives up its KV pages for a while. It is a state machine without clock,
// goroutine, lock or I/O: the same calls give the same plans on every machine, so the loop that serves and the replay
// that predicts run the same code. A Scheduler is for one goroutine at a time.
package sched

import "fmt"

// Admission says how many pages a request is given when it is admitted.
type Admission int

const (
	// Reserve takes pages for the whole prompt and all the output a request may have (S-009): nobody ever runs out.
	Reserve Admission = iota
	// Grow takes pages as tokens come. Where they run out, the request that is last in order is spilled: its pages are
	// written elsewhere and read back later, which on a processor costs far less than computing them again.
	Grow
)

func (a Admission) String() string {
	if a == Grow {
		return "grow"
	}
	return "reserve"
}

// Config bounds the work of a step. Its zero values, where they are allowed, switch a rule off.
type Config struct {
	PageTokens int       // tokens in a KV page
	Pages      int       // pages there are
	Active     int       // most requests that hold pages at once ("active slots", S-014)
	Width      int       // most requests that decode in a step (S-015); 0: all
	Prefill    int       // most prompt tokens in a step (S-011)
	Chunked    bool      // prompts are cut to what a step has left; else a prompt is computed in one step or waits
	Admission  Admission // how pages are given

	// Stretch is by how many per cent of its predicted cost a step that decodes may be lengthened by prompts: 100 lets
	// those who talk wait twice as long for a token while somebody's prompt is read. At least MinChunk tokens are taken,
	// so that a busy engine reads prompts at all. 0: the limit is Prefill alone.
	Stretch  int
	MinChunk int
	Cost     Cost

	// Ageing is the number of steps after which a waiting request counts as one priority higher; 0: never (S W3).
	Ageing int
	// Patience is how many steps a request may be passed over by others because it does not fit; from then on nobody
	// is admitted before it. 0: without bound (S-013).
	Patience int

	// Fair orders requests of the same priority by what their client has been given so far. A request whose prompt is
	// cached may go first by at most HitBonus of the clients' account, in the unit of Cost.
	Fair     bool
	HitBonus int64
}

// Cost predicts what work costs, in any unit of time: whole numbers, so that every machine comes to the same plan.
type Cost struct {
	Step    int64 // of any step
	Token   int64 // of a token, whatever its context
	Context int64 // of a token's attention to 1,024 positions
}

// of is the cost of n tokens of one request, the first of them at position pos. The cost of a step comes on top.
func (c Cost) of(n, pos int) int64 {
	positions := int64(n)*int64(pos) + int64(n)*int64(n+1)/2
	return c.Token*int64(n) + c.Context*positions/1024
}

// check refuses what could not work (S-020).
func (c Config) check() error {
	for _, field := range []struct {
		name  string
		value int64
		least int64
	}{
		{"PageTokens", int64(c.PageTokens), 1}, {"Pages", int64(c.Pages), 1}, {"Active", int64(c.Active), 1},
		{"Width", int64(c.Width), 0}, {"Prefill", int64(c.Prefill), 1}, {"Stretch", int64(c.Stretch), 0}, {"MinChunk", int64(c.MinChunk), 0},
		{"Cost.Step", c.Cost.Step, 0}, {"Cost.Token", c.Cost.Token, 0}, {"Cost.Context", c.Cost.Context, 0},
		{"Ageing", int64(c.Ageing), 0}, {"Patience", int64(c.Patience), 0}, {"HitBonus", c.HitBonus, 0},
	} {
		if field.value < field.least {
			return fmt.Errorf("sched: %s is %d; want at least %d", field.name, field.value, field.least)
		}
	}
	switch {
	case c.PageTokens > 1<<20 || c.Pages > 1<<32:
		return fmt.Errorf("sched: %d pages of %d tokens; want at most 2^32 of 2^20", c.Pages, c.PageTokens)
	case c.Admission != Reserve && c.Admission != Grow:
		return fmt.Errorf("sched: admission %d is unknown; there are reserve and grow", int(c.Admission))
	case c.Stretch > 0 && !c.Chunked:
		return fmt.Errorf("sched: a stretch of %d %% needs chunked prompts: a whole prompt takes the time it takes", c.Stretch)
	case c.Stretch > 0 && c.MinChunk == 0:
		return fmt.Errorf("sched: a stretch of %d %% needs a MinChunk of at least 1, or prompts might wait for ever", c.Stretch)
	case c.Stretch > 0 && c.Cost.Token == 0:
		return fmt.Errorf("sched: a stretch of %d %% needs the cost of a token", c.Stretch)
	}
	return nil
}
