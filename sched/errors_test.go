package sched

import (
	"math"
	"testing"
)

// S-020: what cannot work is refused, with what was found and what was wanted.
func TestConfigErrors(t *testing.T) {
	good := Config{PageTokens: 16, Pages: 8, Active: 2, Prefill: 32}
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.PageTokens = 0 }, "sched: PageTokens is 0; want at least 1"},
		{func(c *Config) { c.Pages = -1 }, "sched: Pages is -1; want at least 1"},
		{func(c *Config) { c.Active = 0 }, "sched: Active is 0; want at least 1"},
		{func(c *Config) { c.Width = -1 }, "sched: Width is -1; want at least 0"},
		{func(c *Config) { c.Prefill = 0 }, "sched: Prefill is 0; want at least 1"},
		{func(c *Config) { c.Ageing = -1 }, "sched: Ageing is -1; want at least 0"},
		{func(c *Config) { c.Pages = math.MaxInt }, "sched: 9223372036854775807 pages of 16 tokens; want at most 2^32 of 2^20"},
		{func(c *Config) { c.Admission = 7 }, "sched: admission 7 is unknown; there are reserve and grow"},
		{func(c *Config) { c.Stretch = 5 }, "sched: a stretch of 5 % needs chunked prompts: a whole prompt takes the time it takes"},
		{func(c *Config) { c.Stretch, c.Chunked = 5, true }, "sched: a stretch of 5 % needs a MinChunk of at least 1, or prompts might wait for ever"},
		{func(c *Config) { c.Stretch, c.Chunked, c.MinChunk = 5, true, 1 }, "sched: a stretch of 5 % needs the cost of a token"},
	} {
		cfg := good
		c.change(&cfg)
		if _, err := New(cfg); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func TestRequestErrors(t *testing.T) {
	s := newScheduler(t, Config{PageTokens: 16, Pages: 8, Active: 2, Prefill: 32}, Request{ID: "there", Prompt: 16, Output: 1})
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{ID: "there", Prompt: 16, Output: 1}, `sched: request "there" is there already`},
		{Request{ID: "a", Prompt: 0, Output: 1}, `sched: request "a" has a prompt of 0 tokens; want at least 1`},
		{Request{ID: "a", Prompt: 1, Output: 0}, `sched: request "a" asks for 0 tokens; want at least 1`},
		{Request{ID: "a", Prompt: 9, Output: 1, Cached: 9}, `sched: request "a" has 9 cached tokens of 9; want at least 0, and one less than the prompt`},
		{Request{ID: "a", Prompt: 9, Output: 1, Deadline: -1}, `sched: request "a" has deadline -1; want a step, or 0 for none`},
		{Request{ID: "a", Prompt: 120, Output: 9}, `sched: request "a" asks for room for 120 + 9 tokens; all pages together hold 128`},
		{Request{ID: "a", Prompt: math.MaxInt, Output: math.MaxInt}, `sched: request "a" asks for room for 9223372036854775807 + 9223372036854775807 tokens; all pages together hold 128`},
		{Request{ID: "a", Prompt: 33, Output: 1}, `sched: request "a" has 33 prompt tokens to compute; a step takes 32 and prompts are not cut`},
	} {
		if err := s.Submit(c.r); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	if s.Len() != 1 {
		t.Errorf("%d requests are there after refusals, want 1", s.Len())
	}
}
