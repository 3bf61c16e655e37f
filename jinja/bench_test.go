package jinja

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/nrt-go/nrt/internal/testdata"
)

const turns = `{%- for m in messages -%}
{%- if m.role == 'assistant' and '</think>' in m.content -%}{%- set text = m.content.split('</think>')[-1] | trim -%}
{%- else -%}{%- set text = m.content | trim -%}{%- endif -%}
{{- '<|start|>' + m.role + '\n' + text + '<|end|>\n' -}}
{%- endfor -%}`

// longChat is a conversation of a hundred turns of about a kilobyte.
func longChat() *Dict {
	var messages []Value
	for i := range 100 {
		message := NewDict().Set("role", String([]string{"user", "assistant"}[i%2]))
		messages = append(messages, message.Set("content", String(repeat("Some words of text. ", 50))))
	}
	return NewDict().Set("messages", NewList(messages...))
}

func BenchmarkRenderLongChat(b *testing.B) {
	tmpl, err := Parse("turns", turns)
	if err != nil {
		b.Fatal(err)
	}
	vars := longChat()
	b.ReportAllocs()
	for b.Loop() {
		text, err := tmpl.Render(context.Background(), vars, Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(text)))
	}
}

func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile(filepath.Join(testdata.Shared(b, "templates"), "openai-gpt-oss-120b.jinja"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("gpt-oss", string(src)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOneTemplateManyGoroutines is for the race detector.
func TestOneTemplateManyGoroutines(t *testing.T) {
	tmpl, err := Parse("turns", turns)
	if err != nil {
		t.Fatal(err)
	}
	vars := longChat()
	want, err := tmpl.Render(context.Background(), vars, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got, err := tmpl.Render(context.Background(), vars, Options{}); err != nil || got != want {
				t.Errorf("found another text, %v", err)
			}
		})
	}
	wg.Wait()
}
