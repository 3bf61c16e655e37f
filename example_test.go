package nrt_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/nrt-go/nrt"
	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/engine"
	"github.com/nrt-go/nrt/internal/alphabet"
	"github.com/nrt-go/nrt/tokenizer"
)

// alphabetFile stands for a GGUF file of your own: a tiny model that says the alphabet.
func alphabetFile() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "nrt-example")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "alphabet.gguf")
	if err := alphabet.Write(path); err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}

func Example() {
	path, remove := alphabetFile()
	defer remove()

	m, err := nrt.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "a b c"}}}
	for ev, err := range m.Chat(context.Background(), req) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(ev.Text)
		if ev.Final != nil {
			fmt.Printf("\n%s after %d tokens\n", ev.Final.Reason, ev.Final.Generated)
		}
	}
	// Output:
	// defghijklmnopqrstuvwxyz
	// stop after 23 tokens
}

func ExampleModel_Generate() {
	path, remove := alphabetFile()
	defer remove()
	m, err := nrt.Open(path, nrt.Threads(1), nrt.Context(128))
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	cold := 0.0
	answer, err := chat.Collect(m.Generate(context.Background(), "k", chat.Request{
		MaxTokens: 5,
		Sampling:  chat.Sampling{Temperature: &cold},
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text, answer.Reason)
	// Output: lmnop length
}

func ExampleModel_Render() {
	path, remove := alphabetFile()
	defer remove()
	m, err := nrt.Open(path, nrt.Template("{% for m in messages %}[{{ m.role }}] {{ m.content }} {% endfor %}"))
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	text, _, err := m.Render(&chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "hello"}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output: [user] hello
}

func ExampleModel_Tokenize() {
	path, remove := alphabetFile()
	defer remove()
	m, err := nrt.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	ids := m.Tokenize("hi", tokenizer.Options{AddSpecial: true})
	fmt.Println(ids, m.Detokenize(ids))
	// Output: [1 11 12] hi
}

func ExampleModel_Embed() {
	path, remove := alphabetFile()
	defer remove()
	m, err := nrt.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	v, err := m.Embed(context.Background(), "ab", engine.PoolMean)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(v), "numbers")
	// Output: 32 numbers
}
