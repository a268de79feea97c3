package mailbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/emersion/go-smtp"

	"portico/internal/clock"
)

const (
	defaultKeep  = 200
	maxBytes     = 1 << 20 // of one message
	patience     = 30 * time.Second
	maxReceivers = 50
)

// Config configures a Mailbox. The zero value is usable.
type Config struct {
	Addr  string      // address to listen on; a free loopback port when empty
	Keep  int         // number of messages kept; 200 when zero
	Clock clock.Clock // the system clock when nil
}

// Mailbox receives emails. It is safe for concurrent use.
type Mailbox struct {
	keep   int
	clock  clock.Clock
	ln     net.Listener
	server *smtp.Server
	done   chan struct{} // closed when the mailbox closes
	close  func() error

	mu       sync.Mutex
	last     int           // number of the newest message
	messages []Message     // oldest first
	arrived  chan struct{} // closed and replaced when a message arrives
}

// Start opens the listener and receives until ctx ends or Close is called. It
// returns an error for an address that is not on loopback.
func Start(ctx context.Context, cfg Config) (*Mailbox, error) {
	if cfg.Addr == "" {
		cfg.Addr = "127.0.0.1:0"
	}
	if cfg.Keep == 0 {
		cfg.Keep = defaultKeep
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.System{}
	}
	if addr, err := netip.ParseAddrPort(cfg.Addr); err != nil || !addr.Addr().IsLoopback() {
		return nil, fmt.Errorf("the mailbox listens on loopback only, such as 127.0.0.1:1025, not on %q", cfg.Addr)
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen for mail: %w", err)
	}
	m := &Mailbox{
		keep: cfg.Keep, clock: cfg.Clock, ln: ln,
		done: make(chan struct{}), arrived: make(chan struct{}),
	}
	m.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{mailbox: m}, nil }))
	m.server.Domain = "mailbox.localhost"
	m.server.MaxMessageBytes, m.server.MaxRecipients = maxBytes, maxReceivers
	m.server.ReadTimeout, m.server.WriteTimeout = patience, patience
	m.server.ErrorLog = silence{}
	var serving sync.WaitGroup
	serving.Go(func() { _ = m.server.Serve(ln) })
	m.close = sync.OnceValue(func() error {
		close(m.done)
		// Close the listener first, because the server does not know it before
		// Serve has begun.
		err := errors.Join(ln.Close(), m.server.Close())
		serving.Wait()
		if errors.Is(err, net.ErrClosed) {
			return nil // both close the listener
		}
		return err
	})
	context.AfterFunc(ctx, func() { _ = m.Close() })
	return m, nil
}

// SMTPAddr returns the address of the SMTP server, "127.0.0.1:port".
func (m *Mailbox) SMTPAddr() string { return m.ln.Addr().String() }

// Close stops the SMTP server and ends all event streams. Messages remains
// usable.
func (m *Mailbox) Close() error { return m.close() }

// Messages returns the messages, newest first.
func (m *Mailbox) Messages() []Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Clone(m.messages)
	slices.Reverse(all)
	return all
}

// Wait returns the first message, kept or arriving, for which match returns
// true. It returns an error when ctx ends or the mailbox is closed.
func (m *Mailbox) Wait(ctx context.Context, match func(Message) bool) (Message, error) {
	for last := 0; ; {
		messages, arrived := m.since(last)
		for _, msg := range messages {
			if match(msg) {
				return msg, nil
			}
			last = msg.Number
		}
		select {
		case <-arrived:
		case <-m.done:
			return Message{}, errors.New("the mailbox is closed")
		case <-ctx.Done():
			return Message{}, fmt.Errorf("no such mail arrived: %w", context.Cause(ctx))
		}
	}
}

// since returns the messages after a number, oldest first, and a channel that
// is closed when the next one arrives.
func (m *Mailbox) since(number int) ([]Message, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, msg := range m.messages {
		if msg.Number > number {
			return slices.Clone(m.messages[i:]), m.arrived
		}
	}
	return nil, m.arrived
}

// find returns the message with a number given as text.
func (m *Mailbox) find(number string) (Message, bool) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return Message{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.messages, func(msg Message) bool { return msg.Number == n })
	if i < 0 {
		return Message{}, false
	}
	return m.messages[i], true
}

// clear drops all messages. Their numbers are not used again.
func (m *Mailbox) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.messages = nil
}

// add stores a message and drops the oldest ones beyond the limit.
func (m *Mailbox) add(msg Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last++
	msg.Number = m.last
	m.messages = append(m.messages, msg)
	if extra := len(m.messages) - m.keep; extra > 0 {
		m.messages = slices.Delete(m.messages, 0, extra)
	}
	close(m.arrived)
	m.arrived = make(chan struct{})
}
