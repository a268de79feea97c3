package server_test

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"portico/internal/server"
)

// arrivals is a listener whose connections have chosen addresses.
type arrivals struct {
	from   chan string
	closed chan struct{}
}

type arrival struct {
	net.Conn
	from string
}

func (a arrivals) Accept() (net.Conn, error) {
	select {
	case from := <-a.from:
		return &arrival{from: from}, nil
	case <-a.closed:
		return nil, net.ErrClosed
	}
}
func (a arrivals) Close() error         { close(a.closed); return nil }
func (arrivals) Addr() net.Addr         { return &net.UnixAddr{Name: "arrivals"} }
func (a *arrival) RemoteAddr() net.Addr { return named(a.from) }
func (*arrival) Close() error           { return nil }

type named string

func (named) Network() string  { return "tcp" }
func (n named) String() string { return string(n) }

// accepted returns the accepted connections of one address. A connection of
// another network at the end shows that all were processed.
func accepted(t *testing.T, l net.Listener, a arrivals, from string, n int) []net.Conn {
	t.Helper()
	go func() {
		for range n {
			a.from <- from
		}
		a.from <- "198.51.100.9:1"
	}()
	var conns []net.Conn
	for {
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if c.RemoteAddr().String() == "198.51.100.9:1" {
			_ = c.Close()
			return conns
		}
		conns = append(conns, c)
	}
}

func TestLimit_OneNetwork(t *testing.T) {
	t.Parallel()
	const most = 512
	for from, want := range map[string]int{
		"203.0.113.5:1000":        most,
		"[2001:db8::1]:1000":      most,
		"[::ffff:203.0.113.5]:10": most,
		"127.0.0.2:1000":          most,
		"127.0.0.1:1000":          most + 20, // a proxy on this machine
		"[::1]:1000":              most + 20,
		"10.1.2.3:1000":           most + 20, // a configured proxy
	} {
		a := arrivals{make(chan string), make(chan struct{})}
		l := server.NewLimited(a, func() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} }, 10_000)
		conns := accepted(t, l, a, from, most+20)
		if len(conns) != want {
			t.Errorf("%s: %d connections are taken, want %d", from, len(conns), want)
		}
		_ = conns[0].Close()
		_ = conns[0].Close() // closing twice counts once
		if again := accepted(t, l, a, from, 2); want == most && len(again) != 1 {
			t.Errorf("%s: after one has ended %d more are taken, want 1", from, len(again))
		}
	}
}

// The addresses of one /64 count as one customer.
func TestLimit_Network64(t *testing.T) {
	t.Parallel()
	a := arrivals{make(chan string), make(chan struct{})}
	l := server.NewLimited(a, func() []netip.Prefix { return nil }, 10_000)
	if n := len(accepted(t, l, a, "[2001:db8::1]:1", 512)); n != 512 {
		t.Fatalf("%d connections are taken, want 512", n)
	}
	if n := len(accepted(t, l, a, "[2001:db8::ffff:1]:1", 3)); n != 0 {
		t.Errorf("%d connections of the same /64 are taken, want none", n)
	}
	if n := len(accepted(t, l, a, "[2001:db8:0:1::1]:1", 3)); n != 3 {
		t.Errorf("%d connections of the next /64 are taken, want 3", n)
	}
}

// The owner of a /48 does not get the connections of 65,536 customers.
func TestLimit_WiderNetworks(t *testing.T) {
	t.Parallel()
	a := arrivals{make(chan string), make(chan struct{})}
	l := server.NewLimited(a, func() []netip.Prefix { return nil }, 10_000)
	var conns []net.Conn
	for _, step := range []struct {
		from string
		want int
	}{
		{"[2001:db8::1]:1", 512}, {"[2001:db8:0:1::1]:1", 256}, {"[2001:db8:0:2::1]:1", 0},
		{"[2001:db8:0:100::1]:1", 512}, {"[2001:db8:0:200::1]:1", 256}, {"[2001:db8:0:300::1]:1", 0},
		{"[2001:db8:1::1]:1", 512},
	} {
		taken := accepted(t, l, a, step.from, 520)
		if len(taken) != step.want {
			t.Errorf("%s: %d connections are taken, want %d", step.from, len(taken), step.want)
		}
		conns = append(conns, taken...)
	}
	for _, c := range conns {
		_ = c.Close()
	}
	if n := len(accepted(t, l, a, "[2001:db8:0:300::1]:1", 3)); n != 3 {
		t.Errorf("after all have ended %d more are taken, want 3", n)
	}
}

// A connection above the limit waits until another one ends.
func TestLimit_AllTogether(t *testing.T) {
	t.Parallel()
	a := arrivals{make(chan string, 3), make(chan struct{})}
	l := server.NewLimited(a, func() []netip.Prefix { return nil }, 2)
	for range 3 {
		a.from <- "127.0.0.1:1"
	}
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Accept(); err != nil {
		t.Fatal(err)
	}
	third := make(chan error)
	go func() {
		_, err := l.Accept()
		third <- err
	}()
	if len(a.from) != 1 {
		t.Error("a third connection is taken where two may be")
	}
	_ = first.Close()
	if err := <-third; err != nil {
		t.Error(err)
	}
	go func() {
		_, err := l.Accept()
		third <- err
	}()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-third; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener returns %v", err)
	}
}

func TestConnLimit(t *testing.T) {
	t.Parallel()
	for files, want := range map[int]int{0: 10_000, 1 << 20: 10_000, 1024: 768, 128: 64, 64: 16} {
		if got := server.ConnLimit(files); got != want {
			t.Errorf("%d files: %d connections, want %d", files, got, want)
		}
	}
}
