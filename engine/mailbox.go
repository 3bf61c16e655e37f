package engine

import (
	"context"
	"sync"

	"github.com/nrt-go/nrt/chat"
)

// mailbox carries an answer's events from the loop to whoever reads them. The loop never waits for a reader: what is
// not read yet is kept, and an answer's limit of tokens bounds it.
type mailbox struct {
	mu     sync.Mutex
	events []chat.Event
	ended  bool
	err    error
	news   chan struct{} // holds a token while there is something that the reader has not looked at
}

func newMailbox() *mailbox { return &mailbox{news: make(chan struct{}, 1)} }

func (m *mailbox) put(ev chat.Event) {
	m.mu.Lock()
	m.events = append(m.events, ev)
	m.mu.Unlock()
	m.ring()
}

// end closes the mailbox; err is nil after an answer's closing event. Only the first end counts.
func (m *mailbox) end(err error) {
	m.mu.Lock()
	if !m.ended {
		m.ended, m.err = true, err
	}
	m.mu.Unlock()
	m.ring()
}

func (m *mailbox) ring() {
	select {
	case m.news <- struct{}{}:
	default: // the reader has not looked at the news before
	}
}

// take waits for the next event; false says that there is none, and why. A ctx that is done comes first: whoever
// cancelled wants to hear that, not what was computed meanwhile.
func (m *mailbox) take(ctx context.Context) (ev chat.Event, ok bool, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return ev, false, err
		}
		m.mu.Lock()
		if len(m.events) > 0 {
			ev, m.events = m.events[0], m.events[1:]
			m.mu.Unlock()
			return ev, true, nil
		}
		ended, err := m.ended, m.err
		m.mu.Unlock()
		if ended {
			return ev, false, err
		}
		select {
		case <-m.news:
		case <-ctx.Done():
		}
	}
}
