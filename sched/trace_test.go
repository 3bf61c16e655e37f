package sched

import (
	"fmt"
	"testing"
)

func fingerprint(ticks []Tick) string {
	f := NewFingerprint()
	for i := range ticks {
		f.Add(&ticks[i])
	}
	return f.String()
}

// Our own constants: a change of the serialization or of a decision moves them.
func TestFingerprints(t *testing.T) {
	for _, c := range []struct {
		pages int
		load  []arriving
		want  string
	}{{20, plain, "7d5f1dcdf27f42ca"}, {15, pressure, "d72d8191acb853fa"}} {
		if got := fingerprint(run(t, reference(c.pages), c.load)); got != c.want {
			t.Errorf("fingerprint %s, want %s", got, c.want)
		}
	}
}

// S-030: any id, any number moves the fingerprint, and so does an id that moves from one list to the next.
func TestFingerprintSeesEverything(t *testing.T) {
	base := run(t, reference(20), plain)
	seen := map[string]string{fingerprint(base): "nothing"}
	for name, change := range map[string]func(*Tick){
		"a decoded id":   func(k *Tick) { k.Decoded = []string{"r9"} },
		"an admitted id": func(k *Tick) { k.Admitted = append([]string{"r9"}, k.Admitted...) },
		"a page count":   func(k *Tick) { k.Pages++ },
		"the queue":      func(k *Tick) { k.Queued++ },
		"the prompt":     func(k *Tick) { k.Prefill++ },
		"a list's end":   func(k *Tick) { k.Decoded, k.Completed = nil, k.Decoded },
	} {
		ticks := append([]Tick(nil), base...)
		change(&ticks[4])
		sum := fingerprint(ticks)
		if other, ok := seen[sum]; ok {
			t.Errorf("a change of %s looks like a change of %s", name, other)
		}
		seen[sum] = name
	}
}

// Ticks a second on the pressure workload, repeated for ever.
func BenchmarkTicks(b *testing.B) {
	s, err := New(reference(15))
	if err != nil {
		b.Fatal(err)
	}
	ids := make([]string, len(pressure))
	for i := range ids {
		ids[i] = fmt.Sprint("p", i)
	}
	b.ReportAllocs()
	for range b.N {
		if s.Len() == 0 {
			for i, r := range pressure {
				r.ID = ids[i]
				if err := s.Submit(r.Request); err != nil {
					b.Fatal(err)
				}
			}
		}
		s.Next()
		s.Commit()
	}
}
