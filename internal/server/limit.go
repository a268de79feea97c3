package server

import (
	"net"
	"net/netip"
	"sync"
)

const (
	// maxConns is the most connections at a time. One that only waits costs
	// about 20 KiB. What comes above it waits in the kernel's queue.
	maxConns = 10_000

	// maxPeerConns is the most connections of one network at a time: a browser
	// opens six, so this is many people behind one address. Those above it are
	// closed at once. The /56 and the /48 around an IPv6 address may have more.
	maxPeerConns      = 512
	maxHouseholdConns = maxPeerConns * 3 / 2
	maxSiteConns      = maxPeerConns * 3

	minSpareFiles = 64 // for the database, mail and providers
)

// Limit returns a listener that bounds the connections of l: all of them by
// what the process may have open, so that the database still gets its files,
// and those of one network, so that nobody takes them all (slow-loris). The
// networks in trusted, proxies that stand for many clients, are bounded by the
// whole only, and so are 127.0.0.1 and ::1, from where a proxy of this machine
// connects.
func Limit(l net.Listener, trusted []netip.Prefix) net.Listener {
	return newLimited(l, trusted, connLimit(openFiles()))
}

func newLimited(l net.Listener, trusted []netip.Prefix, limit int) *limited {
	return &limited{
		Listener: l, trusted: trusted, slots: make(chan struct{}, limit), closed: make(chan struct{}),
		peers: make(map[netip.Prefix]int),
	}
}

// connLimit returns how many connections there may be with so many files; 0
// files stands for no limit.
func connLimit(files int) int {
	if files == 0 {
		return maxConns
	}
	return max(16, min(maxConns, files-max(minSpareFiles, files/4)))
}

type limited struct {
	net.Listener
	trusted []netip.Prefix
	slots   chan struct{} // holds a token for each open connection
	closed  chan struct{}
	once    sync.Once

	mu    sync.Mutex
	peers map[netip.Prefix]int // open connections of each network that is counted
}

// Accept waits for a connection that fits.
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
			_ = tcp.SetLinger(0) // nothing of it stays in the kernel
		}
		_ = c.Close()
	}
}

// Close ends Accept also while it waits for a place.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// enter counts a connection and returns the networks that it counts for. It
// reports false when one of them has too many.
func (l *limited) enter(c net.Conn) ([]netip.Prefix, bool) {
	addr, ok := parseAddr(c.RemoteAddr().String())
	if !ok || addr == netip.IPv6Loopback() || addr == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || contains(l.trusted, addr) {
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

// CloseWrite lets net/http end its side first, so that a client that is still
// sending reads the answer before it learns that nobody listens.
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
