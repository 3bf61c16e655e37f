package sched

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
)

// Tick is what a step did, in the words of S-017. Its slices are its own.
type Tick struct {
	Step      int64    `json:"tick"`
	Admitted  []string `json:"admitted,omitempty"`
	Prefill   int      `json:"prefill_tokens"` // of prompts, computed or found in the cache
	Decoded   []string `json:"decoded,omitempty"`
	Completed []string `json:"completed,omitempty"`
	Spilled   []string `json:"spilled,omitempty"`
	Restored  []string `json:"restored,omitempty"`
	Expired   []string `json:"expired,omitempty"`
	Queued    int      `json:"queued"`
	Active    int      `json:"active"`
	Pages     int      `json:"kv_pages"`
}

// NewTick is the tick of a plan that was carried out.
func NewTick(p *Plan, completed []string) Tick {
	t := Tick{Step: p.Step, Prefill: p.Prompt, Queued: p.Queued, Active: p.Active, Pages: p.Pages}
	t.Admitted, t.Spilled = append(t.Admitted, p.Admitted...), append(t.Spilled, p.Spilled...)
	t.Restored, t.Expired = append(t.Restored, p.Restored...), append(t.Expired, p.Expired...)
	for _, d := range p.Decode {
		t.Decoded = append(t.Decoded, d.ID)
	}
	t.Completed = append(t.Completed, completed...)
	return t
}

// Fingerprint is a running checksum over ticks: FNV-1a, 64 bits (S-029). It names a schedule; it proves nothing against
// somebody who wants two to look alike (S W6), so keep the ticks where that matters.
//
// The bytes of a tick are its numbers as unsigned varints: step, prefill, queued, active, pages; then the lists
// admitted, decoded, completed, spilled, restored, expired, each as the number of its ids and for each id its length in
// bytes and its bytes.
type Fingerprint struct {
	sum     hash.Hash64
	scratch []byte
}

// NewFingerprint is the fingerprint of no ticks.
func NewFingerprint() *Fingerprint { return &Fingerprint{sum: fnv.New64a()} }

// Add takes in the next tick.
func (f *Fingerprint) Add(t *Tick) {
	b := f.scratch[:0]
	for _, n := range []uint64{uint64(t.Step), uint64(t.Prefill), uint64(t.Queued), uint64(t.Active), uint64(t.Pages)} {
		b = binary.AppendUvarint(b, n)
	}
	for _, ids := range [][]string{t.Admitted, t.Decoded, t.Completed, t.Spilled, t.Restored, t.Expired} {
		b = binary.AppendUvarint(b, uint64(len(ids)))
		for _, id := range ids {
			b = binary.AppendUvarint(b, uint64(len(id)))
			b = append(b, id...)
		}
	}
	f.scratch = b
	f.sum.Write(b)
}

// String is the fingerprint in 16 hexadecimal digits.
func (f *Fingerprint) String() string { return fmt.Sprintf("%016x", f.sum.Sum64()) }
