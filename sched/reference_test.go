package sched

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// arriving is a request of a workload and the step of its arrival.
type arriving struct {
	Request
	at int64
}

// run takes a workload through a scheduler until nobody is left and returns the ticks.
func run(t *testing.T, cfg Config, load []arriving) []Tick {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var ticks []Tick
	for done := 0; done < len(load); {
		if len(ticks) > 100_000 {
			t.Fatalf("%d of %d requests complete after %d steps", done, len(load), len(ticks))
		}
		for _, r := range load {
			if r.at == s.Step()+1 {
				if err := s.Submit(r.Request); err != nil {
					t.Fatal(err)
				}
			}
		}
		p := s.Next()
		completed := s.Commit()
		ticks = append(ticks, NewTick(p, completed))
		done += len(completed) + len(p.Expired)
	}
	if s.Pages() != 0 || s.Len() != 0 {
		t.Errorf("at the end %d pages are held and %d requests are there", s.Pages(), s.Len())
	}
	return ticks
}

// reference is the configuration of both reference workloads (S-023, S-033).
func reference(pages int) Config {
	return Config{PageTokens: 16, Pages: pages, Active: 3, Width: 2, Prefill: 96}
}

func request4(id string, prompt, output, priority int, at int64) arriving {
	return arriving{Request{ID: id, Prompt: prompt, Output: output, Priority: priority}, at}
}

var (
	plain = []arriving{ // S-034
		request4("r0", 96, 3, 1, 0), request4("r1", 32, 6, 0, 0), request4("r2", 80, 7, 0, 0), request4("r3", 16, 2, 0, 0),
	}
	pressure = []arriving{ // S-036
		request4("p1", 40, 9, 2, 0), request4("p2", 88, 3, 0, 6), request4("p3", 56, 4, 2, 5), request4("p4", 48, 5, 2, 3),
		request4("p5", 96, 5, 1, 8), request4("p6", 24, 9, 0, 5), request4("p7", 32, 10, 2, 4), request4("p8", 48, 3, 2, 5),
	}
)

// figures are what S-031 and S-032 state of a workload.
func figures(ticks []Tick, cfg Config) string {
	var prompt, decoded, peak, queued, active, queueTicks, activeTicks, occupied int
	for _, t := range ticks {
		prompt, decoded, occupied = prompt+t.Prefill, decoded+len(t.Decoded), occupied+t.Pages
		peak, queued, active = max(peak, t.Pages), max(queued, t.Queued), max(active, t.Active)
		if t.Queued > 0 {
			queueTicks++
		}
		if t.Active == cfg.Active {
			activeTicks++
		}
	}
	n := len(ticks)
	return fmt.Sprintf("ticks %d prompt %d decoded %d peak %d queued %d active %d queue-ticks %d active-ticks %d decode %.6f occupancy %.6f pressure %.6f prefill %.6f",
		n, prompt, decoded, peak, queued, active, queueTicks, activeTicks, float64(decoded)/float64(cfg.Width*n),
		float64(occupied)/float64(cfg.Pages*n), 100*float64(peak)/float64(cfg.Pages), float64(prompt)/float64(cfg.Prefill*n))
}

// S-031, S-032, S-034, S-036: every stated figure.
func TestReferenceFigures(t *testing.T) {
	for _, c := range []struct {
		name  string
		pages int
		load  []arriving
		want  string
	}{
		{"plain", 20, plain, "ticks 11 prompt 224 decoded 18 peak 12 queued 3 active 3 queue-ticks 3 active-ticks 3 " +
			"decode 0.818182 occupancy 0.436364 pressure 60.000000 prefill 0.212121"},
		{"pressure", 15, pressure, "ticks 27 prompt 432 decoded 48 peak 13 queued 5 active 3 queue-ticks 16 active-ticks 13 " +
			"decode 0.888889 occupancy 0.595062 pressure 86.666667 prefill 0.166667"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := reference(c.pages)
			if got := figures(run(t, cfg, c.load), cfg); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// S-035: the plain workload, tick by tick: admitted | decoded | completed | queued | active | used.
func TestReferenceTrace(t *testing.T) {
	want := []string{
		"r0|r0||3|1|7", "r1,r3|r0,r1||1|3|12", "|r3,r0|r0|1|3|12", "r2|r1,r3|r3|0|3|11",
		"|r2,r1||0|2|9", "|r2,r1||0|2|9", "|r2,r1||0|2|9", "|r2,r1|r1|0|2|9", "|r2||0|1|6", "|r2||0|1|6", "|r2|r2|0|1|6",
	}
	var got []string
	for _, k := range run(t, reference(20), plain) {
		got = append(got, fmt.Sprintf("%s|%s|%s|%d|%d|%d", strings.Join(k.Admitted, ","), strings.Join(k.Decoded, ","),
			strings.Join(k.Completed, ","), k.Queued, k.Active, k.Pages))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// S-037: who completes when under pressure.
func TestReferenceCompletions(t *testing.T) {
	want := "p4@9 p1@10 p8@15 p3@15 p7@17 p5@20 p2@23 p6@26"
	var got []string
	for _, k := range run(t, reference(15), pressure) {
		for _, id := range k.Completed {
			got = append(got, fmt.Sprintf("%s@%d", id, k.Step))
		}
	}
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}
