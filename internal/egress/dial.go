package egress

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// dialer connects to addresses that passed its check.
type dialer struct {
	allow    map[string]string // host:port that may be private, with the scheme
	reserved []netip.Prefix
	timeout  time.Duration
	resolver *net.Resolver
	proxy    func(*url.URL) (*url.URL, error) // nil for no proxy
	roots    *x509.CertPool
}

func newDialer(allow map[string]string, cfg Config) *dialer {
	return &dialer{allow: allow, reserved: reserved(), timeout: cfg.Timeout, resolver: cfg.Resolver, proxy: cfg.Proxy, roots: cfg.Roots}
}

// DialContext dials addr (host:port). Control runs for each address of the name
// immediately before the connection is made, so that it judges the address that
// is really used. A name with a public and a private address is reached at the
// public one.
func (d *dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	scheme, private := d.allow[strings.ToLower(addr)]
	if d.proxy != nil && scheme != "http" {
		proxy, err := d.proxy(&url.URL{Scheme: "https", Host: addr})
		if err != nil {
			return nil, err
		}
		if proxy != nil {
			return d.through(ctx, proxy, addr, private)
		}
	}
	nd := net.Dialer{
		Timeout:  d.timeout,
		Resolver: d.resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			return d.judge(address, private)
		},
	}
	return nd.DialContext(ctx, network, addr)
}

func (d *dialer) judge(address string, private bool) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s is not an address", ErrRefused, address)
	}
	ip := ap.Addr().Unmap().WithZone("")
	if netip.PrefixFrom(nat64(), 96).Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	if d.public(ip) || private && reachable(ip) {
		return nil
	}
	return fmt.Errorf("%w: %s is not a public address", ErrRefused, ip)
}

// reachable reports whether a server of the operator can have the address ip.
func reachable(ip netip.Addr) bool {
	return !ip.IsUnspecified() && !ip.IsMulticast() && !ip.IsLinkLocalUnicast() && !slices.Contains(metadata(), ip.String())
}

// metadata returns where clouds keep their metadata outside the link: AWS, Google and Alibaba.
func metadata() []string { return []string{"fd00:ec2::254", "fd20:ce::254", "100.100.100.200"} }

// public reports whether ip is reachable from the whole internet.
func (d *dialer) public(ip netip.Addr) bool {
	if ip.Is6() && !netip.MustParsePrefix("2000::/3").Contains(ip) {
		return false
	}
	for _, p := range d.reserved {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// nat64 is the prefix under which a network without IPv4 sees all IPv4
// addresses, inner ones included (RFC 6052).
func nat64() netip.Addr { return netip.MustParseAddr("64:ff9b::") }

// reserved returns what the IANA special-purpose registries (RFC 6890) do not
// call globally reachable: all of IPv4, and the part of IPv6 in 2000::/3.
func reserved() []netip.Prefix {
	var list []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}
