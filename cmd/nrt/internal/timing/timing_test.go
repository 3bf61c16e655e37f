package timing

import (
	"strings"
	"testing"
	"time"

	"github.com/nrt-go/nrt/chat"
)

var report = Report{
	Load:  1234567 * time.Microsecond,
	Total: 3*time.Second + 456789*time.Microsecond,
	Final: &chat.Final{
		PromptTokens: make([]int32, 30), CachedTokens: 10, Generated: 21,
		Timings: chat.Timings{Prefill: 500 * time.Millisecond, Decode: 2 * time.Second},
	},
}

func TestWrite(t *testing.T) {
	var out strings.Builder
	report.Write(&out)
	want := `total duration:       3.457s
load duration:        1.235s
prompt eval count:    30 token(s), 10 from the cache
prompt eval duration: 500ms
prompt eval rate:     40.00 tokens/s
eval count:           21 token(s)
eval duration:        2s
eval rate:            10.00 tokens/s
`
	if out.String() != want {
		t.Errorf("block:\n%swant:\n%s", out.String(), want)
	}
}

func TestJSON(t *testing.T) {
	want := JSON{LoadMS: 1234.567, PrefillMS: 500, DecodeMS: 2000, TotalMS: 3456.789,
		Prompt: 30, Cached: 10, Generated: 21, PrefillRate: 40, DecodeRate: 10}
	if got := report.JSON(); got != want {
		t.Errorf("JSON = %+v, want %+v", got, want)
	}
}
