package chat

import "time"

// Event is one step of an answer. Text never ends inside a character, so a step may bring tokens and no text yet.
type Event struct {
	Text   string
	Tokens []int32
	Final  *Final // set on the last event, and only there
}

// FinishReason says why an answer ended.
type FinishReason string

// The reasons, in OpenAI's words where it has them.
const (
	FinishStop    FinishReason = "stop"         // the model ended its turn, or a stop text came
	FinishLength  FinishReason = "length"       // MaxTokens were generated
	FinishContext FinishReason = "context_full" // the model's context had no room left
)

// Final closes an answer.
type Final struct {
	Reason       FinishReason
	PromptTokens []int32 // the ids that the model really saw
	CachedTokens int     // how many of them were still in the KV cache
	Generated    int
	Seed         uint64 // the seed that repeats this answer
	Timings      Timings
}

// Timings says where the time of an answer went.
type Timings struct {
	Queue   time.Duration // waiting for the engine
	Prefill time.Duration // computing the prompt, up to the first token
	Decode  time.Duration // all further tokens
}

// PrefillRate is prompt tokens computed per second.
func (f *Final) PrefillRate() float64 {
	return rate(len(f.PromptTokens)-f.CachedTokens, f.Timings.Prefill)
}

// DecodeRate is tokens generated per second after the first one.
func (f *Final) DecodeRate() float64 { return rate(f.Generated-1, f.Timings.Decode) }

func rate(n int, d time.Duration) float64 {
	if n <= 0 || d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
