// Package timing says where the time of an answer went: for readers as ollama's block, for programs as JSON.
package timing

import (
	"fmt"
	"io"
	"time"

	"github.com/nrt-go/nrt/chat"
)

// Report is the times of one answer.
type Report struct {
	Load  time.Duration // opening the model; zero where it was open before
	Total time.Duration
	Final *chat.Final
}

// Write prints the block that --verbose asks for. Every number was measured; the counts are tokens, not words (R-3.W.1, R-3.W.7).
func (r Report) Write(w io.Writer) {
	f := r.Final
	fmt.Fprintf(w, "total duration:       %s\n", short(r.Total))
	fmt.Fprintf(w, "load duration:        %s\n", short(r.Load))
	fmt.Fprintf(w, "prompt eval count:    %d token(s), %d from the cache\n", len(f.PromptTokens), f.CachedTokens)
	fmt.Fprintf(w, "prompt eval duration: %s\n", short(f.Timings.Prefill))
	fmt.Fprintf(w, "prompt eval rate:     %.2f tokens/s\n", f.PrefillRate())
	fmt.Fprintf(w, "eval count:           %d token(s)\n", f.Generated)
	fmt.Fprintf(w, "eval duration:        %s\n", short(f.Timings.Decode))
	fmt.Fprintf(w, "eval rate:            %.2f tokens/s\n", f.DecodeRate())
}

// short keeps four digits, which is more than a measured time is good for.
func short(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 10_000 {
		unit *= 10
	}
	return d.Round(unit)
}

// JSON is a Report for programs. Times are milliseconds; decode rates leave out the first token, which prefill computed.
type JSON struct {
	LoadMS      float64 `json:"load_ms"`
	QueueMS     float64 `json:"queue_ms"`
	PrefillMS   float64 `json:"prefill_ms"`
	DecodeMS    float64 `json:"decode_ms"`
	TotalMS     float64 `json:"total_ms"`
	Prompt      int     `json:"prompt_tokens"`
	Cached      int     `json:"cached_tokens"`
	Generated   int     `json:"generated_tokens"`
	PrefillRate float64 `json:"prefill_tokens_per_second"`
	DecodeRate  float64 `json:"decode_tokens_per_second"`
}

// JSON converts r.
func (r Report) JSON() JSON {
	f := r.Final
	return JSON{
		LoadMS: ms(r.Load), QueueMS: ms(f.Timings.Queue), PrefillMS: ms(f.Timings.Prefill), DecodeMS: ms(f.Timings.Decode),
		TotalMS: ms(r.Total), Prompt: len(f.PromptTokens), Cached: f.CachedTokens, Generated: f.Generated,
		PrefillRate: f.PrefillRate(), DecodeRate: f.DecodeRate(),
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
