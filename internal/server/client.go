package server

import (
	"net/http"
	"net/netip"
	"strings"
)

// maxHops is the number of X-Forwarded-For hops that are read.
const maxHops = 32

// ClientAddr returns the address of the client: the peer of the connection, or
// the client that a trusted proxy named. It returns the zero Addr for a request
// of a test without an address.
func ClientAddr(r *http.Request) netip.Addr {
	addr, _ := parseAddr(r.RemoteAddr)
	return addr
}

// PeerNetwork returns the network that rate limits apply to: the address itself
// for IPv4, and its /64 for IPv6, because a customer gets at least a /64 (RFC
// 6177).
func PeerNetwork(addr netip.Addr) netip.Prefix {
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	network, _ := addr.Prefix(bits) // the zero Prefix for the zero Addr
	return network
}

// NetworkOf returns the PeerNetwork of an address, or that the text is.
func NetworkOf(text string) (netip.Prefix, bool) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return PeerNetwork(addr.Unmap()), true
	}
	network, err := netip.ParsePrefix(text)
	return network, err == nil && network == PeerNetwork(network.Addr())
}

// AroundPeer returns the /56 and the /48 around an IPv6 address, the usual
// assignments of a household and of a site (RFC 6177). Their owner can use
// every /64 in them. For IPv4 addresses it returns zero Prefixes.
func AroundPeer(addr netip.Addr) (around [2]netip.Prefix) {
	if addr.Is6() {
		around[0], _ = addr.Prefix(56)
		around[1], _ = addr.Prefix(48)
	}
	return around
}

// resolveClient replaces the address of the peer with the address of the
// client. It reads X-Forwarded-For from the right, because each proxy appends
// the address of its own peer. It stops at the first address that is not a
// trusted proxy: that client can forge everything to the left of it. Forwarded
// (RFC 7239) and vendors' headers are ignored.
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

// FromTrustedProxy reports whether the peer is a trusted proxy. Only a trusted
// proxy may describe another request in headers.
func FromTrustedProxy(w http.ResponseWriter) bool {
	e, ok := w.(*exchange)
	return ok && e.trusted
}

// forwardedClient returns the rightmost untrusted hop. If there is none, it
// returns the leftmost trusted hop that it could parse.
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

// fromProxy reports whether the peer is a trusted proxy. Call it before
// resolveClient, which replaces the peer's address.
func (m *Mux) fromProxy(r *http.Request) bool {
	_, trusted := m.proxy(r)
	return trusted
}

// proxy returns the address of the peer, and whether it is a trusted proxy.
func (m *Mux) proxy(r *http.Request) (peer netip.Addr, trusted bool) {
	if len(m.TrustedProxies) == 0 {
		return netip.Addr{}, false
	}
	peer, ok := parseAddr(r.RemoteAddr)
	return peer, ok && m.trusts(peer)
}

// trusts reports whether an address belongs to a configured proxy.
func (m *Mux) trusts(addr netip.Addr) bool { return contains(m.TrustedProxies, addr) }

// parseAddr parses an address with or without a port. It drops the zone, and
// returns IPv4-mapped IPv6 as IPv4.
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
