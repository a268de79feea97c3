package server

import (
	"net/http"
	"net/netip"
	"strings"
)

// maxHops bounds the hops of X-Forwarded-For that are looked at.
const maxHops = 32

// ClientAddr returns the address of the client: the peer of the connection, or
// the client that a trusted proxy named. It is the zero Addr when a test made
// a request without one.
func ClientAddr(r *http.Request) netip.Addr {
	addr, _ := parseAddr(r.RemoteAddr)
	return addr
}

// PeerNetwork returns the network that limits are counted by: the address
// itself for IPv4, its /64 for IPv6, because one customer is given that many
// addresses at least (RFC 6177).
func PeerNetwork(addr netip.Addr) netip.Prefix {
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	network, _ := addr.Prefix(bits) // the zero Prefix for the zero Addr
	return network
}

// AroundPeer returns the /56 and the /48 around an IPv6 address, the sizes that
// a household and a site are given (RFC 6177). Their owner can send from every
// /64 in them. IPv4 addresses have the zero Prefixes.
func AroundPeer(addr netip.Addr) (around [2]netip.Prefix) {
	if addr.Is6() {
		around[0], _ = addr.Prefix(56)
		around[1], _ = addr.Prefix(48)
	}
	return around
}

// resolveClient replaces the peer's address by the client's. X-Forwarded-For is
// read from the right, each hop written by the one after it, for as long as the
// hops are trusted proxies: what stands left of the first untrusted one is that
// client's own invention. Forwarded (RFC 7239) and every vendor's header are
// ignored.
func (m *Mux) resolveClient(e *exchange, r *http.Request) {
	peer, trusted := m.proxy(r)
	if !trusted {
		return
	}
	e.trusted = true
	if lines := r.Header["X-Forwarded-For"]; len(lines) > 0 {
		client := forwardedClient(peer, lines, m.trusts)
		r.RemoteAddr = netip.AddrPortFrom(client, 0).String()
	}
}

// FromTrustedProxy reports whether the peer of the request is a configured
// proxy, whose headers about the request that it asks for may be believed.
func FromTrustedProxy(w http.ResponseWriter) bool {
	e, ok := w.(*exchange)
	return ok && e.trusted
}

// forwardedClient returns the right-most untrusted hop, or the farthest trusted
// one when all are trusted or the next is not an address.
func forwardedClient(peer netip.Addr, lines []string, trusted func(netip.Addr) bool) netip.Addr {
	client := peer
	hops := 0
	for i := len(lines) - 1; i >= 0; i-- {
		rest := lines[i]
		for more := true; more; {
			at := strings.LastIndexByte(rest, ',')
			hop := rest[at+1:]
			rest, more = rest[:max(at, 0)], at >= 0
			addr, ok := parseAddr(strings.Trim(hop, " \t"))
			if hops++; !ok || hops > maxHops {
				return client
			}
			client = addr
			if !trusted(addr) {
				return client
			}
		}
	}
	return client
}

// fromProxy reports whether a trusted proxy has sent the request. It is asked
// before resolveClient.
func (m *Mux) fromProxy(r *http.Request) bool {
	_, trusted := m.proxy(r)
	return trusted
}

// proxy returns the address of the peer, and whether it is a trusted proxy.
func (m *Mux) proxy(r *http.Request) (peer netip.Addr, trusted bool) {
	if len(m.proxies) == 0 {
		return netip.Addr{}, false
	}
	peer, ok := parseAddr(r.RemoteAddr)
	return peer, ok && m.trusts(peer)
}

// trusts reports whether the address is a configured proxy.
func (m *Mux) trusts(addr netip.Addr) bool { return contains(m.proxies, addr) }

// parseAddr reads an address with or without a port, without zone, and
// IPv4 in IPv6 as IPv4.
func parseAddr(s string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone(""), true
	}
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		s = s[1 : len(s)-1]
	}
	addr, err := netip.ParseAddr(s)
	return addr.Unmap().WithZone(""), err == nil
}
