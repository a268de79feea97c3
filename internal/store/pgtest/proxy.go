package pgtest

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Mode is the behavior of a Proxy.
type Mode int

const (
	Passing  Mode = iota
	Refusing      // ends every connection and accepts none
	Hanging       // accepts connections and forwards nothing
	Slow          // delays each message by two seconds
)

// Cut is where a Proxy breaks a connection: at the first message with the Text.
type Cut struct {
	Text string
	// Reached means that the server gets the message, and only its answer is
	// lost. Otherwise the message is lost, or late: it reaches the server when
	// Late is closed.
	Reached bool
	Late    chan struct{}
}

// Proxy stands between a test and the server. It causes the faults of a network
// or a server. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	url      *url.URL
	network  string
	address  string
	begun    atomic.Int64
	longest  atomic.Int64

	mu     sync.Mutex
	mode   Mode
	change chan struct{} // closed when the mode changes
	cut    *Cut
	open   map[net.Conn]bool
	served sync.WaitGroup
}

// NewProxy starts a proxy for the database of a URL. It ends with the test.
func NewProxy(t testing.TB, database string) *Proxy {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: listener, network: "tcp", address: u.Host, change: make(chan struct{}), open: map[net.Conn]bool{}}
	q := u.Query()
	if folder := q.Get("host"); strings.HasPrefix(folder, "/") {
		p.network, p.address = "unix", folder+"/.s.PGSQL.5432"
	}
	q.Del("host")
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = listener.Addr().String(), q.Encode()
	p.url = u
	p.served.Go(p.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		p.Be(Refusing)
		p.served.Wait()
	})
	return p
}

// URL returns the URL of the database, through the proxy.
func (p *Proxy) URL() string { return p.url.String() }

// Begun returns the number of connections so far.
func (p *Proxy) Begun() int { return int(p.begun.Load()) }

// Longest returns how many messages the longest transaction has sent since the last call.
func (p *Proxy) Longest() int { return int(p.longest.Swap(0)) }

// Be changes the mode, also for open connections.
func (p *Proxy) Be(mode Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
	close(p.change)
	p.change = make(chan struct{})
	if mode == Refusing {
		for c := range p.open {
			_ = c.Close()
		}
	}
}

// Cut breaks the connection that sends the next message of the kind.
func (p *Proxy) Cut(c Cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = &c
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.begun.Add(1)
		if !p.keep(client) {
			continue
		}
		p.served.Go(func() { p.serve(client) })
	}
}

// keep records a connection, or closes it if the mode accepts none.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mode == Refusing {
		_ = c.Close()
		return false
	}
	p.open[c] = true
	return true
}

func (p *Proxy) end(c net.Conn) {
	_ = c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

func (p *Proxy) serve(client net.Conn) {
	defer p.end(client)
	server, err := net.Dial(p.network, p.address)
	if err != nil || !p.keep(server) {
		return
	}
	defer p.end(server)
	var lost atomic.Bool // whether the next answer does not arrive
	p.served.Go(func() {
		defer client.Close()
		p.copy(client, server, func([]byte) bool { return !lost.Load() })
	})
	var sent transaction
	p.copy(server, client, func(message []byte) bool {
		p.longest.Store(max(p.longest.Load(), sent.with(message)))
		cut := p.matching(message)
		switch {
		case cut == nil:
			return true
		case cut.Reached:
			lost.Store(true)
			return true
		case cut.Late != nil:
			_ = client.Close()
			<-cut.Late
			_, _ = server.Write(message)
			_, _ = io.Copy(io.Discard, server) // until the server has answered and noticed that the client has gone
		}
		return false
	})
}

// transaction counts the messages of a transaction of the store.
type transaction struct {
	messages int64
	open     bool
}

// with returns the number so far, 0 outside of a transaction.
func (t *transaction) with(message []byte) int64 {
	if bytes.Contains(message, []byte("BEGIN ISOLATION LEVEL READ COMMITTED")) {
		*t = transaction{1, true}
		return 1
	}
	if !t.open {
		return 0
	}
	t.messages++
	t.open = !bytes.Contains(message, []byte("COMMIT")) && !bytes.Contains(message, []byte("ROLLBACK"))
	return t.messages
}

// copy forwards messages while pass returns true.
func (p *Proxy) copy(to, from net.Conn, pass func([]byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			p.wait()
			if !pass(buffer[:n]) {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait delays a message as the mode requires.
func (p *Proxy) wait() {
	for {
		p.mu.Lock()
		mode, change := p.mode, p.change
		p.mu.Unlock()
		switch mode {
		case Hanging:
			<-change
		case Slow:
			select {
			case <-time.After(2 * time.Second):
				return
			case <-change:
			}
		default:
			return
		}
	}
}

// matching returns and removes the cut that the message matches.
func (p *Proxy) matching(message []byte) *Cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	cut := p.cut
	if cut == nil || !bytes.Contains(message, []byte(cut.Text)) {
		return nil
	}
	p.cut = nil
	return cut
}
