package server

import (
	"net"
	"net/netip"
	"sync"
)

const (
	// maxConns is the maximum number of connections. An idle connection costs
	// about 20 KiB. More connections wait in the kernel's queue.
	maxConns = 10_000

	// maxPeerConns is the maximum number of connections of one network. A
	// browser opens six, so this is enough for many people behind one address.
	// More connections are closed at once. The /56 and the /48 around an IPv6
	// address may have more.
	maxPeerConns      = 512
	maxHouseholdConns = maxPeerConns * 3 / 2
	maxSiteConns      = maxPeerConns * 3

	minSpareFiles = 64 // for the database, emails and providers
)

// Limit returns a listener that limits the connections of l. The total limit
// depends on the number of open files, so that files remain for the database.
// The limit of each network stops a client from taking all connections
// (Slowloris). Networks that trusted returns, 127.0.0.1 and ::1 have no limit of their
// own, because proxies represent many clients.
func Limit(l net.Listener, trusted func() []netip.Prefix) net.Listener {
	return newLimited(l, trusted, connLimit(openFiles()))
}

func newLimited(l net.Listener, trusted func() []netip.Prefix, limit int) *limited {
	return &limited{
		Listener: l, trusted: trusted, slots: make(chan struct{}, limit), closed: make(chan struct{}),
		peers: make(map[netip.Prefix]int),
	}
}

// connLimit returns the limit of connections for a number of open files. 0
// means unlimited.
func connLimit(files int) int {
	if files == 0 {
		return maxConns
	}
	return max(16, min(maxConns, files-max(minSpareFiles, files/4)))
}

type limited struct {
	net.Listener
	trusted func() []netip.Prefix
	slots   chan struct{} // contains a token for each open connection
	closed  chan struct{}
	once    sync.Once

	mu    sync.Mutex
	peers map[netip.Prefix]int // open connections of each limited network
}

// Accept waits for a connection within the limits.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.slots
			return nil, err
		}
		if networks, ok := l.enter(c); ok {
			return &limitedConn{Conn: c, leave: func() { l.leave(networks) }}, nil
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // leave nothing in the kernel
		}
		_ = c.Close()
	}
}

// Close also ends an Accept that waits for a slot.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// enter counts a connection and returns the networks that it counts for. It
// reports false if one of them has reached its limit.
func (l *limited) enter(c net.Conn) ([]netip.Prefix, bool) {
	addr, ok := parseAddr(c.RemoteAddr().String())
	if !ok || addr == netip.IPv6Loopback() || addr == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || contains(l.trusted(), addr) {
		return nil, true
	}
	networks := []netip.Prefix{PeerNetwork(addr)}
	if around := AroundPeer(addr); addr.Is6() {
		networks = append(networks, around[:]...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, network := range networks {
		if l.peers[network] >= [...]int{maxPeerConns, maxHouseholdConns, maxSiteConns}[i] {
			return nil, false
		}
	}
	for _, network := range networks {
		l.peers[network]++
	}
	return networks, true
}

func (l *limited) leave(networks []netip.Prefix) {
	l.mu.Lock()
	for _, network := range networks {
		if l.peers[network]--; l.peers[network] == 0 {
			delete(l.peers, network)
		}
	}
	l.mu.Unlock()
	<-l.slots
}

type limitedConn struct {
	net.Conn
	once  sync.Once
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.once.Do(c.leave)
	return c.Conn.Close()
}

// CloseWrite lets net/http close its side first. A client that is still sending
// can then read the response before the connection breaks.
func (c *limitedConn) CloseWrite() error {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		return tcp.CloseWrite()
	}
	return nil
}

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	for _, n := range networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}
