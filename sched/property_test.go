package sched

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawConfig is any configuration that New takes.
func drawConfig(t *rapid.T) Config {
	cfg := Config{
		PageTokens: rapid.SampledFrom([]int{1, 16, 64}).Draw(t, "page tokens"),
		Pages:      rapid.IntRange(4, 40).Draw(t, "pages"),
		Active:     rapid.IntRange(1, 8).Draw(t, "active"),
		Width:      rapid.IntRange(0, 4).Draw(t, "width"),
		Prefill:    rapid.IntRange(1, 200).Draw(t, "prefill"),
		Chunked:    rapid.Bool().Draw(t, "chunked"),
		Admission:  rapid.SampledFrom([]Admission{Reserve, Grow}).Draw(t, "admission"),
		Ageing:     rapid.IntRange(0, 5).Draw(t, "ageing"),
		Patience:   rapid.IntRange(0, 5).Draw(t, "patience"),
		Fair:       rapid.Bool().Draw(t, "fair"),
		HitBonus:   rapid.Int64Range(0, 100).Draw(t, "bonus"),
	}
	if cfg.Chunked && rapid.Bool().Draw(t, "timed") {
		cfg.Cost = Cost{Step: 50, Token: 7, Context: 3}
		cfg.Stretch, cfg.MinChunk = rapid.IntRange(1, 900).Draw(t, "stretch"), rapid.IntRange(1, 8).Draw(t, "least")
	}
	return cfg
}

// drawLoad is any workload whose requests the configuration takes, in the order of arrival.
func drawLoad(t *rapid.T, cfg Config) []arriving {
	var load []arriving
	at := int64(0)
	for i := range rapid.IntRange(1, 20).Draw(t, "requests") {
		room := cfg.Pages * cfg.PageTokens
		prompt := rapid.IntRange(1, room-1).Draw(t, "prompt")
		if !cfg.Chunked {
			prompt = min(prompt, cfg.Prefill)
		}
		at += rapid.Int64Range(0, 4).Draw(t, "gap")
		load = append(load, arriving{Request{
			ID: fmt.Sprint(i), Client: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "client"),
			Priority: rapid.IntRange(0, 3).Draw(t, "priority"), Prompt: prompt,
			Output: rapid.IntRange(1, min(12, room-prompt)).Draw(t, "output"), Cached: rapid.IntRange(0, prompt-1).Draw(t, "cached"),
		}, at})
	}
	return load
}

// progress is what a request was given so far, from plans alone.
type progress struct {
	computed, emitted int
	holds             bool
}

// follow holds a plan against what the requests were given before.
func follow(cfg Config, p *Plan, load map[string]*Request, given map[string]*progress) error {
	for _, id := range p.Spilled {
		if !given[id].holds {
			return fmt.Errorf("%s is spilled and holds nothing", id)
		}
		given[id].holds = false
	}
	for _, id := range p.Restored {
		if given[id].holds {
			return fmt.Errorf("%s is restored and holds its pages", id)
		}
		given[id].holds = true
	}
	for _, id := range p.Admitted {
		given[id] = &progress{computed: load[id].Cached, holds: true}
	}
	tokens := 0
	for _, c := range p.Prefill {
		g := given[c.ID]
		if !g.holds || c.Tokens < 1 || c.From != g.computed {
			return fmt.Errorf("chunk %+v after %+v", c, *g)
		}
		g.computed += c.Tokens
		tokens += c.Tokens
		if c.Last != (g.computed == load[c.ID].Prompt) || g.computed > load[c.ID].Prompt {
			return fmt.Errorf("chunk %+v of a prompt of %d", c, load[c.ID].Prompt)
		}
	}
	for _, d := range p.Decode {
		g := given[d.ID]
		g.emitted++
		want := Decode{ID: d.ID, Feed: g.emitted > 1, Pos: load[d.ID].Prompt + max(g.emitted-2, 0)}
		if !g.holds || g.computed != load[d.ID].Prompt || d != want {
			return fmt.Errorf("decode %+v after %+v, want %+v", d, *g, want)
		}
	}
	if tokens > cfg.Prefill || cfg.Width > 0 && len(p.Decode) > cfg.Width || p.Active > cfg.Active || p.Pages > cfg.Pages {
		return fmt.Errorf("a plan beyond its bounds: %+v", *p)
	}
	if len(p.Prefill)+len(p.Decode)+len(p.Spilled)+len(p.Restored) == 0 && p.Active > 0 {
		return fmt.Errorf("a step without work for %d active requests", p.Active)
	}
	return nil
}

// Whatever the configuration and the workload: no plan exceeds a bound, every prompt is computed once and in order,
// everybody gets all tokens, all pages come back, and the same input gives the same trace.
func TestAnyWorkload(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		load := drawLoad(t, cfg)
		first := replayed(t, cfg, load)
		if again := replayed(t, cfg, load); !slices.Equal(first, again) {
			t.Fatalf("two runs differ:\n%v\n%v", first, again)
		}
	})
}

// replayed runs a workload, checks every step and returns the fingerprint after each.
func replayed(t *rapid.T, cfg Config, load []arriving) (sums []string) {
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	byID, given := map[string]*Request{}, map[string]*progress{}
	print := NewFingerprint()
	for left := len(load); left > 0; {
		for i := range load {
			if load[i].at == s.Step()+1 {
				byID[load[i].ID] = &load[i].Request
				if err := s.Submit(load[i].Request); err != nil {
					t.Fatal(err)
				}
			}
		}
		p := s.Next()
		if err := follow(cfg, p, byID, given); err != nil {
			t.Fatalf("step %d of %+v: %v", p.Step, cfg, err)
		}
		completed := s.Commit()
		for _, id := range completed {
			if given[id].emitted != byID[id].Output {
				t.Fatalf("%s is complete with %d tokens of %d", id, given[id].emitted, byID[id].Output)
			}
			left--
		}
		tick := NewTick(p, completed)
		print.Add(&tick)
		if sums = append(sums, print.String()); len(sums) > 200_000 {
			t.Fatalf("%d requests are left after %d steps of %+v", left, len(sums), cfg)
		}
	}
	if s.Pages() != 0 || s.Len() != 0 || len(s.clients) != 0 {
		t.Fatalf("at the end %d pages are held, %d requests and %d clients are there", s.Pages(), s.Len(), len(s.clients))
	}
	return sums
}
